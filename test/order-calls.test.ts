// How the orders of a session are looked for, repeated and resumed.
import {
  createExchange,
  createSession,
  defineEndpoint,
  limitGroups,
  mainBalance,
  placeStockMarketOrder,
  RequestError,
  TimeoutError,
  type AcquireOptions,
  type ExchangeOptions,
  type Fetch,
  type OrderLookUp,
  type SessionEvent,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { EMPTY, firstValueFrom, mergeMap, of, throwError } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { jsonAnswer } from './support/recording-fetch.js';
import { watch } from './support/watch.js';
import { withoutIdentifiers } from './support/without-identifiers.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const path = '/api/v4/order/stock_market';
const openPath = '/api/v4/orders';
const endedPath = '/api/v4/trade-account/order/history';
const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;

function setup(options: Partial<ExchangeOptions> = {}) {
  const sandbox = createSandbox({ volatility: 0 });
  const exchange = createExchange({ ...sandbox.clientOptions(), ...options });
  const events: SessionEvent[] = [];
  exchange.events$.subscribe((event) => events.push(event));
  const progress = () => events.flatMap((event) => (event.type === 'order' ? [event.progress] : []));
  return { sandbox, exchange, events, progress };
}

/** An order endpoint of the user's own, whose answer is whatever comes. */
const ownOrder = (lookUp?: OrderLookUp<unknown>) =>
  defineEndpoint({
    name: 'own',
    method: 'POST',
    path,
    group: limitGroups.stockMarket,
    authentication: 'signed',
    safety: 'order',
    request: v.object({ market: v.string(), side: v.string(), amount: v.string(), client_order_id: v.exactOptional(v.string()) }),
    response: v.unknown(),
    ...(lookUp === undefined ? {} : { lookUp }),
  });

describe('what is done before an order', () => {
  const placeAfter = (failure: unknown) => {
    const sandbox = createSandbox({ volatility: 0 });
    const session = createSession({ ...sandbox.clientOptions(), retry: { maxRetries: 1 } }, { beforeOrder: () => throwError(() => failure) });
    const told = watch(session.call(placeStockMarketOrder, order));
    return { sandbox, told };
  };

  it('leaves nothing in doubt when it fails: the order was not sent, whatever is not known of another request', async () => {
    const failure = new TimeoutError('ping', 5000);
    const { sandbox, told } = placeAfter(failure);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(told).toMatchObject([{ kind: 'transport', endpoint: 'placeStockMarketOrder', outcome: 'not-sent', cause: failure }]);
    expect(told).toEqual([expect.objectContaining({ client_order_id: expect.any(String) as string })]);
    expect(sandbox.ledger.requests).toEqual([]);
  });

  it('fails the order as it fails, where that is clear', async () => {
    const failure = new RequestError('own', [{ field: 'amount', message: 'too much for today' }]);
    const { sandbox, told } = placeAfter(failure);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(told).toEqual([failure]);
    expect(sandbox.ledger.requests).toEqual([]);
  });
});

describe('an order that bears its identifier', () => {
  it('is placed without more ado', async () => {
    const { exchange, progress } = setup();
    const told = watch(exchange.spot.placeStockMarketOrder(order));
    await vi.advanceTimersByTimeAsync(1000);
    expect(told).toMatchObject([{ status: 'FILLED' }]);
    expect(progress()).toEqual([]);
  });

  it.each([['a text'], [null], [{ order_id: 1 }], [7]])('is told from an answer that does not: %j', async (answer) => {
    const { exchange, progress } = setup({ fetch: () => Promise.resolve(jsonAnswer(answer)) });
    const told = watch(exchange.call(ownOrder(), order));
    await vi.advanceTimersByTimeAsync(1000);
    expect([told, progress()]).toEqual([[answer], ['not-identified']]);
  });
});

describe('a client whose identifiers are not taken', () => {
  it('does not take a look-up for a proof any more: the order is not sent again', async () => {
    const fetch = withoutIdentifiers(createSandbox({ volatility: 0 }).fetch);
    let loses = false;
    let placing = 0;
    const { exchange } = setup({
      fetch: async (input, init) => {
        const isPlacing = input.endsWith(path);
        if (isPlacing) placing += 1;
        if (isPlacing && loses) throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) });
        return fetch(input, init);
      },
    });
    watch(exchange.spot.placeStockMarketOrder(order));
    await vi.advanceTimersByTimeAsync(1000);
    loses = true;
    const told = watch(exchange.spot.placeStockMarketOrder(order));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toMatchObject([{ kind: 'transport', outcome: 'unknown' }]);
    expect(placing).toBe(2);
  });
});

