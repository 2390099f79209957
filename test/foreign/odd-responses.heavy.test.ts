// Fields that nobody decides by may be anything: an order is placed, and found, all the same. A record that cannot be
// read proves nothing.
import { retry } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { expectTruth, follow, getAcquainted, everyKind, seconds, setup, useFakeTime } from './setup.js';

useFakeTime();

const oddities = ['null', 'absent', 'numbers', 'new kinds'] as const;
const patient = { validForMs: 90_000, callTimeoutMs: 120_000 };

const odditiesOfEach = everyKind.flatMap((kind) => oddities.map((fields) => ({ ...kind, fields })));

describe('optional fields of a response', () => {
  it.each(odditiesOfEach)(
    'may be odd in the response to an order, which one request places: $kind, $fields',
    async ({ path, place, fields }) => {
      const { foreign, network, exchange } = setup({ premises: { fields } });
      const report = follow(place(exchange, 'a'));
      await seconds(60);
      expectTruth(foreign, 'a', report, 'placed');
      expect(network.departures.map((departure) => departure.path)).toEqual([path]);
    },
  );

  it.each(odditiesOfEach)(
    'may be odd in the lists that an order is found in: $kind, $fields',
    async ({ path, place, fields }) => {
      const { foreign, network, exchange } = setup({ premises: { fields } });
      network.plan(path, { kind: 'lost after', how: 'reset' });
      const order$ = place(exchange, undefined, patient);
      const report = follow(order$.pipe(retry(2)));
      await seconds(200);
      expectTruth(foreign, order$.client_order_id, report, 'placed');
    },
  );
});

describe('a record that cannot be read', () => {
  it.each(everyKind)('does not hide the order beside it: $kind', async ({ path, place }) => {
    const { foreign, network, exchange } = setup({ premises: { unreadable: 'beside' } });
    await getAcquainted(exchange);
    network.plan(path, { kind: 'lost after', how: 'reset' });
    const report = follow(place(exchange, 'a', patient).pipe(retry(2)));
    await seconds(200);
    expectTruth(foreign, 'a', report, 'placed');
  });

  it.each(everyKind)('may be the order that is looked up, so absence is not proven: $kind', async ({ path, place }) => {
    const { foreign, network, exchange } = setup({ premises: { unreadable: 'instead' } });
    await getAcquainted(exchange);
    network.plan(path, { kind: 'lost after', how: 'reset' });
    const report = follow(place(exchange, 'a', patient).pipe(retry(2)));
    await seconds(300);
    expectTruth(foreign, 'a', report, 'unknown');
  });
});
