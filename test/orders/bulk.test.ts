// Several orders in one request: each is placed at most once, and has a result of its own.
import { createExchange, defineEndpoint, type ExchangeOptions } from 'exchange-rx';
import { collateral } from 'exchange-rx/endpoints';
import * as v from 'valibot';
import { createSandbox } from 'exchange-rx/sandbox';
import fc from 'fast-check';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { RetryBudget } from '../../src/call/index.js';
import { useFakeTimers, within } from '../support/fake-timers.js';
import { faultOf } from '../support/fault-of.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';
import { watch } from '../support/watch.js';

useFakeTimers();

const path = '/api/v4/order/collateral/bulk';
/** The endpoints that place several orders, with their paths. */
const endpoints = [
  ['spot', '/api/v4/order/bulk'],
  ['collateral', path],
] as const;
const buy = { market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '10000' } as const;
const named = (...identifiers: string[]) =>
  identifiers.map((client_order_id) => ({ ...buy, client_order_id }) as const);
const tooLarge = { ...buy, client_order_id: 'b', amount: '100000' };

function setup(options: Partial<ExchangeOptions> = {}, bulk: string = path) {
  const sandbox = createSandbox({ volatility: 0 });
  const exchange = createExchange({ ...sandbox.clientOptions(), ...options });
  const placed = () => sandbox.ledger.orders.map(({ client_order_id }) => client_order_id);
  const requests = () => sandbox.ledger.requests.filter((request) => request.path === bulk).length;
  return { sandbox, exchange, placed, requests };
}

/** Places an order, so that the client has seen the endpoint keep identifiers: without it, absence is not proven. */
async function withEvidence(options: Partial<ExchangeOptions> = {}, group: 'spot' | 'collateral' = 'collateral') {
  const world = setup(options);
  await firstValueFrom(world.exchange[group].placeLimitOrders({ orders: named('first') }));
  return world;
}

/** The outcome of each order, a minute later. */
async function outcomesOf(results$: Observable<readonly { readonly outcome: string }[]>): Promise<string[]> {
  const results = firstValueFrom(results$);
  await vi.advanceTimersByTimeAsync(60_000);
  return (await results).map(({ outcome }) => outcome);
}

describe('the results of several orders', () => {
  it('are in the order of the request, from one request and one permit', async () => {
    const { exchange, placed, requests } = setup();
    const results = await within(0, exchange.collateral.placeLimitOrders({ orders: named('a', 'b', 'c') }));
    const placedAs = (client_order_id: string) => ({ client_order_id, outcome: 'placed', order: { client_order_id } });
    expect(results).toMatchObject([['a', 'b', 'c'].map(placedAs)]);
    expect([placed(), requests()]).toEqual([['a', 'b', 'c'], 1]);
  });

  it.each([
    ['a text', 'orders'],
    ['no order', []],
    ['a number beside an order', [buy, 7]],
  ])('are an error, without a request, for an own endpoint whose schema makes %s of its orders', async (_, orders) => {
    const { exchange, requests } = setup();
    const request = v.pipe(
      v.looseObject({}),
      v.transform(() => ({ orders })),
    );
    const own = defineEndpoint({ ...collateral.placeLimitOrders, name: 'own', request });
    expect(await within(0, exchange.call(own, {}))).toMatchObject([
      {
        kind: 'request',
        endpoint: 'own',
        issues: [{ field: 'orders', message: 'must be a list of orders, at least one' }],
      },
    ]);
    expect(requests()).toBe(0);
  });

  it('need no request when the caller unsubscribes in the same turn', async () => {
    const { exchange, requests } = setup();
    exchange.collateral
      .placeLimitOrders({ orders: named('a', 'b') })
      .subscribe()
      .unsubscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect(requests()).toBe(0);
  });

  it('distinguish a rejected order from the others, which stay placed, for every subscriber', async () => {
    const { exchange, placed, requests } = setup();
    const results$ = exchange.collateral.placeLimitOrders({ orders: [...named('a'), tooLarge, ...named('c')] });
    expect(await outcomesOf(results$)).toEqual(['placed', 'rejected', 'placed']);
    expect(await outcomesOf(results$)).toEqual(['placed', 'rejected', 'placed']);
    expect([placed(), requests()]).toEqual([['a', 'c'], 1]);
  });

  it('have a generated identifier for an order without one, known before the subscription', async () => {
    const { exchange, placed } = setup();
    const results$ = exchange.collateral.placeLimitOrders({ orders: [buy, ...named('b')] });
    const [generated = '', given] = results$.client_order_ids;
    expect(generated).toMatch(/^[\w-]{32}$/);
    expect(given).toBe('b');
    await firstValueFrom(results$);
    expect(placed()).toEqual([generated, 'b']);
  });
});

