// Functions that a user passes may throw: a `fetch`, a clock, a scheduler, a listener, the hooks and schemas of an own
// endpoint. A call ends once, in a typed error without secrets of its request. An order that may have been sent is never
// reported as not executed, and no rejection stays unhandled.
import * as endpoints from 'exchange-rx/endpoints';
import {
  createExchange,
  createScheduler,
  defineEndpoint,
  isExchangeError,
  QueueTimeoutError,
  RequestError,
  type ClientOptions,
  type Endpoint,
  type Fetch,
  type Permit,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { inspect } from 'node:util';
import { finalize, firstValueFrom, of, type Observable } from 'rxjs';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OrderLookup } from '../../src/endpoint/index.js';

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeAll(() => {
  process.on('unhandledRejection', note);
});
afterAll(() => {
  process.off('unhandledRejection', note);
});

const credentials = { apiKey: 'key-of-the-account-0123456789', apiSecret: 'secret-of-the-account-0123456789' };
const params = { market: 'BTC_USDT', side: 'buy', amount: '1', client_order_id: 'mine' };
const fine: Fetch = () => Promise.resolve(Response.json({ market: 'BTC_USDT' }));
const lost: Fetch = () => Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));

/** An open order that a lookup takes for the lost one. */
const listed = () => ({
  ...{ orderId: 7, clientOrderId: 'mine', market: 'BTC_USDT', side: 'buy', type: 'limit', status: 'NEW' },
  ...{ timestamp: Date.now() / 1000 + 1, amount: '1', left: '1', dealStock: '0', dealMoney: '0', dealFee: '0' },
  ...{ price: '1', takerFee: '0.1', makerFee: '0.1' },
});

function raise(what = 'no'): never {
  throw new Error(what);
}

interface Case {
  readonly fetch?: Fetch;
  /** Parts of the endpoint. */
  readonly own?: Partial<Endpoint<typeof params>>;
  readonly options?: Partial<ClientOptions>;
  /** Whether the request must have failed. Default true. */
  readonly fails?: boolean;
}

/** Makes the call once, by an endpoint of this safety, and says how it ended. */
async function endingOf(safety: 'read' | 'idempotent' | 'order', { fetch = fine, own, options }: Case) {
  let sent = 0;
  const secrets = Object.values(credentials);
  const counting: Fetch = (url, init) => {
    if (url.endsWith('/own')) sent += 1;
    for (const [name, value] of Object.entries(init.headers)) if (name.startsWith('X-TXC-')) secrets.push(value);
    return fetch(url, init);
  };
  const endpoint = defineEndpoint({
    ...{ name: 'own', path: '/own', request: v.looseObject({}), response: v.looseObject({}) },
    ...own,
    safety,
  } as Parameters<typeof defineEndpoint>[0]);
  const exchange = createExchange({
    ...{ baseUrl: 'https://exchange.example', credentials, fetch: counting, timeoutMs: 200, retry: false },
    lookupTimeoutMs: 0,
    ...options,
  });
  const call$: Observable<unknown> = exchange.call(endpoint as Endpoint<typeof params>, params);
  const errors: unknown[] = [];
  let completions = 0;
  await new Promise<void>((resolve) => {
    call$
      .pipe(finalize(resolve))
      .subscribe({ error: (error: unknown) => errors.push(error), complete: () => (completions += 1) });
  });
  // Unhandled rejections and second endings have happened by then.
  await new Promise((resolve) => setImmediate(resolve));
  const [error] = errors;
  const printed = inspect(error, { depth: 20, showHidden: true });
  return { error, endings: errors.length + completions, sent, leaks: secrets.filter((one) => printed.includes(one)) };
}

function raiseOwn(): never {
  throw new RequestError('roundAmount', [{ field: 'amount', message: 'is not rounded' }]);
}

const throwing = (act: () => never) =>
  v.pipe(
    v.looseObject({}),
    v.transform(() => act()),
  );

