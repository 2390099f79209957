// Orders through an exchange of which three requests in ten fail in some way, with callers who retry, leave and come back: 20,000, in four parts that
// run side by side.
import { createExchange, type Exchange, type Order } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { last, lastValueFrom, mergeMap, race, range, repeat, retry, switchMap, take, takeUntil, timeout, timer, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRandom } from '../../src/sandbox/random.js';
import { audit, learn, type Told } from './audit.js';

const parts = 4;
const firstSeed = Number(process.env['SEED'] ?? 20_261_121);
const orders = Number(process.env['ORDERS'] ?? 20_000) / parts;
const market = 'BTC_USDT';

function place({ spot, collateral }: Exchange, random: () => number): Observable<Order> {
  const side = random() < 0.5 ? 'buy' : 'sell';
  const kind = random();
  if (kind < 0.5) return spot.placeStockMarketOrder({ market, side, amount: '0.001' });
  if (kind < 0.75) return spot.placeMarketOrder({ market, side, amount: side === 'buy' ? '100' : '0.001' });
  return collateral.placeLimitOrder({ market, side: 'buy', amount: '0.001', price: '50000' });
}

/** What people write around an order; each ends as the order does. */
const habits: readonly ((order$: Observable<Order>) => Observable<Order>)[] = [
  (order$) => order$,
  (order$) => order$.pipe(retry(5)),
  (order$) => order$.pipe(repeat(2), last()),
  (order$) => order$.pipe(timeout(50), retry({ count: 3, delay: 100 })),
  (order$) => race(order$, order$),
  (order$) => timer(0, 20).pipe(take(3), switchMap(() => order$)),
];

const eachAtATime = 100;

async function trade(exchange: Exchange, count: number, seed: number): Promise<Told[]> {
  const random = createRandom(seed);
  const told: Told[] = [];
  const foreign: unknown[] = [];
  const one = () =>
    new Promise<void>((resolve) => {
      const order$ = place(exchange, random);
      const habit = habits[Math.floor(random() * habits.length)] ?? habits[0];
      // First as people do, then plainly: what it came to in the end.
      const impatient = random() < 0.2 ? (habit?.(order$) ?? order$).pipe(takeUntil(timer(random() * 3000))) : (habit?.(order$) ?? order$);
      const settle = () => {
        learn(order$, (learned) => {
          if (learned.told === undefined) foreign.push(learned.foreign);
          else told.push(learned.told);
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
  // What is still on its way arrives.
  await vi.advanceTimersByTimeAsync(20_000);
  expect(foreign).toEqual([]);
  return told;
}

/** One part of them, from 1. */
export function describeOrdersAtRandom(part: number): void {
  const seed = firstSeed + part - 1;
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  describe(`a randomized run, part ${part} of ${parts}`, () => {
    it(`doubles, loses and misreports nothing in ${orders} orders (SEED=${firstSeed} replays it)`, async () => {
      const sandbox = createSandbox({
        volatility: 0,
        historyLagMs: 1500,
        accounts: [{ name: 'main', balances: { trade: { BTC: '1000000', USDT: '100000000000' }, collateral: { USDT: '100000000000' } } }],
      });
      sandbox.faultsAtRandom({ seed, rate: 0.3, longestDelayMs: 3000 });
      const exchange = createExchange({ ...sandbox.clientOptions(), timeoutMs: 3000, retry: { budget: { most: 1e9 }, random: createRandom(seed + 1) } });
      const told = await trade(exchange, orders, seed);
      const result = audit(sandbox, told);
      const counts = { orders: told.length, placed: told.filter(({ as }) => as === 'order').length, requests: sandbox.ledger.requests.length, ...result };
      console.log(`seed ${seed}:`, counts);
      expect(told).toHaveLength(orders);
      expect(result).toMatchObject({ doubled: 0, lost: 0, misreported: 0 });
      expect(result.unknown).toBeLessThan(orders / 100);
    }, 600_000);
  });
}