describe('a request of several orders that is invalid', () => {
  const { exchange } = setup();
  it.each([
    [{ orders: [] }, 'orders'],
    [{ orders: Array.from({ length: 21 }, () => buy) }, 'orders'],
    [{ orders: named('a', 'a') }, 'orders'],
    [{ orders: [buy, { ...buy, price: '-1' }] }, 'orders.1.price'],
    [{ orders: [{ ...buy, ioc: true, postOnly: true }] }, 'orders.0.ioc'],
    [{ orders: [buy], stopOnFail: 'yes' }, 'stopOnFail'],
  ])('%j fails before it is sent, and names %s', (params, field) => {
    // The compiler refuses these, as it should.
    const call = exchange.collateral.placeLimitOrders as (given: unknown) => Observable<unknown>;
    const results = watch(call(params));
    expect(results).toMatchObject([{ kind: 'request', outcome: 'not-executed', issues: [{ field }] }]);
  });

  it.each([
    [{ orders: [{ ...named('a')[0], price: '-1' }, buy] }, ['a', expect.stringMatching(/^[0-9a-f]{32}$/)]],
    [{ orders: 'a' }, []],
  ])('has the identifiers of its orders: %j', (params, identifiers) => {
    const call = exchange.collateral.placeLimitOrders as (given: unknown) => { readonly client_order_ids: unknown };
    expect(call(params).client_order_ids).toEqual(identifiers);
  });

  it('names the order that breaks a rule of its market, and places the others', async () => {
    const checked = setup({ checkOrders: true });
    const orders = [{ ...buy, client_order_id: 'a', price: '10000.001' }, ...named('b')];
    expect(await within(1000, checked.exchange.collateral.placeLimitOrders({ orders }))).toMatchObject([
      [
        { outcome: 'not-executed', error: { endpoint: 'collateral.placeLimitOrders', issues: [{ field: 'price' }] } },
        { outcome: 'placed' },
      ],
    ]);
    expect(checked.placed()).toEqual(['b']);
  });

  it('does not place an order whose identifier another order of the client has', async () => {
    const { exchange: own, placed } = setup();
    await firstValueFrom(own.collateral.placeLimitOrder({ ...buy, client_order_id: 'a' }));
    const results = await firstValueFrom(own.collateral.placeLimitOrders({ orders: named('a', 'b') }));
    expect(results).toMatchObject([
      { client_order_id: 'a', outcome: 'not-executed', error: { kind: 'request' } },
      { client_order_id: 'b', outcome: 'placed' },
    ]);
    expect(placed()).toEqual(['a', 'b']);
  });
});

