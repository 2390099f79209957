// Identifiers that the exchange ignores, identifiers that are used again, and orders that are resumed by theirs.
import type { Exchange } from 'exchange-rx';
import { from, mergeMap, retry } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { orderPaths } from '../../support/foreign-exchange.js';
import { losses } from '../../support/foreign-network.js';
import {
  acquainted,
  expectTruth,
  expectTruthAfter,
  follow,
  getAcquainted,
  everyKind,
  kinds,
  linked,
  market,
  marketOrder,
  resting,
  seconds,
  setup,
  stockMarket,
  useFakeTime,
} from './setup.js';

useFakeTime();

const patient = { validForMs: 90_000, callTimeoutMs: 120_000 };

const lossesOfEach = everyKind.flatMap((kind) =>
  (kind === stockMarket ? losses : losses.slice(0, 1)).map((how) => ({ ...kind, how })),
);

/** Places an order by each other endpoint. */
const placeOthers = (exchange: Exchange, path: string) =>
  everyKind
    .filter((other) => other.path !== path)
    .map((other, index) => follow(other.place(exchange, `other-${index}`)));

describe('an order endpoint that ignores identifiers', () => {
  it.each(lossesOfEach)(
    'executes the first order whose response is lost once, and leaves it unknown: $kind, $how',
    async ({ path, place, how }) => {
      const { foreign, network, exchange } = setup({ premises: { dropsIdentifiers: [path] } });
      network.plan(path, { kind: 'lost after', how });
      await expectTruthAfter(300, foreign, 'a', place(exchange, 'a', patient).pipe(retry(3)), 'unknown');
      expect(foreign.executionsOf('a')).toHaveLength(1);
    },
  );

  it.each(everyKind)('is not trusted because another endpoint keeps identifiers: $kind', async ({ path, place }) => {
    const { foreign, network, exchange } = setup({ premises: { dropsIdentifiers: [path] } });
    const others = placeOthers(exchange, path);
    await seconds(2);
    expect(new Set(others.map(({ as }) => as))).toEqual(new Set(['placed']));
    network.plan(path, { kind: 'lost after', how: 'reset' });
    await expectTruthAfter(300, foreign, 'a', place(exchange, 'a', patient).pipe(retry(3)), 'unknown');
  });

  it.each(everyKind)('does not make a placed order seem absent after a restart: $kind', async ({ path, place }) => {
    for (const isAcquainted of [false, true]) {
      const { foreign, exchange, connect } = setup({ premises: { dropsIdentifiers: [path] } });
      follow(place(exchange, 'a'));
      await seconds(1);
      expect(foreign.executionsOf('a')).toHaveLength(1);
      const restarted = connect();
      if (isAcquainted) placeOthers(restarted, path);
      await seconds(1);
      await expectTruthAfter(100, foreign, 'a', restarted.orders.find({ market, client_order_id: 'a' }), 'unknown');
    }
  });

  it('leaves an order that was never executed unknown, too, because nothing shows the difference', async () => {
    const { foreign, network, exchange } = setup({ premises: { dropsIdentifiers: orderPaths } });
    network.plan(stockMarket.path, { kind: 'lost before', how: 'reset' });
    await expectTruthAfter(120, foreign, 'a', stockMarket.place(exchange, 'a', patient), 'unknown');
  });
});

describe('an order that a new client looks up', () => {
  const hour = 3_600_000;
  const offsets = [-3 * hour, 3 * hour, -90_000, 90_000];
  it.each(offsets)('is emitted once by a program whose clock is wrong, by %i ms', async (offsetMs) => {
    for (const { place } of kinds) {
      const { foreign, exchange, connect } = setup();
      follow(place(exchange, 'a'));
      await seconds(2);
      const program = connect({ now: () => Date.now() + offsetMs });
      await expectTruthAfter(90, foreign, 'a', program.orders.find({ market, client_order_id: 'a' }), 'placed');
    }
  });

  it.each(kinds)('is not reported as absent while its request is in flight: $kind', async ({ path, place }) => {
    // The first nonces are 2 s behind the clock and valid for 5 s; the engine takes 10 s at most.
    for (const [byMs, engineDelayMs] of [
      [1000, 0],
      [2900, 9900],
    ] as const) {
      for (const offsetMs of [0, -90_000, 90_000]) {
        const { foreign, network, exchange, connect } = setup();
        const program = connect({ now: () => Date.now() + offsetMs });
        // It learns the exchange's clock.
        program.account.mainBalance().subscribe();
        await seconds(10);
        await getAcquainted(program);
        foreign.premises.engineDelayMs = engineDelayMs;
        network.plan(path, { kind: 'late', byMs });
        const order$ = place(exchange, 'a');
        const subscription = order$.subscribe();
        await seconds(0.1);
        subscription.unsubscribe();
        const found$ = program.orders.find({ market, client_order_id: 'a', endpoint: order$.endpoint });
        await expectTruthAfter(100, foreign, 'a', found$, 'placed');
        expect(foreign.executionsOf('a')).toHaveLength(1);
      }
    }
  });
});

it('an identifier makes retry() around the call that places harmless', async () => {
  const { foreign, network, exchange } = await acquainted();
  network.plan(marketOrder.path, { kind: 'lost after', how: 'reset' });
  network.chance = (to) => (orderPaths.includes(to) ? undefined : { kind: 'lost before', how: 'reset' });
  const report = follow(
    from(['a']).pipe(
      mergeMap((id) => marketOrder.place(exchange, id)),
      retry({ count: 3, delay: 1000 }),
    ),
  );
  await seconds(300);
  expect(report.as).not.toBe('waiting');
  expect(foreign.executionsOf('a')).toHaveLength(1);
});

it.each([resting, linked])(
  'a history that omits orders which were cancelled without a fill does not matter to an order that was seen open: $kind',
  async ({ path, place }) => {
    const { foreign, network, exchange } = await acquainted({ premises: { historyOmitsUnfilled: true } });
    network.plan(path, { kind: 'lost after', how: 'reset' });
    const report = follow(place(exchange, 'a', patient).pipe(retry(3)));
    await seconds(2);
    exchange.orders.cancel({ market, client_order_id: 'a' }).subscribe();
    await seconds(100);
    expectTruth(foreign, 'a', report, 'placed');
  },
);