/** The whole request, as a careless library would quote it. */
const quoting: Fetch = (_url, { headers, body }) => raise(`${JSON.stringify(headers)} ${body ?? ''}`);
const throwingScheduler = (acquire: () => Observable<Permit>) => ({ scheduler: { ...createScheduler(), acquire } });

const cases: Readonly<Record<string, Case>> = {
  'fetch throws': { fetch: quoting },
  'fetch rejects with an error that quotes the request': { fetch: async (url, init) => quoting(url, init) },
  'fetch resolves to nothing': { fetch: () => Promise.resolve(undefined as unknown as Response) },
  'fetch rejects with an error of this package': {
    fetch: () => Promise.reject(new QueueTimeoutError('own', 'public', 5)),
  },
  'the transport throws': { options: { fetch: undefined, transport: { send: () => raise() } } as never },
  'the schema of the request throws': { own: { request: throwing(raise) } },
  'the schema of the response throws': { own: { response: throwing(raise) } },
  'the schema of the response throws an error of this package': { own: { response: throwing(raiseOwn) } },
  'matchesRequest throws': { own: { matchesRequest: () => raise() } },
  'toCheck throws': {
    fetch: () => Promise.resolve(Response.json([])),
    own: { toCheck: () => raise() },
    options: { checkOrders: true },
    fails: false,
  },
  'exchangeTime throws an error of this package': { own: { exchangeTime: raiseOwn } },
  'key throws': { own: { key: () => raise() }, fails: false },
  'the lookup of an order throws': {
    fetch: (url, init) => (url.endsWith('/own') ? lost(url, init) : Promise.resolve(Response.json([listed()]))),
    own: { lookup: { ...endpoints.spot.placeLimitOrder.lookup, outputOf: () => raise() } as OrderLookup<unknown> },
    options: { lookupTimeoutMs: 100 },
  },
  'the clock throws': { options: { now: () => raise() } },
  'random throws': { fetch: lost, options: { retry: { maxRetries: 1, baseDelayMs: 1, random: () => raise() } } },
  'the scheduler throws': { options: throwingScheduler(() => raise()) },
  'the scheduler does not take a permit back': {
    options: throwingScheduler(() => of({ release: () => raise() })),
    fails: false,
  },
};

describe.each(Object.entries(cases))('when %s', (_, one) => {
  it.each(['read', 'idempotent', 'order'] as const)('a call of safety %s ends once', async (safety) => {
    const { error, endings, sent, leaks } = await endingOf(safety, one);
    expect([endings, leaks, unhandled.splice(0)]).toEqual([1, [], []]);
    if (one.fails !== false) expect(error).toBeDefined();
    if (error === undefined) return;
    if (!isExchangeError(error)) expect.fail('the error is not from this package');
    if (safety === 'order' && sent > 0) expect(error.outcome).toBe('unknown');
  });
});

describe('a listener that throws', () => {
  it('is reported as unhandled and does not affect its call', async () => {
    const uncaught: unknown[] = [];
    const noteError = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', noteError);
    const { public: market } = createExchange(createSandbox().clientOptions());
    const pong = await firstValueFrom(market.ping({ onEvent: () => raise('of the listener') }));
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('uncaughtException', noteError);
    expect(pong).toEqual(['pong']);
    expect(uncaught).toContainEqual(new Error('of the listener'));
  });
});

describe('parameters', () => {
  it('are read once: a later change of the object has no effect', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const { spot } = createExchange(sandbox.clientOptions());
    const order = { market: 'BTC_USDT', side: 'buy' as const, amount: '0.01', client_order_id: 'mine' };
    const orders = { orders: [{ ...order, price: '10000', client_order_id: 'first' }] };
    const placed$ = spot.placeStockMarketOrder(order);
    const all$ = spot.placeLimitOrders(orders);
    order.amount = '5';
    for (const one of orders.orders) one.amount = '5';
    expect(await firstValueFrom(placed$)).toMatchObject({ amount: '0.01' });
    expect(JSON.stringify(await firstValueFrom(all$))).not.toContain('"5"');
  });
});