describe.each(endpoints)('several %s orders whose response was lost', (group, path) => {
  it('are each found, and none is placed twice', async () => {
    const { sandbox, exchange, placed } = setup({}, path);
    sandbox.fault({ kind: 'reset', path, executed: true });
    const results$ = exchange[group].placeLimitOrders({ orders: named('a', 'b', 'c') });
    expect(await outcomesOf(results$)).toEqual(['placed', 'placed', 'placed']);
    expect(placed()).toEqual(['a', 'b', 'c']);
  });

  it('are placed again once they are proven absent', async () => {
    const { sandbox, exchange, placed } = await withEvidence({}, group);
    sandbox.fault({ kind: 'reset', path, executed: false });
    const results$ = exchange[group].placeLimitOrders({ orders: named('a', 'b') }, { validForMs: 60_000 });
    expect(await outcomesOf(results$)).toEqual(['placed', 'placed']);
    expect(placed().sort()).toEqual(['a', 'b', 'first']);
  });

  it('are decided one by one: a rejected order is not placed by the retry of the others', async () => {
    const { sandbox, exchange, placed } = await withEvidence({}, group);
    const orders = [...named('a'), tooLarge];
    sandbox.fault({ kind: 'reset', path, executed: true });
    const results$ = exchange[group].placeLimitOrders({ orders }, { validForMs: 60_000 });
    expect(await outcomesOf(results$)).toEqual(['placed', 'rejected']);
    expect(placed()).toEqual(['first', 'a']);
  });

  it('are in doubt when the caller unsubscribes while they are in flight', async () => {
    const { sandbox, exchange } = setup({}, path);
    sandbox.fault({ kind: 'hang', path, executed: true });
    const undecided = watch(exchange.undecided$);
    const subscription = exchange[group].placeLimitOrders({ orders: named('a', 'b') }).subscribe();
    await vi.advanceTimersByTimeAsync(100);
    subscription.unsubscribe();
    await vi.advanceTimersByTimeAsync(100);
    expect(undecided.at(-1)).toMatchObject([
      { client_order_id: 'a', endpoint: `${group}.placeLimitOrders` },
      { client_order_id: 'b' },
    ]);
  });
});

describe('stopOnFail', () => {
  it('places nothing after the first rejected order, and says so of each', async () => {
    const { exchange, placed } = await withEvidence();
    const orders = [...named('a'), tooLarge, ...named('c', 'd')];
    const results$ = exchange.collateral.placeLimitOrders({ orders, stopOnFail: true }, { validForMs: 60_000 });
    expect(await outcomesOf(results$)).toEqual(['placed', 'rejected', 'not-executed', 'not-executed']);
    expect(placed()).toEqual(['first', 'a']);
  });

  it('places no order after one that was not sent', async () => {
    const { exchange, placed } = setup({ checkOrders: true });
    const orders = [...named('a'), { ...buy, client_order_id: 'b', price: '10000.001' }, ...named('c', 'd')];
    const notSent = (issue: object) => ({ outcome: 'not-executed', error: { issues: [issue] } });
    const message: unknown = expect.stringContaining('an order before this one, which was not sent');
    const behind = notSent({ field: 'stopOnFail', message });
    expect(await within(1000, exchange.collateral.placeLimitOrders({ orders, stopOnFail: true }))).toMatchObject([
      [{ outcome: 'placed' }, notSent({ field: 'price' }), behind, behind],
    ]);
    expect(placed()).toEqual(['a']);
  });

  it('sends no order a second time after a lost response', async () => {
    const { sandbox, exchange, placed, requests } = await withEvidence();
    sandbox.fault({ kind: 'reset', path, executed: false });
    const both = { orders: named('a', 'b'), stopOnFail: true };
    const results$ = exchange.collateral.placeLimitOrders(both, { validForMs: 60_000 });
    expect(await outcomesOf(results$)).toEqual(['not-executed', 'not-executed']);
    expect(placed()).toEqual(['first']);
    expect(requests()).toBe(2);
  });
});