describe('an order that could not be sent', () => {
  async function triesOf(options: Partial<ExchangeOptions>): Promise<number> {
    const { sandbox, exchange, events } = setup(options);
    sandbox.fault({ kind: 'refuse', path, times: 1000 });
    const told = watch(exchange.spot.placeStockMarketOrder(order));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(told).toMatchObject([{ kind: 'transport', outcome: 'not-sent' }]);
    return events.filter(({ type }) => type === 'request').length;
  }

  it.each([
    ['four times more, where nothing is said', {}, 5],
    ['as often as the policy says', { maxRetries: 1 }, 2],
    ['not at all', false, 1],
    ['as often as the budget of the client has it', { budget: { most: 2, perRequest: 0 } }, 3],
    ['for as long as the policy says', { maxRetries: 100, baseDelayMs: 1000, maxDelayMs: 1000, random: () => 1, maxTotalMs: 3000 }, 5],
  ] as const)('is sent again: %s', async (_, retry, tries) => {
    expect(await triesOf({ retry })).toBe(tries);
  });

  it('waits longer each time, and tells of it', async () => {
    const { sandbox, exchange, events } = setup({ retry: { maxRetries: 3, baseDelayMs: 100, random: () => 1 } });
    sandbox.fault({ kind: 'refuse', path, times: 1000 });
    watch(exchange.spot.placeStockMarketOrder(order));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(events.flatMap((event) => (event.type === 'retry' ? [[event.attempt, event.delayMs]] : []))).toEqual([[1, 100], [2, 200], [3, 400]]);
  });
});

describe('the look-ups of an order', () => {
  it('are urgent, and not repeated by themselves: the next one is', async () => {
    const { sandbox, exchange, events } = setup();
    const { scheduler } = exchange;
    const asked: (readonly [string | undefined, AcquireOptions['priority']])[] = [];
    const spied = createExchange({
      ...sandbox.clientOptions(),
      scheduler: {
        ...scheduler,
        acquire: (group, options) => {
          asked.push([options?.endpoint, options?.priority]);
          return scheduler.acquire(group, options);
        },
      },
    });
    spied.events$.subscribe((event) => events.push(event));
    sandbox.fault({ kind: 'reset', path, executed: true });
    sandbox.fault({ kind: 'status', path: openPath, times: 2 });
    const told = watch(spied.spot.placeStockMarketOrder(order));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(told).toMatchObject([{ status: 'FILLED' }]);
    expect(asked.filter(([endpoint]) => endpoint !== 'placeStockMarketOrder').every(([, priority]) => priority === 'urgent')).toBe(true);
    expect(events.filter(({ type }) => type === 'retry')).toEqual([]);
  });

  it.each([
    [{}, 3000],
    [{ timeoutMs: 10_000 }, 3000],
    [{ timeoutMs: 700 }, 700],
  ])('take 3 s at most, and no longer than other calls: %j', async (options, ms) => {
    const { sandbox, exchange, events } = setup(options);
    const looks = () => events.filter((event) => event.type === 'request' && event.endpoint === 'openOrders').length;
    sandbox.fault({ kind: 'reset', path, executed: true });
    sandbox.fault({ kind: 'hang', path: openPath });
    const told = watch(exchange.spot.placeStockMarketOrder(order));
    await vi.advanceTimersByTimeAsync(ms);
    expect([told, looks()]).toEqual([[], 1]);
    await vi.advanceTimersByTimeAsync(300);
    expect(told).toMatchObject([{ status: 'FILLED' }]);
  });

  it('go on for 20 s, where nothing is said, and else for as long as the client does', async () => {
    for (const [options, ms] of [[{}, 20_000], [{ decideWithinMs: 3000 }, 3000]] as const) {
      const { sandbox, exchange } = setup(options);
      sandbox.fault({ kind: 'reset', path });
      sandbox.fault({ kind: 'reset', path: openPath, times: 1000 });
      const told = watch(exchange.spot.placeStockMarketOrder(order));
      await vi.advanceTimersByTimeAsync(ms - 1100);
      expect(told).toEqual([]);
      await vi.advanceTimersByTimeAsync(1200);
      expect(told).toMatchObject([{ outcome: 'unknown' }]);
    }
  });

  it('are not made for an endpoint without any: its outcome stays unknown, and it is not sent again', async () => {
    const { sandbox, exchange, events } = setup();
    watch(exchange.account.mainBalance());
    await vi.advanceTimersByTimeAsync(100);
    sandbox.fault({ kind: 'reset', path });
    const told = watch(exchange.call(ownOrder(), order));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toMatchObject([{ kind: 'transport', outcome: 'unknown', endpoint: 'own' }]);
    expect(events.filter(({ type }) => type === 'request')).toHaveLength(2);
  });

  it('read the exchange’s clock where no answer has told it', async () => {
    const { sandbox, exchange } = setup();
    sandbox.fault({ kind: 'reset', path });
    const readClock = vi.fn(() => EMPTY);
    watch(exchange.call(ownOrder({ find: () => EMPTY, readClock }), order));
    await vi.advanceTimersByTimeAsync(250);
    expect(readClock).toHaveBeenCalledTimes(1);
  });

  it('look for what was placed since the order was sent, by the exchange’s clock, with two seconds to spare', async () => {
    const { sandbox, exchange } = setup();
    sandbox.clock.skew(600_000);
    watch(exchange.account.mainBalance());
    await vi.advanceTimersByTimeAsync(100);
    sandbox.fault({ kind: 'reset', path });
    const since: number[] = [];
    const sentAt = Date.now();
    const find: OrderLookUp<unknown>['find'] = (_, __, from) => {
      since.push(from());
      return of({});
    };
    watch(exchange.call(ownOrder({ find, readClock: () => EMPTY }), { ...order, client_order_id: 'mine' }));
    await vi.advanceTimersByTimeAsync(10);
    expect(Math.abs((since[0] ?? 0) - (sentAt + 600_000 - 2000))).toBeLessThanOrEqual(1000);
  });

  it('overlook no order for what was learned of the clock since it was sent', async () => {
    const { sandbox, exchange } = setup();
    watch(exchange.account.mainBalance());
    await vi.advanceTimersByTimeAsync(100);
    sandbox.fault({ kind: 'reset', path });
    const since: number[] = [];
    const sentAt = Date.now();
    const find: OrderLookUp<unknown>['find'] = (call, _, from) => {
      since.push(from());
      sandbox.clock.skew(600_000);
      return call(mainBalance, {}).pipe(mergeMap(() => EMPTY));
    };
    watch(exchange.call(ownOrder({ find, readClock: () => EMPTY }), { ...order, client_order_id: 'mine' }));
    await vi.advanceTimersByTimeAsync(3000);
    expect(since.length).toBeGreaterThan(2);
    for (const from of since) expect(Math.abs(from - (sentAt - 2000))).toBeLessThanOrEqual(1000);
  });

  it('that fail with what is no error of the exchange end so, untouched', async () => {
    const { sandbox, exchange } = setup();
    sandbox.fault({ kind: 'reset', path });
    const foreign = new Error('a defect');
    const told = watch(exchange.call(ownOrder({ find: () => throwError(() => foreign), readClock: () => EMPTY }), order));
    await vi.advanceTimersByTimeAsync(1000);
    expect(told).toEqual([foreign]);
    expect(foreign).not.toHaveProperty('client_order_id');
  });
});

