// An exchange that executes later than it accepts, requests that arrive late, and clocks that are wrong: absence is not
// taken for proven.
import { NotPlacedError } from 'exchange-rx';
import { retry } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { orderPaths, paths } from '../support/foreign-exchange.js';
import { losses } from '../support/foreign-network.js';
import {
  expectTruth,
  follow,
  getAcquainted,
  kinds,
  market,
  marketOrder,
  resting,
  seconds,
  setup,
  stockMarket,
  useFakeTime,
} from './setup.js';

useFakeTime();

/** Time enough for a wrong proof to send the order again. */
const patient = { validForMs: 90_000, callTimeoutMs: 120_000 };

describe('an engine that is behind its gateway', () => {
  const delays = [6000, 9900];
  const cases = kinds.flatMap((kind) => losses.flatMap((how) => delays.map((delayMs) => ({ ...kind, how, delayMs }))));
  it.each(cases)(
    'executes one order, which is found: $kind, $delayMs ms, $how',
    async ({ path, place, how, delayMs }) => {
      const { foreign, network, exchange } = setup();
      await getAcquainted(exchange);
      foreign.premises.engineDelayMs = delayMs;
      network.plan(path, { kind: 'lost after', how });
      const report = follow(place(exchange, 'a', patient).pipe(retry(3)));
      await seconds(200);
      expectTruth(foreign, 'a', report, 'placed');
    },
  );

  it.each(kinds)('executes one order that arrived late, too: $kind', async ({ path, place }) => {
    for (const byMs of [500, 1500, 2500]) {
      const { foreign, network, exchange } = setup();
      await getAcquainted(exchange);
      foreign.premises.engineDelayMs = 9900;
      network.plan(path, { kind: 'late', byMs, how: 'reset' });
      const report = follow(place(exchange, 'a', patient).pipe(retry(3)));
      await seconds(200);
      expectTruth(foreign, 'a', report, 'placed');
    }
  });

  it('delays the proof of absence by settleMs', async () => {
    const { foreign, network, exchange } = setup({ settleMs: 20_000, lookupTimeoutMs: 60_000 });
    await getAcquainted(exchange);
    foreign.premises.engineDelayMs = 18_000;
    network.plan(marketOrder.path, { kind: 'lost after', how: 'reset' });
    const report = follow(marketOrder.place(exchange, 'a', patient).pipe(retry(3)));
    await seconds(200);
    expectTruth(foreign, 'a', report, 'placed');
  });

  it('leaves an order in doubt for at least 10 s by default', async () => {
    const { network, exchange } = setup();
    await getAcquainted(exchange);
    network.plan(marketOrder.path, { kind: 'lost before', how: 'reset' });
    const report = follow(marketOrder.place(exchange, 'a'));
    await seconds(10);
    expect(report.as).toBe('waiting');
    await seconds(50);
    expect(report.error).toBeInstanceOf(NotPlacedError);
  });

  it('does not make orders.find in a new process report an order as absent', async () => {
    for (const delayMs of [6000, 7500, 9000, 9900]) {
      const { foreign, network, exchange, connect } = setup();
      foreign.premises.engineDelayMs = delayMs;
      network.plan(stockMarket.path, { kind: 'lost after', how: 'hang' });
      const subscription = stockMarket.place(exchange, 'a').subscribe();
      await seconds(0.1);
      subscription.unsubscribe();
      foreign.premises.engineDelayMs = 0;
      const restarted = connect();
      await getAcquainted(restarted);
      const report = follow(restarted.orders.find({ market, client_order_id: 'a' }));
      await seconds(100);
      expectTruth(foreign, 'a', report, 'placed', 'unknown');
    }
  });
});

describe('a header Date that is not the exchange’s clock', () => {
  it.each([-6000, 5000, 3_600_000, undefined])('costs private calls nothing: %j ms', async (dateOffsetMs) => {
    const { foreign, network, exchange } = setup({ premises: { dateOffsetMs } });
    const failures: unknown[] = [];
    for (const id of ['a', 'b', 'c']) {
      exchange.account.mainBalance().subscribe({ error: (error: unknown) => failures.push(error) });
      const report = follow(stockMarket.place(exchange, id));
      await seconds(2);
      expectTruth(foreign, id, report, 'placed');
    }
    expect(failures).toEqual([]);
    expect([paths.balance, paths.stockMarket].map((path) => network.departuresTo(path).length)).toEqual([3, 3]);
  });

  const offsets = [-6000, 5000, 60_000];
  const lateness = [1000, 4500, 6500, 8000];
  const cases = offsets.flatMap((dateOffsetMs) => lateness.map((byMs) => [dateOffsetMs, byMs] as const));
  it.each(cases)('proves no absence: %i ms, of an order that arrives %i ms late', async (dateOffsetMs, byMs) => {
    for (const { path, place } of [stockMarket, resting]) {
      const { foreign, network, exchange } = setup({ premises: { dateOffsetMs }, settleMs: 0 });
      await getAcquainted(exchange);
      network.plan(path, { kind: 'late', byMs, how: 'reset' });
      const report = follow(place(exchange, 'a', patient).pipe(retry(3)));
      await seconds(200);
      expectTruth(foreign, 'a', report, 'placed', 'unknown');
    }
  });

  it('proves no absence when every response has a different Date', async () => {
    for (const byMs of lateness) {
      const { foreign, network, exchange } = setup({ settleMs: 0 });
      let responses = 0;
      network.chance = () => {
        responses += 1;
        foreign.premises.dateOffsetMs = responses % 2 === 0 ? -6000 : 5000;
        return undefined;
      };
      await getAcquainted(exchange);
      network.plan(marketOrder.path, { kind: 'late', byMs, how: 'reset' });
      const report = follow(marketOrder.place(exchange, 'a', patient).pipe(retry(3)));
      await seconds(200);
      expectTruth(foreign, 'a', report, 'placed', 'unknown');
    }
  });
});

describe('a local clock that is wrong by minutes', () => {
  it.each([-240_000, 240_000])('doubles nothing: %i ms', async (offsetMs) => {
    for (const byMs of [1000, 4500, 6500]) {
      const { foreign, network, exchange } = setup({
        premises: { dateOffsetMs: -offsetMs },
        now: () => Date.now() + offsetMs,
        settleMs: 0,
      });
      const first = follow(stockMarket.place(exchange, 'first'));
      await seconds(3);
      expectTruth(foreign, 'first', first, 'placed');
      network.plan(stockMarket.path, { kind: 'late', byMs, how: 'reset' });
      const report = follow(stockMarket.place(exchange, 'a', patient).pipe(retry(3)));
      await seconds(200);
      expectTruth(foreign, 'a', report, 'placed', 'unknown');
    }
  });
});

describe('nonces that only increase', () => {
  it.each(kinds)(
    'never expire: an order that no lookup reaches stays unknown, and is executed once: $kind',
    async ({ path, place }) => {
      const { foreign, network, exchange } = setup({ nonce: 'increasing' });
      await getAcquainted(exchange);
      network.plan(path, { kind: 'late', byMs: 25_000, how: 'reset' });
      network.chance = (to) => (orderPaths.includes(to) ? undefined : { kind: 'lost before', how: 'reset' });
      const report = follow(place(exchange, 'a', patient));
      await seconds(200);
      expectTruth(foreign, 'a', report, 'unknown');
      expect(foreign.executionsOf('a')).toHaveLength(1);
    },
  );
});