/** A client of an exchange that responds to the request of several orders with this, and finds no order. */
function respondingWith(response: (orders: readonly Record<string, unknown>[]) => unknown) {
  const lists: Readonly<Record<string, readonly [body: unknown, status: number]>> = {
    '/api/v4/public/time': [{ time: 1_790_000_000 }, 200],
    '/api/v4/orders': [[], 200],
    '/api/v4/conditional-orders': [{ records: [], total: 0, limit: 100, offset: 0 }, 200],
    '/api/v4/trade-account/order/history': [
      { code: 30, message: 'Validation failed', errors: { orderHistory: ['OrderHistory was not found.'] } },
      422,
    ],
  };
  const { fetch, sent } = recordingFetch(({ url, body }) => {
    const [list, status] = lists[new URL(url).pathname] ?? [];
    if (list !== undefined) return jsonAnswer(list, status);
    const request = JSON.parse(body) as { readonly orders: readonly Record<string, unknown>[] };
    return jsonAnswer(response(request.orders));
  });
  const credentials = { apiKey: 'key-of-the-account', apiSecret: 'secret-of-the-account' };
  const exchange = createExchange({ baseUrl: 'https://exchange.example', credentials, fetch, lookupTimeoutMs: 1000 });
  const place = (...ids: string[]) => firstValueFrom(exchange.collateral.placeLimitOrders({ orders: named(...ids) }));
  return { place, results: place('a', 'b'), requests: () => sent.filter(({ url }) => url.endsWith('/bulk')).length };
}

const orderOf = (request: Record<string, unknown>, orderId: number) => ({
  ...request,
  client_order_id: undefined,
  orderId,
  type: 'margin limit',
  timestamp: Date.now() / 1000,
  left: request['amount'],
  status: 'OPEN',
});

describe('a request of several orders that failed, and was not executed', () => {
  it('leaves no order in doubt when the caller unsubscribes before the retry', async () => {
    const { sandbox, exchange } = setup();
    sandbox.fault({ kind: 'status', path, status: 429 });
    const undecided = watch(exchange.undecided$);
    const subscription = exchange.collateral.placeLimitOrders({ orders: named('a', 'b') }).subscribe();
    await vi.advanceTimersByTimeAsync(10);
    subscription.unsubscribe();
    await vi.advanceTimersByTimeAsync(100);
    expect(undecided.at(-1)).toEqual([]);
  });

  it('spends the budget of one retry', async () => {
    const { sandbox, exchange, requests } = setup();
    const spend = vi.spyOn(RetryBudget.prototype, 'spend');
    sandbox.fault({ kind: 'refuse', path });
    exchange.collateral.placeLimitOrders({ orders: named('a', 'b', 'c', 'd', 'e') }).subscribe();
    await vi.advanceTimersByTimeAsync(2000);
    expect([requests(), spend.mock.calls.length]).toEqual([2, 1]);
    spend.mockRestore();
  });
});

