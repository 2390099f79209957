// An order that its subscriber leaves may have been executed: events and undecided$ say so, by its identifier.
import { isUndecided, TransportError, type ClientEvent } from 'exchange-rx';
import { timeout, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { paths } from '../../support/foreign-exchange.js';
import {
  acquainted,
  expectTruthAfter,
  follow,
  linked,
  market,
  marketOrder,
  ocoOrder,
  seconds,
  setup,
  useFakeTime,
  type Setup,
} from './setup.js';
import { collected } from '../../support/watch.js';

useFakeTime();

/** One of each way to be looked up. */
const ofEachLookup = [marketOrder, linked, ocoOrder];

const watchUndecided = ({ exchange }: Pick<Setup, 'exchange'>) => collected(exchange.undecided$);

const lefts = (events: readonly ClientEvent[]) =>
  events.filter((event) => event.type === 'order' && event.progress === 'unsubscribed');

it.each(ofEachLookup)(
  'the observable of an order has the identifier of its request: $kind',
  async ({ path, place }) => {
    const { network, exchange } = setup();
    const given = place(exchange, 'a');
    const generated = place(exchange);
    expect(given.client_order_id).toBe('a');
    expect(generated.client_order_id).not.toBe('');
    follow(given);
    await seconds(1);
    follow(generated);
    await seconds(1);
    expect(network.departuresTo(path).map(({ fields }) => fields['clientOrderId'])).toEqual([
      'a',
      generated.client_order_id,
    ]);
  },
);

it('the events of an order all have its identifier, and the number of its call', async () => {
  const { network, exchange, events } = await acquainted({
    limits: { 'spot.placeMarketOrder': { limit: 1, windowMs: 1000 } },
  });
  events.length = 0;
  network.plan(paths.market, { kind: 'refused' }, undefined, { kind: 'lost after', how: 'reset' });
  const reports = ['a', 'b'].map((id) => follow(marketOrder.place(exchange, id)));
  await seconds(60);
  expect(reports.map(({ as }) => as)).toEqual(['placed', 'placed']);
  const ofOrders = events.filter((event) => 'endpoint' in event && event.endpoint === 'spot.placeMarketOrder');
  expect(new Set(ofOrders.map(({ type }) => type))).toEqual(
    new Set(['wait', 'request', 'response', 'retry', 'order', 'end']),
  );
  const calls = new Map<unknown, Set<unknown>>();
  for (const event of ofOrders) {
    expect(event).toMatchObject({
      client_order_id: expect.stringMatching(/^[ab]$/) as string,
      call: expect.any(Number) as number,
    });
    if (!('client_order_id' in event && 'call' in event)) continue;
    calls.set(event.client_order_id, (calls.get(event.client_order_id) ?? new Set()).add(event.call));
  }
  expect([...calls.values()].map((numbers) => numbers.size)).toEqual([1, 1]);
  expect(new Set([...calls.values()].flatMap((numbers) => [...numbers])).size).toBe(2);
});

describe('an order in doubt whose subscriber unsubscribes', () => {
  it.each(ofEachLookup)(
    'is reported by an event, and listed until orders.find decides it: $kind',
    async ({ path, place }) => {
      const all = setup();
      const { foreign, network, exchange, events } = all;
      const lists = watchUndecided(all);
      network.plan(path, { kind: 'lost after', how: 'hang' });
      const before = Date.now();
      const subscription = place(exchange, 'a').subscribe();
      await seconds(0.1);
      subscription.unsubscribe();
      await seconds(0);
      expect(lefts(events)).toMatchObject([{ client_order_id: 'a' }]);
      expect(lists.at(-1)).toMatchObject([{ client_order_id: 'a', market }]);
      const since = lists.at(-1)?.[0]?.since ?? 0;
      expect([since >= before, since <= Date.now()]).toEqual([true, true]);
      await seconds(5);
      expect(watchUndecided(all)).toMatchObject([[{ client_order_id: 'a', market, since }]]);
      await expectTruthAfter(60, foreign, 'a', exchange.orders.find({ market, client_order_id: 'a' }), 'placed');
      expect(lists.at(-1)).toEqual([]);
    },
  );

  it('is listed until a later subscription decides it', async () => {
    const all = setup();
    const lists = watchUndecided(all);
    all.network.plan(marketOrder.path, { kind: 'lost after', how: 'hang' });
    const order$ = marketOrder.place(all.exchange, 'a');
    const hasty = follow(order$.pipe(timeout(50)));
    await seconds(1);
    expect([hasty.as, lists.at(-1)?.length, lefts(all.events).length]).toEqual(['error of another package', 1, 1]);
    await expectTruthAfter(60, all.foreign, 'a', order$, 'placed');
    expect(lists.at(-1)).toEqual([]);
  });
});

describe('an order that is not in doubt', () => {
  it('is not listed while it is queued, and unsubscribing emits no event', async () => {
    const all = await acquainted({ limits: { 'spot.placeMarketOrder': { limit: 1, windowMs: 60_000 } } });
    const lists = watchUndecided(all);
    const subscription = marketOrder.place(all.exchange, 'a').subscribe();
    await seconds(1);
    subscription.unsubscribe();
    await seconds(1);
    expect([lefts(all.events), lists.at(-1)]).toEqual([[], []]);
  });

  it.each(ofEachLookup)('is not listed after it was placed: $kind', async ({ place }) => {
    const all = setup();
    const lists = watchUndecided(all);
    follow(place(all.exchange, 'a'));
    await seconds(1);
    expect([lefts(all.events), lists.at(-1)]).toEqual([[], []]);
  });
});

it('isUndecided is true only for orders of unknown outcome', async () => {
  const all = setup({ retry: false });
  all.network.chance = () => ({ kind: 'lost before', how: 'reset' });
  const { exchange } = all;
  const failures: unknown[] = [];
  const lists = watchUndecided(all);
  const reads = [exchange.account.mainBalance(), exchange.orders.open({ market }), exchange.public.ping()];
  const calls: readonly Observable<unknown>[] = [...reads, exchange.orders.cancel({ market, order_id: 1 })];
  for (const call$ of calls) call$.subscribe({ error: (error: unknown) => failures.push(error) });
  const report = follow(marketOrder.place(exchange, 'a'));
  await seconds(120);
  expect(failures.map(isUndecided)).toEqual([false, false, false, false]);
  expect(failures).toMatchObject(['none', 'none', 'none', 'unknown'].map((outcome) => ({ outcome })));
  const unsent = new TransportError('lost', { endpoint: 'own', outcome: 'not-executed' });
  const others = [undefined, { outcome: 'unknown', client_order_id: 'a' }, unsent.with({ client_order_id: 'a' })];
  expect(others.map(isUndecided)).toEqual([false, false, false]);
  expect([report.as, isUndecided(report.error)]).toEqual(['unknown', true]);
  expect(lists.at(-1)).toMatchObject([{ client_order_id: 'a' }]);
});
