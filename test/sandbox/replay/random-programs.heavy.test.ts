// Random programs on one recording: two runs in two time zones give the same ledger.
import { createExchange, type Exchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  catchError,
  debounceTime,
  defer,
  EMPTY,
  exhaustMap,
  filter,
  interval,
  merge,
  mergeMap,
  NEVER,
  repeat,
  retry,
  throttleTime,
  throwError,
  timer,
  type Observable,
} from 'rxjs';
import { afterEach, beforeAll, expect, it } from 'vitest';
import type { Recording } from '../../../src/recording/index.js';
import { createRandom } from '../../../src/sandbox/random.js';
import { book, lost, open, recordingOf, stop, trades } from '../../support/recording.js';

const market = 'BTC_USDT';
const timeZones = ['UTC', 'Asia/Kathmandu'];
const seconds = 7;
const programs = Number(process.env['PROGRAMS'] ?? 20);

/** It runs each program four times. */
const maxMs = 300_000;

/** A market that drifts between 95 and 105, with a lost connection. */
function recordedLines() {
  const random = createRandom(4);
  let [id, best] = [0, 100];
  const amount = () => (1 + random() * 9).toFixed(3);
  const snapshot = (t: number) =>
    book(
      t,
      ++id,
      Array.from({ length: 5 }, (_, index) => [String(best - 1 - index), amount()]),
      Array.from({ length: 5 }, (_, index) => [String(best + 1 + index), amount()]),
    );
  const lines = [open(5), snapshot(50)];
  for (let t = 100; t < seconds * 1000; t += 50) {
    if (t === 3000) lines.push(lost(t));
    if (t === 3500) lines.push(open(t));
    const isBetween = t >= 3000 && t < 3500;
    const moves = random() < 0.2 ? Math.round(random() * 2 - 1) : 0;
    best = Math.min(105, Math.max(95, best + moves));
    if (isBetween) continue;
    if (moves !== 0 || t === 3500) lines.push(snapshot(t));
    else lines.push(book(t, id + 1, [[String(best - 1), amount()]], [[String(best + 1), amount()]], id++));
    const side = random() < 0.5 ? 'buy' : 'sell';
    const price = String(side === 'buy' ? best + 1 : best - 1);
    if (random() < 0.6) lines.push(trades(t + 30, { id: t, side, price, amount: amount() }));
  }
  return [...lines, stop(seconds * 1000)];
}

/** Three of the ways in which programs wait and trade, with random times. */
function programOf(random: () => number): (exchange: Exchange) => Observable<unknown> {
  const ms = (min: number, max: number) => Math.round(min + random() * (max - min));
  const amount = (0.1 + random()).toFixed(3);
  const [first, second, third] = [ms(90, 700), ms(100, 900), ms(300, 2000)];
  const price = () => String(95 + Math.round(Math.random() * 10));
  const ways = (exchange: Exchange): readonly Observable<unknown>[] => {
    const { live, orders, spot } = exchange;
    const place = (
      side: 'buy' | 'sell',
      limit: string,
      more: { readonly ioc?: boolean; readonly postOnly?: boolean } = {},
    ) => spot.placeLimitOrder({ market, side, amount, price: limit, ...more }).pipe(catchError(() => EMPTY));
    const book$ = live.orderBook({ market }).pipe(filter(({ status }) => status === 'live'));
    const loop = async () => {
      await sleep(first);
      const [trade] = (await new Response(JSON.stringify([Math.random()])).json()) as number[];
      for (let count = 0; count < 20; count += 1) await Promise.resolve();
      await sleep(second * (trade ?? 0));
    };
    let attempts = 0;
    return [
      interval(first).pipe(exhaustMap(() => place('buy', price(), { ioc: true }))),
      book$.pipe(
        debounceTime(Math.min(first, 45)),
        throttleTime(second),
        mergeMap(({ bids }) => place('buy', bids[0]?.[0] ?? '95', { postOnly: true })),
      ),
      book$.pipe(
        throttleTime(third),
        mergeMap(({ asks }) => place('sell', asks[0]?.[0] ?? '105')),
      ),
      live.trades({ markets: [market] }).pipe(
        throttleTime(second),
        mergeMap(() => spot.placeStockMarketOrder({ market, side: 'sell', amount }).pipe(catchError(() => EMPTY))),
      ),
      live.my.executions().pipe(
        debounceTime(third),
        exhaustMap(() => orders.cancelAll({ market }).pipe(catchError(() => EMPTY))),
      ),
      timer(first).pipe(mergeMap(() => orders.setKillSwitch({ market, timeout: 5 }))),
      defer(loop).pipe(
        mergeMap(() => place(Math.random() < 0.5 ? 'buy' : 'sell', price())),
        repeat({ delay: second }),
      ),
      defer(() => (attempts++ % 3 < 2 ? throwError(() => new Error('again')) : place('buy', price()))).pipe(
        retry({ delay: first }),
        repeat({ delay: third }),
      ),
    ];
  };
  const chosen = Array.from({ length: 3 }, () => Math.floor(random() * 8));
  return (exchange) => {
    const all = ways(exchange);
    return merge(NEVER, ...chosen.map((way) => all[way] ?? EMPTY));
  };
}

let recording: Recording;
beforeAll(async () => {
  recording = await recordingOf(recordedLines());
});
const { TZ } = process.env;
afterEach(() => {
  if (TZ === undefined) delete process.env['TZ'];
  else process.env['TZ'] = TZ;
});

async function runOnce(seed: number) {
  const sandbox = createSandbox({ replay: recording, matching: { latencyMs: 35 } });
  const program = programOf(createRandom(seed));
  const { ledgerHash, escapes } = await sandbox.run((options) => program(createExchange(options)), { drainMs: 500 });
  return { ledgerHash, escapes, fills: sandbox.ledger.fills.length };
}

it(
  'random programs give the same ledger twice in two time zones',
  async () => {
    const offsets = new Set<number>();
    const results = new Map<number, Awaited<ReturnType<typeof runOnce>>[]>();
    for (const timeZone of timeZones) {
      process.env['TZ'] = timeZone;
      offsets.add(new Date().getTimezoneOffset());
      for (let seed = 1; seed <= programs; seed += 1)
        for (const _run of [1, 2]) results.set(seed, [...(results.get(seed) ?? []), await runOnce(seed)]);
    }
    expect(offsets.size).toBe(timeZones.length);
    for (const [seed, [first, ...others]] of results)
      expect({ seed, others }).toEqual({ seed, others: [first, first, first] });
    const all = [...results.values()].flatMap(([first]) => first ?? []);
    expect(all.flatMap(({ escapes }) => escapes)).toEqual([]);
    expect(new Set(all.map(({ ledgerHash }) => ledgerHash)).size).toBeGreaterThan(0.75 * programs);
    expect(all.filter(({ fills }) => fills > 0).length).toBeGreaterThan(0.75 * programs);
  },
  maxMs,
);
