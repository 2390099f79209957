// Orders through an exchange of which three requests in ten fail in some way, with callers who retry, leave and come
// back, in four parts. Each part has premises of its own that do not hold.
import { createExchange, type Exchange, type Order } from 'exchange-rx';
import { createSandbox, faultKinds, type SandboxOptions } from 'exchange-rx/sandbox';
import {
  last,
  lastValueFrom,
  mergeMap,
  race,
  range,
  repeat,
  retry,
  switchMap,
  take,
  takeUntil,
  timeout,
  timer,
  type Observable,
} from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRandom } from '../../src/sandbox/random.js';
import { ocoOrderKind, orderKinds } from '../support/order-kinds.js';
import { audit, learn, uniqueAmount, type Reported } from './audit.js';

const firstSeed = Number(process.env['SEED'] ?? 20_261_121);
const minute = 60_000;

interface Premises {
  readonly name: string;
  readonly sandbox: Partial<SandboxOptions>;
  /** The share of outcomes that may stay unknown. */
  readonly unknown: number;
}

/** Of each part, the premises that do not hold there, beside the faults. */
const parts: readonly Premises[] = [
  { name: 'a header Date that is 6 s behind', sandbox: { dateHeaderOffsetMs: -6000 }, unknown: 0.02 },
  { name: 'a header Date that is 5 s ahead', sandbox: { dateHeaderOffsetMs: 5000 }, unknown: 0.02 },
  {
    name: 'a header Date that is an hour ahead, and a history that is 1.5 s late',
    sandbox: { dateHeaderOffsetMs: 60 * minute, historyLagMs: 1500 },
    unknown: 0.02,
  },
  {
    name: 'market and stop limit orders whose identifiers are dropped',
    sandbox: { ignoreClientOrderIds: ['/api/v4/order/market', '/api/v4/order/stop_limit'] },
    unknown: 0.15,
  },
];
/** Of each part: enough to see in a moment that the promise broke; and enough to rely on. */
export const some = 100;
export const many = Number(process.env['ORDERS'] ?? 20_000) / parts.length;

/**
 * A small share: the lists of conditional and OCO orders have at most 100, and prove no order of theirs absent when they
 * are longer.
 */
const linkedShare = 0.08;
const kinds = [...orderKinds, ocoOrderKind];

/** An order of any kind. No two orders have the same amount. */
function placing(random: () => number) {
  let placed = 0;
  return (exchange: Exchange): { readonly amount: string; readonly order$: Observable<Order> } => {
    placed += 1;
    const isLinked = random() < linkedShare;
    const among = kinds.filter((kind) => kind.isLinked === isLinked);
    const kind = among[Math.floor(random() * among.length)];
    if (kind === undefined) throw new Error('there is no kind of order');
    const side = random() < 0.5 ? 'buy' : 'sell';
    const amount = kind.isMoney && side === 'buy' ? uniqueAmount(100, placed, 2) : uniqueAmount(0.001, placed, 6);
    return { amount, order$: kind.place(exchange, { amount, side }) };
  };
}

/** What people write around an order; each ends as the order does. */
const habits: readonly ((order$: Observable<Order>) => Observable<Order>)[] = [
  (order$) => order$,
  (order$) => order$.pipe(retry(5)),
  (order$) => order$.pipe(repeat(2), last()),
  (order$) => order$.pipe(timeout(50), retry({ count: 3, delay: 100 })),
  (order$) => race(order$, order$),
  (order$) =>
    timer(0, 20).pipe(
      take(3),
      switchMap(() => order$),
    ),
];

const eachAtATime = 100;

async function trade(exchange: Exchange, count: number, seed: number): Promise<Reported[]> {
  const random = createRandom(seed);
  const place = placing(random);
  const reported: Reported[] = [];
  const foreign: unknown[] = [];
  const one = () =>
    new Promise<void>((resolve) => {
      const { amount, order$ } = place(exchange);
      const habit = habits[Math.floor(random() * habits.length)] ?? habits[0];
      // First as people do, then plainly: its result in the end.
      const impatient =
        random() < 0.2
          ? (habit?.(order$) ?? order$).pipe(takeUntil(timer(random() * 3000)))
          : (habit?.(order$) ?? order$);
      const settle = () => {
        learn(order$, amount, (learned) => {
          if (learned.reported === undefined) foreign.push(learned.foreign);
          else reported.push(learned.reported);
          resolve();
        });
      };
      impatient.subscribe({ error: settle, complete: settle });
    });
  const all = lastValueFrom(range(0, count).pipe(mergeMap(one, eachAtATime)));
  const run = { isOver: false };
  const ended = all.then(() => {
    run.isOver = true;
  });
  while (!run.isOver) await vi.advanceTimersByTimeAsync(1000);
  await ended;
  // What is still in flight arrives.
  await vi.advanceTimersByTimeAsync(minute);
  expect(foreign).toEqual([]);
  return reported;
}

/** One part of them, from 1. */
export function describeOrdersAtRandom(part: number, orders: number): void {
  const seed = firstSeed + part - 1;
  const { name, sandbox: options, unknown } = parts[part - 1] ?? { name: 'no such part', sandbox: {}, unknown: 0 };
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  describe(`a randomized run with ${name}`, () => {
    it(`doubles, loses and misreports nothing in ${orders} orders (SEED=${firstSeed} replays it)`, async () => {
      const sandbox = createSandbox({
        volatility: 0,
        separateConditionalOrders: true,
        accounts: [
          {
            name: 'main',
            balances: { trade: { BTC: '1000000', USDT: '100000000000' }, collateral: { USDT: '100000000000' } },
          },
        ],
        ...options,
      });
      sandbox.randomFaults({ seed, rate: 0.3, maxDelayMs: 3000, kinds: faultKinds });
      const exchange = createExchange({
        ...sandbox.clientOptions(),
        timeoutMs: 3000,
        retry: { budget: { max: 1e9 }, random: createRandom(seed + 1) },
      });
      const reported = await trade(exchange, orders, seed);
      const result = audit(sandbox, reported);
      const counts = {
        orders: reported.length,
        placed: reported.filter(({ as }) => as === 'order').length,
        requests: sandbox.ledger.requests.length,
        ...result,
      };
      console.log(`seed ${seed}, ${name}:`, counts);
      expect(reported).toHaveLength(orders);
      expect(result).toMatchObject({ doubled: 0, lost: 0, misreported: 0 });
      expect(result.unknown).toBeLessThan(orders * unknown);
    }, 600_000);
  });
}