describe('a response to several orders that is odd', () => {
  type Orders = readonly Record<string, unknown>[];
  const placedAll = (orders: Orders) => orders.map((one, index) => ({ result: orderOf(one, index + 1) }));
  /** The first order is placed; the second one gets this. */
  const beside = (entry: object) => (orders: Orders) => [...placedAll(orders.slice(0, 1)), entry];

  it.each<[string, (orders: Orders) => unknown, readonly string[]]>([
    ['results without errors', placedAll, ['placed', 'placed']],
    ['a shorter list', ([one = {}]) => [{ result: orderOf(one, 1), error: null }], ['placed', 'unknown']],
    ['an empty list', () => [], ['unknown', 'unknown']],
    ['entries without anything', () => [{}, { result: null, error: null }], ['unknown', 'unknown']],
    ['a list that is too long', (orders) => placedAll([...orders, ...orders]), ['unknown', 'unknown']],
    ['the orders in another order', (orders) => placedAll([...orders].reverse()), ['unknown', 'unknown']],
    ['no list', () => ({ result: [] }), ['unknown', 'unknown']],
    [
      'an error with a status for a code, which the order may have survived',
      beside({ error: { code: 500, message: 'Service unavailable' } }),
      ['placed', 'unknown'],
    ],
    ['an entry that cannot be read', beside({ result: { market: 'BTC_USDT', side: null } }), ['placed', 'unknown']],
    ['an entry that is null', (orders) => [null, ...placedAll(orders).slice(1)], ['unknown', 'placed']],
    [
      'an empty list as the result of a rejected order',
      beside({ result: [], error: { code: 10, message: 'Not enough balance.' } }),
      ['placed', 'rejected'],
    ],
    [
      'an order and an error in one entry',
      (orders) => orders.map((one, index) => ({ result: orderOf(one, index + 1), error: { code: 10 } })),
      ['unknown', 'unknown'],
    ],
    [
      'one order for both',
      (orders) => orders.map(({ clientOrderId: _id, ...one }) => ({ result: orderOf(one, 7) })),
      ['unknown', 'unknown'],
    ],
    ['an error without a code', beside({ error: { message: 'Internal' } }), ['placed', 'unknown']],
    [
      'an error with an engine code and no field',
      beside({ error: { code: 10, message: 'Inner validation failed', errors: [] } }),
      ['placed', 'rejected'],
    ],
  ])('%s: every order has its own result', async (_title, response, outcomes) => {
    const { results, requests } = respondingWith(response);
    await vi.advanceTimersByTimeAsync(5000);
    expect((await results).map(({ outcome }) => outcome)).toEqual(outcomes);
    expect(requests()).toBe(1);
  });

  it('is of another request, if one of its orders was reported before', async () => {
    const results: object[] = [];
    const { place, results: first } = respondingWith((orders) => {
      for (const { clientOrderId: _id, ...one } of orders) results.push({ result: orderOf(one, results.length + 1) });
      return [results[0], results.at(-1)];
    });
    expect(await outcomesOf(from(first))).toEqual(['placed', 'placed']);
    expect(await outcomesOf(from(place('c', 'd')))).toEqual(['unknown', 'unknown']);
  });

  it('quotes no secret of the request', async () => {
    const error = { code: 30, message: 'wrong key-of-the-account', errors: { price: ['key-of-the-account'] } };
    const { results } = respondingWith(() => [{ error }, { error }]);
    await vi.advanceTimersByTimeAsync(60_000);
    const text = JSON.stringify(await results);
    expect(text).toContain('rejected');
    expect(text).not.toContain('key-of-the-account');
  });
});

describe('random faults of requests of several orders', () => {
  const responses = ['status', 'reset', 'hang', 'truncated', 'corrupt', 'html'] as const;
  const kinds = [...responses, 'late-arrival', 'replay', 'refuse'] as const;

  it('leave no order doubled, lost or misreported', async () => {
    const faults = fc.array(fc.record({ kind: fc.constantFrom(...kinds), executed: fc.boolean() }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(faults, fc.integer({ min: 1, max: 6 }), fc.boolean(), async (injected, count, stopOnFail) => {
        const { sandbox, exchange, placed } = await withEvidence();
        for (const { kind, executed } of injected) sandbox.fault(faultOf(kind, { path, executed }));
        const identifiers = Array.from({ length: count }, (_, index) => `order-${index}`);
        const results$ = exchange.collateral.placeLimitOrders(
          { orders: named(...identifiers), stopOnFail },
          { validForMs: 40_000, callTimeoutMs: 100_000, timeoutMs: 2000 },
        );
        const results = firstValueFrom(results$);
        await vi.advanceTimersByTimeAsync(110_000);
        const entered = placed().filter((identifier) => identifier !== 'first');
        expect(new Set(entered).size).toBe(entered.length);
        for (const { client_order_id, outcome } of await results) {
          if (outcome === 'placed') expect(entered).toContain(client_order_id);
          if (outcome === 'not-executed' || outcome === 'rejected') expect(entered).not.toContain(client_order_id);
        }
      }),
      { numRuns: 3 },
    );
  }, 60_000);
});
