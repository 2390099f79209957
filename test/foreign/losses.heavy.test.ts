// Every way to lose a response, before and after the order was executed, with every habit of subscribers: one order,
// truly reported.
import { describe, expect, it } from 'vitest';
import { losses } from '../support/foreign-network.js';
import { expectTruth, follow, getAcquainted, habits, kinds, seconds, setup, useFakeTime } from './setup.js';

useFakeTime();

const cases = kinds.flatMap((kind) =>
  losses.flatMap((how) => (['lost before', 'lost after'] as const).map((when) => ({ ...kind, how, when }))),
);

describe('an order whose response is lost', () => {
  it.each(cases)(
    'is executed once, and reported as the ledger has it: $kind, $when it is executed, $how',
    async ({ path, place, how, when }) => {
      for (const [habit, written] of Object.entries(habits)) {
        const { foreign, network, exchange } = setup();
        await getAcquainted(exchange);
        network.plan(path, { kind: when, how });
        const report = follow(written(place(exchange, 'a')));
        await seconds(200);
        expect(network.pending(), habit).toBe(0);
        // Without a retry, the caller gets NotPlacedError; with one, the order.
        const isPatient = habit.includes('retry');
        expectTruth(
          foreign,
          'a',
          report,
          'placed',
          ...(when === 'lost before' && !isPatient ? (['not executed'] as const) : []),
        );
      }
    },
  );

  it.each(cases)(
    'is decided when its subscriber left and comes back: $kind, $when it is executed, $how',
    async ({ path, place, how, when }) => {
      const { foreign, network, exchange } = setup();
      await getAcquainted(exchange);
      network.plan(path, { kind: when, how });
      const order$ = place(exchange, 'a');
      const subscription = order$.subscribe({ error: () => undefined });
      await seconds(0.007);
      subscription.unsubscribe();
      await seconds(2);
      const report = follow(order$);
      await seconds(100);
      expectTruth(foreign, 'a', report, when === 'lost after' ? 'placed' : 'not executed');
    },
  );
});
