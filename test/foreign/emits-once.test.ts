// An order observable emits at most one order, and then completes, even if the lookup has to read the exchange's clock
// again: a program that counts emitted orders would otherwise count one order twice.
import type { ClientEvent } from 'exchange-rx';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { learn } from '../faults/audit.js';
import { paths } from '../support/foreign-exchange.js';
import {
  expectTruth,
  follow,
  getAcquainted,
  kinds,
  market,
  mistakes,
  seconds,
  setup,
  stockMarket,
  useFakeTime,
} from './setup.js';

useFakeTime();

const hour = 3_600_000;
const offsets = [-3 * hour, 3 * hour, -90_000, 90_000];
const cases = kinds.flatMap((kind) => offsets.map((offsetMs) => ({ ...kind, offsetMs })));

describe('an order whose response is lost while the local clock is set', () => {
  it.each(cases)('is emitted once: $kind, by $offsetMs ms', async ({ path, place, offsetMs }) => {
    let off = 0;
    const { foreign, network, exchange, events } = setup({ now: () => Date.now() + off });
    await getAcquainted(exchange);
    network.plan(path, { kind: 'lost after', how: 'reset' });
    exchange.events$.subscribe((event) => {
      if (isLooking(event)) off = offsetMs;
    });
    const report = follow(place(exchange, 'a', { callTimeoutMs: 120_000 }));
    await seconds(90);
    expectTruth(foreign, 'a', report, 'placed');
    expect(events.filter(isFound)).toHaveLength(1);
  });

  it('completes after it was emitted, although every later lookup fails', async () => {
    let off = 0;
    let isDown = false;
    const { foreign, network, exchange } = setup({ now: () => Date.now() + off });
    await getAcquainted(exchange);
    network.plan(stockMarket.path, { kind: 'lost after', how: 'reset' });
    network.chance = (path) => (isDown && path !== paths.time ? { kind: 'lost before', how: 'reset' } : undefined);
    exchange.events$.subscribe((event) => {
      if (isLooking(event)) off = -3 * hour;
      if (isFound(event)) isDown = true;
    });
    const report = follow(stockMarket.place(exchange, 'a'));
    await seconds(90);
    expectTruth(foreign, 'a', report, 'placed');
  });
});

describe('an order that orders.find looks up in a program whose clock is wrong', () => {
  it.each(cases)('is emitted once: $kind, by $offsetMs ms', async ({ place, offsetMs }) => {
    const { foreign, exchange, connect } = setup();
    follow(place(exchange, 'a'));
    await seconds(2);
    const report = follow(connect({ now: () => Date.now() + offsetMs }).orders.find({ market, client_order_id: 'a' }));
    await seconds(90);
    expectTruth(foreign, 'a', report, 'placed');
  });
});

describe('the tests of orders', () => {
  it('report an order that is emitted twice as a mistake', async () => {
    const { foreign, exchange } = setup();
    const order$ = stockMarket.place(exchange, 'a');
    const first = follow(order$);
    await seconds(1);
    const { order } = first;
    if (order === undefined) throw new Error('not placed');
    expect(mistakes(foreign, 'a', first)).toEqual([]);
    expect(mistakes(foreign, 'a', follow(of(order, order)))).toEqual(['misreported: 1 times more after the order']);
    expect(learn(of(order, order), '0.01')).toMatchObject({
      reported: undefined,
      foreign: { message: expect.stringContaining('0.01') as string },
    });
    expect(learn(of(order), '0.01')).toMatchObject({ reported: { as: 'order' }, foreign: undefined });
  });
});

const isLooking = (event: ClientEvent) => event.type === 'order' && event.progress === 'looking-up';
const isFound = (event: ClientEvent) => event.type === 'order' && event.progress === 'found';