describe('resumeOrder', () => {
  it('proves nothing before the last nonce that can have been made can no longer be executed', async () => {
    const { sandbox, exchange } = setup();
    const told = watch(exchange.resumeOrder('never', 'BTC_USDT'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(2500);
    expect(told).toMatchObject([{ kind: 'not-placed', endpoint: 'resumeOrder', client_order_id: 'never' }]);
    expect(sandbox.ledger.orders).toEqual([]);
  });

  it('says that it is the order, without more ado', async () => {
    const { exchange, progress } = setup();
    await firstValueFrom(exchange.spot.placeStockMarketOrder({ ...order, client_order_id: 'before' }));
    const told = watch(exchange.resumeOrder('before', 'BTC_USDT'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(told).toMatchObject([{ client_order_id: 'before', status: 'FILLED' }]);
    expect(progress()).toEqual(['looking', 'found']);
  });

  it.each([
    ['reset', openPath],
    ['status', openPath],
    ['reset', endedPath],
  ] as const)('goes on when a look-up fails for the moment (%s of %s)', async (kind, of) => {
    const { sandbox, exchange } = setup();
    await firstValueFrom(exchange.spot.placeStockMarketOrder({ ...order, client_order_id: 'before' }));
    sandbox.fault({ kind, path: of, times: 2 });
    const told = watch(exchange.resumeOrder('before', 'BTC_USDT'));
    await vi.advanceTimersByTimeAsync(2000);
    expect(told).toMatchObject([{ client_order_id: 'before', status: 'FILLED' }]);
  });

  it('goes on when its nonces are refused for the moment', async () => {
    const { sandbox } = setup();
    const { fetch } = sandbox.clientOptions();
    let refused = 0;
    const exchange = createExchange({
      ...sandbox.clientOptions(),
      fetch: (...request) => {
        refused += 1;
        return refused <= 3 ? Promise.resolve(jsonAnswer({ code: 0, message: 'nonce', errors: {} }, 400)) : fetch(...request);
      },
    });
    const placed = createExchange(sandbox.clientOptions());
    await firstValueFrom(placed.spot.placeStockMarketOrder({ ...order, client_order_id: 'before' }));
    const told = watch(exchange.resumeOrder('before', 'BTC_USDT'));
    await vi.advanceTimersByTimeAsync(2000);
    expect(told).toMatchObject([{ client_order_id: 'before', status: 'FILLED' }]);
  });

  it.each([
    ['signature', 401, 10],
    ['key-disabled', 401, 2],
    ['key-not-authorized', 401, 4],
  ])('ends at once when the key will not be accepted later either: %s', async (reason, status, code) => {
    const { exchange } = setup({ fetch: () => Promise.resolve(jsonAnswer({ code, message: 'no', errors: {} }, status)) });
    const told = watch(exchange.resumeOrder('mine', 'BTC_USDT'));
    await vi.advanceTimersByTimeAsync(10);
    expect(told).toMatchObject([{ kind: 'transport', outcome: 'unknown', cause: { kind: 'auth', reason } }]);
  });

  it('says why nothing could be looked for', async () => {
    const { baseUrl, fetch } = createSandbox().clientOptions();
    const told = watch(createExchange({ baseUrl, fetch }).resumeOrder('mine', 'BTC_USDT'));
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toMatchObject([
      {
        endpoint: 'resumeOrder',
        outcome: 'unknown',
        message: 'resumeOrder: the order could not be looked for: openOrders: credentials are required: the endpoint is private',
      },
    ]);
  });
});

describe('an order of an identifier', () => {
  /** Loses the answer to the first, hides it from the look-ups, and answers the second as told; then shows it. */
  async function sentTwice(client_order_id: string | undefined, status: number, body: unknown) {
    const sandbox = createSandbox({ volatility: 0 });
    let sent = 0;
    let hidden = true;
    const fetch: Fetch = async (url, init) => {
      if (url.endsWith(path)) {
        sent += 1;
        return sent === 1 ? sandbox.fetch(url, init) : jsonAnswer(body, status);
      }
      if (hidden && url.endsWith(openPath)) return jsonAnswer([]);
      if (hidden && url.endsWith(endedPath)) return jsonAnswer({ code: 30, message: 'x', errors: { orderHistory: ['Order history not found.'] } }, 422);
      return sandbox.fetch(url, init);
    };
    const exchange = createExchange({ ...sandbox.clientOptions(), fetch });
    sandbox.fault({ kind: 'reset', path, executed: true });
    const told = watch(exchange.spot.placeStockMarketOrder({ ...order, ...(client_order_id === undefined ? {} : { client_order_id }) }));
    await vi.advanceTimersByTimeAsync(9000);
    hidden = false;
    await vi.advanceTimersByTimeAsync(30_000);
    return { sandbox, sent, told };
  }

  it.each([
    [422, { code: 36, message: 'x' }],
    [422, { code: 36, message: 'x', errors: { clientOrderId: ['This client order id is already used by the current account.'] } }],
    [422, { clientOrderId: ['This client order id is already used by the current account.'] }],
    [200, { success: false, message: { clientOrderId: ['This client order id is already used by the current account.'] }, result: null }],
    [422, { code: 30, message: 'Validation failed', errors: { client_order_id: ['This client order id is already used by the current account.'] } }],
  ])('that is taken when it is sent again is the one that was sent first: HTTP %i %j', async (status, body) => {
    const { sandbox, sent, told } = await sentTwice('mine', status, body);
    expect(sent).toBe(2);
    expect(told).toMatchObject([{ client_order_id: 'mine', order_id: sandbox.ledger.orders[0]?.order_id }]);
    expect(sandbox.ledger.orders).toHaveLength(1);
  });

  it.each([
    [400, { code: 10, message: 'x', errors: { amount: ['Not enough balance.'] } }],
    [422, { code: 30, message: 'x', errors: { side: ['Bad.'] } }],
  ])('that is refused for something else when it is sent again is not placed: HTTP %i %j', async (status, body) => {
    const { sent, told } = await sentTwice('mine', status, body);
    expect(sent).toBe(2);
    expect(told).toMatchObject([{ kind: 'api', outcome: 'rejected', status }]);
  });

  it('that was made for it is its own, however wrong the clock of the exchange is', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const behind = (text: string) => text.replace(/"ctime":(\d+)/, (_, time: string) => `"ctime":${Number(time) - 3600}`);
    const fetch: Fetch = async (url, init) => {
      const answer = await sandbox.fetch(url, init);
      return url.endsWith(endedPath) ? new Response(behind(await answer.text()), { status: answer.status, headers: answer.headers }) : answer;
    };
    const exchange = createExchange({ ...sandbox.clientOptions(), fetch });
    sandbox.fault({ kind: 'reset', path, executed: true });
    const told = watch(exchange.spot.placeStockMarketOrder(order));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(told).toMatchObject([{ order_id: sandbox.ledger.orders[0]?.order_id }]);
    expect(sandbox.ledger.orders).toHaveLength(1);
  });
});
