// Orders at random, through everything that the foreign exchange and its network can do, with callers who retry, leave,
// come back and restart.
import type { Exchange } from 'exchange-rx';
import { lastValueFrom, mergeMap, Observable, range, retry, takeUntil, timer, toArray } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { RetryBudget } from '../../../src/call/index.js';
import { orderPaths, paths } from '../../support/foreign-exchange.js';
import { gateway, losses, refusal, type Fault } from '../../support/foreign-network.js';
import { seeded } from '../../live/setup.js';
import {
  follow,
  acquainted,
  habits,
  everyKind,
  market,
  mistakes,
  seconds,
  useFakeTime,
  type Report,
  type Setup,
} from './setup.js';

const seed = Number(process.env['SEED'] ?? 20_261_122);
const eachAtATime = 50;
const dropping = [paths.collateralLimit, paths.market, paths.stopLimit];

export function pick<Item>(random: () => number, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

export function changeFault(random: () => number): Fault {
  const kind = random();
  if (kind < 0.3) return { kind: 'lost after', how: pick(random, losses) };
  if (kind < 0.5) return { kind: 'lost before', how: pick(random, losses) };
  if (kind < 0.7)
    return { kind: 'replayed', afterMs: pick(random, [0, 500, 2000, 5500, 7000]), copies: pick(random, [1, 2]) };
  if (kind < 0.9)
    return { kind: 'late', byMs: random() * 4500, ...(random() < 0.6 ? { how: pick(random, losses) } : {}) };
  if (kind < 0.94) return { kind: 'refused' };
  return { kind: 'response', response: pick(random, answers) };
}

const answers = [
  refusal(429, 'Too many requests.'),
  refusal(400, 'Your nonce is more than 5 seconds lesser than the current nonce'),
  refusal(400, 'Terms of exchange not accepted'),
  refusal(422, 'Terms of exchange not accepted'),
  gateway(503, { 'retry-after': '3' }),
];
/** Each closes its limit for seconds: more of them would leave little to trade. */
const rateLimits = [refusal(429, 'Too Many Attempts.'), gateway(429, { 'retry-after': '1' })];

export function lookupFault(random: () => number): Fault {
  const kind = random();
  if (kind < 0.4) return { kind: 'lost before', how: pick(random, losses) };
  if (kind < 0.7) return { kind: 'replayed', afterMs: random() * 500 };
  return { kind: 'late', byMs: random() * 2500 };
}

/** Lets everything happen, and changes the premises from request to request. */
function disturb({ foreign, network }: Pick<Setup, 'foreign' | 'network'>, random: () => number): void {
  network.chance = (path) => {
    foreign.premises.dateOffsetMs = random() < 0.2 ? undefined : pick(random, [0, -6000, 5000, 3_600_000]);
    foreign.premises.fields =
      random() < 0.7 ? 'usual' : pick(random, ['null', 'absent', 'numbers', 'new kinds'] as const);
    foreign.premises.engineDelayMs = random() < 0.1 ? random() * 9500 : 0;
    foreign.premises.unreadable = random() < 0.1 ? pick(random, ['beside', 'instead'] as const) : 'none';
    if (orderPaths.includes(path)) {
      if (random() < 0.002) return { kind: 'response', response: pick(random, rateLimits) };
      return random() < 0.4 ? changeFault(random) : undefined;
    }
    return random() < (path === paths.time ? 0.1 : 0.2) ? lookupFault(random) : undefined;
  };
}

interface Ended {
  readonly id: string;
  readonly report: Report;
}

/** One order, as people write it: its final result and its identifier. */
function tradeOnce(number: number, exchange: Exchange, restarted: Exchange, random: () => number): Observable<Ended> {
  return new Observable((subscriber) => {
    const { place } = pick(random, everyKind);
    const given = random() < 0.5 ? `order-${number}` : undefined;
    const order$ = place(exchange, given, random() < 0.5 ? {} : { validForMs: 40_000 });
    const id = given ?? order$.client_order_id;
    const written = pick(random, Object.values(habits))(order$);
    const isImpatient = random() < 0.25;
    const isRestarted = isImpatient && random() < 0.2;
    const end = () => {
      // First as people do, then plainly: its final result.
      const last$ = isRestarted
        ? restarted.orders.find({ market, client_order_id: id, endpoint: order$.endpoint })
        : order$.pipe(retry(1));
      follow(last$, (report) => {
        subscriber.next({ id, report });
        subscriber.complete();
      });
    };
    (isImpatient ? written.pipe(takeUntil(timer(random() * 4000))) : written).subscribe({ error: end, complete: end });
  });
}

/** Lets time pass until the work is done. */
export async function secondBySecond<Result>(
  work: Promise<Result>,
  each: (second: number) => void = () => undefined,
): Promise<Result> {
  const state = { isOver: false };
  const over = work.finally(() => (state.isOver = true));
  for (let second = 1; !state.isOver; second += 1) {
    await seconds(1);
    each(second);
  }
  return over;
}

/** Open orders are filled from time to time, so that the pages of the lists hold them all. */
const fillsEverySeconds = 10;
/** The ledger of one exchange: it reads all of its orders for each lookup. */
const maxOfRound = 2000;

async function run(count: number, dropsIdentifiers: readonly string[], ownSeed: number) {
  const random = seeded(ownSeed);
  const retries = { random: seeded(ownSeed + 1) };
  // Most orders meet a fault: retries are not kept back.
  vi.spyOn(RetryBudget.prototype, 'spend').mockReturnValue(true);
  const own = { timeoutMs: 8000, callTimeoutMs: 120_000, retry: retries };
  const all = await acquainted({ premises: { dropsIdentifiers }, ...own });
  const { foreign, exchange, connect } = all;
  disturb(all, random);
  const restarted = connect();
  const trades$ = range(0, count).pipe(
    mergeMap((number) => tradeOnce(number, exchange, restarted, random), eachAtATime),
  );
  const reports = await secondBySecond(lastValueFrom(trades$.pipe(toArray())), (second) => {
    if (second % fillsEverySeconds === 0) foreign.fill(market);
  });
  // What is still under way arrives, and is executed.
  await seconds(30);
  return { foreign, reports };
}

export function describeOrdersAtRandom(orders: number): void {
  useFakeTime();
  const rounds = Math.ceil(orders / maxOfRound);

  describe.each(Array.from({ length: rounds }, (_, round) => seed + round))('orders at random, SEED=%i', (ownSeed) => {
    it.each([
      ['identifiers are kept', Math.ceil((orders / rounds) * 0.85), []],
      ['three endpoints drop them', Math.floor((orders / rounds) * 0.15), dropping],
    ])(
      'are never doubled, lost or misreported, where %s',
      async (where, count, dropsIdentifiers) => {
        const { foreign, reports } = await run(count, dropsIdentifiers, ownSeed);
        const wrong = reports.flatMap(({ id, report }) =>
          mistakes(foreign, id, report).map((mistake) => `${id} ${mistake}`),
        );
        const counted = (as: Report['as']) => reports.filter(({ report }) => report.as === as).length;
        const unknown = counted('unknown');
        const placed = counted('placed');
        console.log(`seed ${ownSeed}, ${where}:`, { orders: count, placed, unknown, wrong: wrong.length });
        expect(reports).toHaveLength(count);
        expect(wrong).toEqual([]);
        expect(placed).toBeGreaterThan(count / 2);
        if (dropsIdentifiers.length === 0) expect(unknown).toBeLessThan(count / 20);
      },
      600_000,
    );
  });
}
