// How the orders of a client are sent, looked up, retried and resumed.
import * as endpoints from 'exchange-rx/endpoints';
import {
  createExchange,
  createScheduler,
  defineEndpoint,
  isUndecided,
  type ExchangeOptions,
  type Fetch,
  type Order,
  type Scheduler,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { EMPTY, first, firstValueFrom, NEVER, repeat, Subject, takeUntil, throwError, timer } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import type { OrderLookup } from '../../src/endpoint/index.js';
import { failureOf } from '../support/failure.js';
import { useFakeTimers, within } from '../support/fake-timers.js';
import { jsonAnswer } from '../support/recording-fetch.js';
import { collected, watch } from '../support/watch.js';

useFakeTimers();

const endpoint = 'spot.placeStockMarketOrder';
const path = '/api/v4/order/stock_market';
const openPath = '/api/v4/orders';
const endedPath = '/api/v4/trade-account/order/history';
const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;
const limit = { ...order, price: '50000' };
const never = { market: 'BTC_USDT', client_order_id: 'never', endpoint };

function setup(options: Partial<ExchangeOptions> = {}) {
  const sandbox = createSandbox({ volatility: 0 });
  const exchange = createExchange({ ...sandbox.clientOptions(), ...options });
  const events = collected(exchange.events$);
  const progress = () => events.flatMap((event) => (event.type === 'order' ? [event.progress] : []));
  return { sandbox, exchange, events, progress };
}

/** A lookup of the user's own. */
const ownLookup: OrderLookup<unknown> = {
  isConditional: false,
  finds: 'order',
  lists: endpoints.orders,
  outputOf: (found: Order) => found,
};

/** An order endpoint of the user's own, which accepts any response. */
const ownOrder = (lookup?: OrderLookup<unknown>) =>
  defineEndpoint({
    ...{ name: 'own', path, safety: 'order', request: v.looseObject({ market: v.string() }), response: v.unknown() },
    ...(lookup === undefined ? {} : { lookup }),
  });

describe('the market check of an order', () => {
  it('sends no order that breaks a rule, or cannot be checked', async () => {
    const { sandbox, exchange } = setup({ checkOrders: true, retry: false });
    sandbox.fault({ kind: 'status', path: '/api/v4/public/markets', times: 1 });
    const order$ = exchange.spot.placeStockMarketOrder(order);
    const results = await within(100, order$);
    for (const own of [{ amount: '0.0123456789' }, { market: 'NO_SUCH' }])
      results.push(await failureOf(exchange.spot.placeStockMarketOrder({ ...order, ...own })));
    const unread = 'could not be checked: the markets could not be read';
    expect(results).toMatchObject([
      { outcome: 'not-executed', issues: [{ field: 'market', message: unread }], cause: { kind: 'unavailable' } },
      { issues: [{ field: 'amount' }] },
      { issues: [{ field: 'market' }] },
    ]);
    expect(sandbox.ledger.orders).toEqual([]);
    expect(await firstValueFrom(order$)).toMatchObject({ status: 'FILLED' });
  });

  it('reads no markets for a request that has no order', async () => {
    const { sandbox, exchange } = setup({ checkOrders: true });
    await firstValueFrom(exchange.orders.setKillSwitch({ market: 'BTC_USDT', timeout: 60 }));
    expect(sandbox.ledger.requests).toHaveLength(1);
  });

  it('checks a modification, too: one that breaks a rule of the market is not sent', async () => {
    const { sandbox, exchange } = setup({ checkOrders: true });
    const { order_id } = await firstValueFrom(exchange.spot.placeLimitOrder(limit));
    const modify = (values: { readonly price?: string; readonly amount?: string }) =>
      watch(exchange.orders.modify({ market: 'BTC_USDT', order_id, ...values }));
    const results = [modify({ price: '50000.123' }), modify({ amount: '0.000000001' })];
    await vi.advanceTimersByTimeAsync(1000);
    expect(results).toMatchObject([
      [{ kind: 'request', endpoint: 'orders.modify', outcome: 'not-executed', issues: [{ field: 'price' }] }],
      [{ kind: 'request', issues: [{ field: 'amount' }, { field: 'amount' }] }],
    ]);
    expect(sandbox.ledger.requests.map((request) => request.path)).not.toContain('/api/v4/order/modify');
    const modified = modify({ price: '50000.12' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(modified).toMatchObject([{ price: '50000.12' }]);
  });

  it('of a subscription that has ended does not fail the next one', async () => {
    const { sandbox } = setup();
    let refusals = 0;
    const failing = createScheduler();
    const acquire: Scheduler['acquire'] = (rateLimit, options) => {
      if (options?.endpoint !== 'public.markets' || refusals > 0) return failing.acquire(rateLimit, options);
      refusals += 1;
      return throwError(() => new Error('out of order'));
    };
    const scheduler = { acquire, usage$: NEVER, events$: EMPTY };
    const exchange = createExchange({ ...sandbox.clientOptions(), checkOrders: true, retry: false, scheduler });
    const order$ = exchange.spot.placeStockMarketOrder(order);
    const ended = new Subject<void>();
    const results: unknown[][] = [];
    exchange.events$.pipe(first(({ type }) => type === 'wait')).subscribe(() => {
      ended.next();
      results.push(watch(order$));
    });
    results.push(watch(order$.pipe(takeUntil(ended))));
    await vi.advanceTimersByTimeAsync(1000);
    expect(results).toMatchObject([[{ status: 'FILLED' }], []]);
    expect(sandbox.ledger.orders).toHaveLength(1);
  });
});

it.each([['a text'], [null], [{ order_id: 1 }], [7]])(
  'an order that bears its identifier is distinguished from a response without it: %j',
  async (answer) => {
    const { exchange, progress } = setup({ fetch: () => Promise.resolve(jsonAnswer(answer)) });
    const results = await within(1000, exchange.call(ownOrder(), order));
    expect([results, progress()]).toEqual([[answer], ['not-identified']]);
  },
);

describe('the lookups of an order', () => {
  it('are urgent, and not repeated by themselves: the next one is', async () => {
    const scheduler = createScheduler();
    const acquire = vi.spyOn(scheduler, 'acquire');
    const { sandbox, exchange, events } = setup({ scheduler });
    sandbox.fault({ kind: 'reset', path, executed: true });
    sandbox.fault({ kind: 'status', path: openPath, times: 2 });
    const results = await within(10_000, exchange.spot.placeStockMarketOrder(order));
    expect(results).toMatchObject([{ status: 'FILLED' }]);
    const priorities = acquire.mock.calls.map(([, options]) => options?.priority);
    expect(priorities).toEqual(['normal', ...priorities.slice(1).map(() => 'urgent')]);
    expect(events.filter(({ type }) => type === 'retry')).toEqual([]);
  });

  it.each([
    [{}, 3000],
    [{ timeoutMs: 10_000 }, 3000],
    [{ timeoutMs: 700 }, 700],
  ])('take 3 s at most, and no longer than other calls: %j', async (options, ms) => {
    const { sandbox, exchange, events } = setup(options);
    const looks = () => events.filter((event) => event.type === 'request' && event.endpoint === 'orders.open').length;
    sandbox.fault({ kind: 'reset', path, executed: true });
    sandbox.fault({ kind: 'hang', path: openPath });
    const results = await within(ms, exchange.spot.placeStockMarketOrder(order));
    expect([results, looks()]).toEqual([[], 1]);
    await vi.advanceTimersByTimeAsync(300);
    expect(results).toMatchObject([{ status: 'FILLED' }]);
  });

  it('continue a proof in a later subscription', async () => {
    const { sandbox, exchange } = setup({ settleMs: 0, historyLagMs: 20_000 });
    await firstValueFrom(exchange.spot.placeStockMarketOrder(order));
    sandbox.fault({ kind: 'reset', path });
    const order$ = exchange.spot.placeStockMarketOrder(order);
    const first = order$.subscribe();
    await vi.advanceTimersByTimeAsync(10_000);
    first.unsubscribe();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await within(1000, order$)).toMatchObject([{ status: 'FILLED' }]);
    expect(sandbox.ledger.orders).toHaveLength(2);
  });

  it('go on for lookupTimeoutMs, by default 30 s', async () => {
    for (const ms of [30_000, 3000]) {
      const options = ms === 3000 ? { lookupTimeoutMs: ms } : {};
      const { sandbox, exchange } = setup(options);
      sandbox.fault({ kind: 'reset', path });
      sandbox.fault({ kind: 'reset', path: openPath, times: 1000 });
      const results = await within(ms - 2100, exchange.spot.placeStockMarketOrder(order));
      expect(results).toEqual([]);
      await vi.advanceTimersByTimeAsync(2200);
      expect(results).toMatchObject([{ outcome: 'unknown' }]);
    }
  });

  it('are not made for an endpoint without any: its outcome stays unknown, and it is not sent again', async () => {
    const { sandbox, exchange, events } = setup();
    watch(exchange.account.mainBalance());
    await vi.advanceTimersByTimeAsync(100);
    sandbox.fault({ kind: 'reset', path });
    const results = await within(60_000, exchange.call(ownOrder(), order));
    expect(results).toMatchObject([{ kind: 'transport', outcome: 'unknown', endpoint: 'own' }]);
    expect(events.filter(({ type }) => type === 'request')).toHaveLength(2);
    expect(events).toContainEqual(expect.objectContaining({ reason: 'the endpoint has no lookup' }));
  });

  it.each([0, 250, 850, 999])(
    'look for what was placed since the order was sent, by the exchange’s clock, with two seconds to spare (%i ms into a second)',
    async (fraction) => {
      vi.setSystemTime(Date.UTC(2027, 0, 1) + fraction);
      const { sandbox, exchange } = setup();
      sandbox.clock.skew(600_000);
      watch(exchange.account.mainBalance());
      await vi.advanceTimersByTimeAsync(2000);
      const other = createExchange(sandbox.clientOptions());
      watch(other.spot.placeLimitOrder({ ...limit, client_order_id: 'earlier' }));
      await vi.advanceTimersByTimeAsync(6000);
      watch(other.spot.placeLimitOrder({ ...limit, client_order_id: 'mine' }));
      await vi.advanceTimersByTimeAsync(1000);
      sandbox.fault({ kind: 'reset', path, times: 2 });
      const [earlier, mine] = ['earlier', 'mine'].map((client_order_id) =>
        watch(exchange.call(ownOrder(ownLookup), { ...order, client_order_id })),
      );
      await vi.advanceTimersByTimeAsync(10);
      expect([earlier, mine]).toMatchObject([[], [{ client_order_id: 'mine' }]]);
    },
  );

  it('overlook no order because of later readings of the clock', async () => {
    const { sandbox, exchange } = setup();
    watch(exchange.account.mainBalance());
    await vi.advanceTimersByTimeAsync(100);
    sandbox.fault({ kind: 'reset', path, executed: true });
    sandbox.fault({ kind: 'status', path: openPath, times: 2 });
    const results = await within(100, exchange.call(ownOrder(ownLookup), { ...order, client_order_id: 'mine' }));
    sandbox.clock.skew(600_000);
    watch(exchange.account.mainBalance());
    await vi.advanceTimersByTimeAsync(100);
    expect(results).toEqual([]);
    await vi.advanceTimersByTimeAsync(3000);
    expect(results).toMatchObject([{ client_order_id: 'mine' }]);
  });
});

// The last one is of a program without types.
it.each<[string, object, string | RegExp, string]>([
  ['its own', { client_order_id: 'mine' }, 'mine', 'BTC_USDT'],
  ['a generated', {}, /^[0-9a-f]{32}$/, 'BTC_USDT'],
  ['a generated', { client_order_id: 7, market: null }, /^[0-9a-f]{32}$/, ''],
])(
  'an order that is refused before it is sent has %s identifier in its observable and its error, for %j',
  async (_, fields, identifier, market) => {
    const refused$ = setup().exchange.spot.placeStockMarketOrder({ ...order, amount: 'much', ...fields });
    const { client_order_id } = refused$;
    expect(client_order_id).toMatch(identifier);
    expect(refused$).toMatchObject({ endpoint, market });
    expect(await failureOf(refused$)).toMatchObject({ kind: 'request', client_order_id });
  },
);

it('an own endpoint of safety order is refused without a string market, and nothing is sent', async () => {
  const { sandbox, exchange } = setup();
  const request = v.looseObject({});
  const own = defineEndpoint({ name: 'own', path, safety: 'order', request, response: v.unknown() });
  const results = await within(100, exchange.call(own, { side: 'buy' }));
  const issues = [{ field: 'market' }];
  expect(results).toMatchObject([{ kind: 'request', endpoint: 'own', outcome: 'not-executed', issues }]);
  expect(sandbox.ledger.requests).toEqual([]);
});

describe('the validity of an order', () => {
  /**
   * A client that has seen that identifiers are taken, and loses the next order; when it sends the requests of an
   * endpoint, milliseconds from now.
   */
  async function losing(retryAfterSeconds: number) {
    const { sandbox, exchange } = setup();
    await firstValueFrom(exchange.spot.placeStockMarketOrder(order));
    sandbox.fault({ kind: 'status', path, times: 1, retryAfterSeconds });
    const startedAt = Date.now();
    const sent = collected(exchange.events$, (event) => ({ ...event, ms: Date.now() - startedAt }));
    const timesOf = (endpoint: string) =>
      sent.flatMap((event) => (event.type === 'request' && event.endpoint === endpoint ? [event.ms] : []));
    return { order$: exchange.spot.placeStockMarketOrder(order, { validForMs: 60_000 }), timesOf };
  }

  it('causes at most two lookups of the order before its Retry-After is over', async () => {
    const { order$, timesOf } = await losing(40);
    expect(await within(60_000, order$)).toMatchObject([{ kind: 'not-placed' }]);
    expect(timesOf('orders.open')).toHaveLength(2);
    expect(timesOf(endpoint)).toEqual([0]);
  });

  it('lets the order be looked up when a shorter Retry-After is over', async () => {
    const { order$, timesOf } = await losing(4);
    await within(60_000, order$);
    expect(timesOf('orders.open')[0]).toBe(4000);
  });

  it('counts the Retry-After of a lost response in a later subscription, too', async () => {
    const { order$, timesOf } = await losing(10);
    await within(12_000, order$.pipe(takeUntil(timer(3000)), repeat({ count: 4 })));
    expect(timesOf('orders.open')[0]).toBe(10_000);
  });

  it('lets an order be found whose Retry-After is longer than lookupTimeoutMs, although no proof is possible', async () => {
    const { sandbox, exchange } = setup({ settleMs: Number.POSITIVE_INFINITY });
    sandbox.fault({ kind: 'status', path, times: 1, executed: true, retryAfterSeconds: 40 });
    const results = await within(60_000, exchange.spot.placeStockMarketOrder(order));
    expect(results).toMatchObject([{ status: 'FILLED' }]);
  });
});

it('the premises of a client hold for its orders: with a settleMs of Infinity nothing is proven absent', async () => {
  const { sandbox, exchange } = setup({ settleMs: Number.POSITIVE_INFINITY });
  await firstValueFrom(exchange.spot.placeStockMarketOrder(order));
  sandbox.fault({ kind: 'reset', path });
  const results = [exchange.spot.placeStockMarketOrder(order), exchange.orders.find(never)].map(watch);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(results).toMatchObject([[{ outcome: 'unknown' }], [{ outcome: 'unknown' }]]);
});

it.each(['comes', 'is lost'])(
  'an exchange that is set up again behind a running client, and counts from the start, has its orders reported, when the response %s',
  async (what) => {
    let sandbox = createSandbox({ volatility: 0 });
    const exchange = createExchange({ ...sandbox.clientOptions(), fetch: (url, init) => sandbox.fetch(url, init) });
    const twice = () => [0, 1].map(() => watch(exchange.spot.placeStockMarketOrder(order)));
    const before = twice();
    // Two orders of one number may be distinguished by their seconds only.
    await vi.advanceTimersByTimeAsync(2000);
    const numbers = sandbox.ledger.orders.map(({ order_id }) => order_id);
    sandbox = createSandbox({ volatility: 0 });
    if (what === 'is lost') sandbox.fault({ kind: 'reset', path, executed: true, times: 2 });
    const after = twice();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sandbox.ledger.orders.map(({ order_id }) => order_id)).toEqual(numbers);
    const reports = numbers.map((order_id) => [{ order_id }]);
    expect([before, after]).toMatchObject([reports, reports]);
  },
);

describe('orders.find', () => {
  it('proves nothing before the last nonce that can have been made is no longer acceptable, settleMs and historyLagMs later', async () => {
    const { sandbox, exchange } = setup();
    await firstValueFrom(exchange.spot.placeStockMarketOrder(order));
    const results = await within(20_000, exchange.orders.find(never));
    expect(results).toEqual([]);
    await vi.advanceTimersByTimeAsync(2500);
    expect(results).toMatchObject([{ kind: 'not-placed', endpoint: 'orders.find', client_order_id: 'never' }]);
    expect(sandbox.ledger.orders).toHaveLength(1);
    const later = await within(100, exchange.spot.placeStockMarketOrder({ ...order, client_order_id: 'never' }));
    expect(later).toMatchObject([{ client_order_id: 'never' }]);
  });

  it.each([
    ['swapped arguments', 'BTC_USDT', 'my-order-7', ['market']],
    ['an empty identifier', '', 'BTC_USDT', ['client_order_id']],
    ['an identifier of 65 characters', 'x'.repeat(65), 'BTC_USDT', ['client_order_id']],
    ['an identifier with a space', 'my order', 'BTC_USDT', ['client_order_id']],
    ['an invalid market', 'mine', 'BTCUSDT', ['market']],
    ['neither', '', '', ['market', 'client_order_id']],
  ])('refuses %s with a RequestError, and sends nothing', async (_, client_order_id, market, fields) => {
    const { sandbox, exchange } = setup();
    const results = await within(1000, exchange.orders.find({ market, client_order_id }));
    expect(results).toMatchObject([
      { kind: 'request', endpoint: 'orders.find', outcome: 'none', issues: fields.map((field) => ({ field })) },
    ]);
    expect(isUndecided(results[0])).toBe(false);
    expect(sandbox.ledger.requests).toEqual([]);
  });

  it('proves nothing for a market that public/markets does not list, and says so', async () => {
    const { sandbox, exchange } = setup();
    await firstValueFrom(exchange.spot.placeStockMarketOrder(order));
    const unlisted = { market: 'BTC_USDC', client_order_id: 'mine', endpoint };
    const results = await within(60_000, exchange.orders.find(unlisted));
    const message = expect.stringContaining('"BTC_USDC" is not a market that the exchange lists') as string;
    expect(results).toMatchObject([{ kind: 'lookup', outcome: 'unknown', client_order_id: 'mine', message }]);
    expect(sandbox.ledger.requests.filter((request) => request.path === openPath)).toHaveLength(1);
  });

  it('proves nothing while the markets cannot be read, and reads them once for several orders', async () => {
    const { sandbox, exchange } = setup({ retry: false });
    const marketsPath = '/api/v4/public/markets';
    sandbox.fault({ kind: 'status', path: marketsPath, times: 1 });
    const results = await within(40_000, exchange.orders.find({ market: 'BTC_USDT', client_order_id: 'mine' }));
    const message = expect.stringContaining('the markets could not be read') as string;
    expect(results).toMatchObject([{ kind: 'lookup', outcome: 'unknown', message }]);
    for (const id of ['mine', 'other']) watch(exchange.orders.find({ market: 'BTC_USDT', client_order_id: id }));
    await vi.advanceTimersByTimeAsync(100);
    expect(sandbox.ledger.requests.filter((request) => request.path === marketsPath)).toHaveLength(2);
  });
});

it('an order of an identifier that was made for it is its own, even if the clock of the exchange is wrong', async () => {
  const sandbox = createSandbox({ volatility: 0 });
  const behind = (text: string) => text.replace(/"ctime":(\d+)/, (_, time: string) => `"ctime":${Number(time) - 3600}`);
  const fetch: Fetch = async (url, init) => {
    const answer = await sandbox.fetch(url, init);
    return url.endsWith(endedPath) ? new Response(behind(await answer.text()), answer) : answer;
  };
  const exchange = createExchange({ ...sandbox.clientOptions(), fetch });
  sandbox.fault({ kind: 'reset', path, executed: true });
  const results = await within(30_000, exchange.spot.placeStockMarketOrder(order));
  expect(results).toMatchObject([{ order_id: sandbox.ledger.orders[0]?.order_id }]);
  expect(sandbox.ledger.orders).toHaveLength(1);
});
