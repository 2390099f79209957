// Orders whose responses are lost while the live connection pushes the orders of the account: no push decides anything by
// itself, and no order that was pushed is sent again.
import { isUndecided, type ClientOptions, type Fetch } from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import {
  identity,
  lastValueFrom,
  map,
  retry,
  Subject,
  takeUntil,
  timer,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/index.js';
import { Redactor } from '../../src/http/index.js';
import { useFakeTimers } from '../support/fake-timers.js';
import { jsonAnswer as json, recordingFetch } from '../support/recording-fetch.js';
import { createScheduler } from '../../src/scheduler/index.js';
import type { WireFields } from '../../src/endpoint/index.js';
import type { Order } from '../../src/model/order.js';
import { watch } from '../support/watch.js';

const start = 1_790_000_000_000;

useFakeTimers(start);

const ms = (time: number) => vi.advanceTimersByTimeAsync(time);
const notFound = () => json({ code: 30, message: 'Validation failed', errors: { orderHistory: ['not found'] } }, 422);

const values = { market: 'BTC_USDT', side: 'buy', amount: '0.5', price: '60000' } as const;
const params = { ...values, client_order_id: 'mine' } as const;

const { serverTime, markets } = endpoints.public;

/** A client of an exchange that pushes these orders. */
function clientOf(pushedOrders$: Observable<Order>, fetch: Fetch, retries: NonNullable<ClientOptions['retry']>) {
  const credentials = { apiKey: 'key', apiSecret: 'secret' };
  return createClient(
    { baseUrl: 'https://exchange.example', fetch, scheduler: createScheduler(), credentials, retry: retries },
    { serverTime, markets, rateLimits: [], pushedOrders$ },
    new Redactor(),
  );
}

const setting = {
  /** When the order is executed after its request, milliseconds; `Infinity`: never. It is pushed 30 ms later. */
  executedAfterMs: 20,
  /** The response to the request. */
  respond: (_order: object) => new Promise<Response>(() => undefined),
  isPushed: false,
  /** Wait before the order is sent again, milliseconds. */
  retryDelayMs: 100,
  isRetried: true,
  /** By how much `public/time` is ahead, milliseconds. */
  timeAheadMs: 0,
  endpoint: endpoints.spot.placeLimitOrder,
};

/** Places an order, and returns its outcome. */
function place(own: Partial<typeof setting>) {
  const { executedAfterMs, respond, isPushed, retryDelayMs, isRetried, timeAheadMs, endpoint } = { ...setting, ...own };
  const pushes = new Subject<Order>();
  const requests: string[] = [];
  const bodies: string[] = [];
  const open: object[] = [];
  const fetch = async (url: string, init?: { readonly body?: unknown }) => {
    const path = new URL(url).pathname.slice('/api/v4/'.length);
    requests.push(path);
    if (path === 'public/time') return json({ time: Math.floor((Date.now() + timeAheadMs) / 1000) });
    if (path === 'orders') return json(open);
    if (path !== 'order/new') return notFound();
    bodies.push(String(init?.body));
    const order = {
      ...{ ...values, orderId: 7, clientOrderId: 'mine', type: 'limit', status: 'OPEN' },
      ...{ left: '0.5', dealStock: '0', dealMoney: '0', dealFee: '0' },
    };
    if (executedAfterMs < Infinity) {
      setTimeout(() => {
        const timestamp = Date.now() / 1000;
        open.push({ ...order, timestamp });
        if (!isPushed) return;
        const { orderId: order_id, clientOrderId: client_order_id, ...rest } = order;
        setTimeout(() => {
          pushes.next({ ...rest, order_id, client_order_id, timestamp });
        }, 30);
      }, executedAfterMs);
    }
    return respond({ ...order, timestamp: Date.now() / 1000 });
  };
  const client = clientOf(pushes, fetch, isRetried && { baseDelayMs: retryDelayMs, random: () => 1 });
  const results = watch(client.call(endpoint, params));
  return { client, results, requests, bodies, pushes, open };
}

const lie = (): Order => ({
  ...{ order_id: 7, client_order_id: 'mine', market: 'BTC_USDT', side: 'buy', amount: '0.5', status: 'OPEN' },
  timestamp: Date.now() / 1000,
});

it('after a wrong push, a missing response proves nothing: the order is sent once, and its outcome stays unknown', async () => {
  const { results, requests, pushes } = place({ executedAfterMs: Infinity });
  for (let second = 0; second < 60; second += 1) {
    await ms(1000);
    pushes.next(lie());
  }
  expect(requests.filter((path) => path === 'order/new')).toHaveLength(1);
  expect(results.map(isUndecided)).toEqual([true]);
});

describe('an order that was pushed after its lookups found nothing', () => {
  const plain: MonoTypeOperatorFunction<Order> = identity;

  /** The first order shows that the exchange keeps identifiers. The response of the second one is lost. */
  async function placeSecond({
    retryDelayMs = 100,
    callTimeoutMs = 60_000,
    endpoint = endpoints.spot.placeLimitOrder,
    around = plain,
    validForMs = 60_000,
  } = {}) {
    let sent = 0;
    const { client, bodies, pushes, open } = place({
      executedAfterMs: Infinity,
      ...{ retryDelayMs, endpoint },
      respond: (order) => {
        sent += 1;
        return Promise.resolve(sent === 1 ? json(order) : json({ message: 'unavailable' }, 503));
      },
    });
    await ms(100);
    const events: string[] = [];
    client.events$.subscribe((event) => {
      if (event.type === 'order' && event.client_order_id === 'second') events.push(event.progress);
    });
    const results: unknown[] = [];
    const second$ = client.call(endpoint, { ...params, client_order_id: 'second' }, { validForMs, callTimeoutMs });
    second$.pipe(around).subscribe({
      next: ({ order_id }) => results.push(order_id),
      error: (error: unknown) => results.push(isUndecided(error)),
    });
    await ms(10);
    const push = (other: Partial<Order> = {}) => {
      pushes.next({ ...lie(), order_id: 8, client_order_id: 'second', ...other });
    };
    const sends = () => bodies.filter((body) => body.includes('"second"')).length;
    /** It was sent once, and ends so. */
    const expectEnd = async (...outcome: readonly unknown[]) => {
      await ms(60_000);
      expect([sends(), results]).toEqual([1, outcome]);
    };
    return { client, events, results, push, sends, expectEnd, open, second$ };
  }
  const second = () => ({ ...values, timestamp: Date.now() / 1000, orderId: 8, clientOrderId: 'second' });

  const { placeLimitOrder } = endpoints.spot;
  const unnamed = v.transform(({ market, client_order_id }: WireFields) => ({ market, client_order_id }));
  it.each([
    ['some accounts have no canceled orders in their history', placeLimitOrder],
    ['a request without side and amount', { ...placeLimitOrder, request: v.pipe(placeLimitOrder.request, unnamed) }],
  ])('is not reported as absent: %s', async (_, endpoint) => {
    const { push, expectEnd } = await placeSecond({ endpoint });
    push();
    await expectEnd(true);
  });

  it.each<[string, Partial<Order>]>([
    ['of another market', { market: 'ETH_USDT' }],
    ['of another client_order_id', { client_order_id: 'other' }],
    ['of the other side', { side: 'sell' }],
    ['of another amount', { amount: '0.6' }],
    ['of a former order with the same client_order_id', { timestamp: start / 1000 - 60 }],
    ['without a time', { timestamp: undefined }],
  ])('is proven absent all the same after a push %s', async (_, other) => {
    const { events, results, push } = await placeSecond({ validForMs: 5000 });
    push(other);
    await ms(60_000);
    expect(events).toContain('absent');
    expect(results).toEqual([false]);
  });

  it('is not sent again, although its absence was proven: the exchange took longer than settleMs', async () => {
    const { events, push, expectEnd, open } = await placeSecond({ retryDelayMs: 5000 });
    while (!events.includes('absent')) await ms(100);
    open.push(second());
    push();
    await expectEnd(8);
  });

  it('is not sent again by the retry() of its caller, although it had no subscriber when it was pushed', async () => {
    const around = retry<Order>({ count: 1, delay: 5000 });
    const { events, push, expectEnd, open } = await placeSecond({ around, validForMs: 5000 });
    while (!events.includes('absent')) await ms(100);
    await ms(1000);
    push();
    await ms(3000);
    open.push(second());
    await expectEnd(8);
  });

  it('is unknown when it was pushed without a subscriber, and no later lookup finds it', async () => {
    const { results, push, expectEnd, second$ } = await placeSecond({ around: takeUntil(timer(1000)) });
    await ms(2000);
    push();
    second$.subscribe({ error: (error: unknown) => results.push(isUndecided(error)) });
    await expectEnd(true);
  });

  it('is not sent again while it waits for a permit behind other orders', async () => {
    const { rateLimits, ...rest } = endpoints.spot.placeLimitOrder;
    const endpoint = { ...rest, rateLimits: [{ ...rateLimits[0], name: 'one order', limit: 1 }] as const };
    const { client, events, push, sends, expectEnd } = await placeSecond({ endpoint });
    while (sends() === 0) await ms(100);
    for (const client_order_id of ['third', 'fourth'])
      client
        .call(endpoint, { ...params, client_order_id }, { validForMs: 60_000 })
        .subscribe({ error: () => undefined });
    while (!events.includes('absent')) await ms(100);
    await ms(1000);
    push();
    await ms(60_000);
    await expectEnd(true);
  });

  it('is not reported as unsent, although the call ends while it waits for its retry', async () => {
    const { events, push, expectEnd } = await placeSecond({ retryDelayMs: 5000, callTimeoutMs: 18_000 });
    while (!events.includes('absent')) await ms(100);
    push();
    await expectEnd(true);
  });
});

describe('an order that was pushed before the exchange rejects it', () => {
  const rejection = { code: 10, message: 'Validation failed', errors: { amount: ['Not enough balance.'] } };
  const later = (response: () => Response) => () => lastValueFrom(timer(500).pipe(map(response)));

  it.each([
    ['for its balance', () => json(rejection, 422)],
    ['for the rate limit', () => json({ code: 0, message: 'Too Many Attempts.' }, 429)],
    ['for a nonce that was too old', () => json({ code: 0, message: 'Your nonce is more than 5 seconds lesser' }, 400)],
  ])('is looked up, because a copy may have been rejected: %s', async (_, response) => {
    const { results, bodies } = place({
      ...{ isPushed: true, isRetried: false, timeAheadMs: 10_000, respond: later(response) },
    });
    await ms(60_000);
    expect(results).toMatchObject([{ order_id: 7 }]);
    expect(bodies).toHaveLength(1);
  });

  it('is unknown, and not sent again, when its endpoint has no lookup', async () => {
    const { lookup: _lookup, ...endpoint } = endpoints.spot.placeLimitOrder;
    const respond = later(() => json({ code: 0, message: 'Too Many Attempts.' }, 429));
    const { results, bodies } = place({ isPushed: true, timeAheadMs: 10_000, respond, endpoint });
    await ms(60_000);
    expect(results.map(isUndecided)).toEqual([true]);
    expect(bodies).toHaveLength(1);
  });
});

describe('one of several orders that was found by its push', () => {
  /** A client whose requests of several orders get these responses. */
  function several(respond: (ids: readonly string[], count: number) => Response | Promise<Response>) {
    const pushes = new Subject<Order>();
    const open: object[] = [];
    const sent: string[] = [];
    const { fetch } = recordingFetch(({ url, body }) => {
      const { pathname } = new URL(url);
      if (pathname === '/api/v4/public/time') return json({ time: Math.floor(Date.now() / 1000) });
      if (pathname === '/api/v4/orders') return json(open);
      if (pathname !== '/api/v4/order/bulk') return notFound();
      const { orders } = JSON.parse(body) as { readonly orders: readonly { readonly clientOrderId: string }[] };
      const ids = orders.map(({ clientOrderId }) => clientOrderId);
      sent.push(ids.join(' '));
      return respond(ids, sent.length);
    });
    const client = clientOf(pushes, fetch, { baseDelayMs: 100, random: () => 1 });
    const absent: string[] = [];
    client.events$.subscribe((event) => {
      if (event.type === 'order' && event.progress === 'absent') absent.push(event.client_order_id);
    });
    const results: string[] = [];
    const place = (identifiers: readonly string[], endpoint = endpoints.spot.placeLimitOrders) => {
      const orders = identifiers.map((client_order_id) => ({ ...params, client_order_id }));
      client.call(endpoint, { orders }, { validForMs: 60_000 }).subscribe((placed) => {
        results.push(...placed.map(({ client_order_id, outcome }) => `${client_order_id} ${outcome}`));
      });
    };
    /** Lists the order `mine`, and pushes it. */
    const push = () => {
      open.push({ ...wire(), orderId: 7, clientOrderId: 'mine' });
      pushes.next(lie());
    };
    return { sent, absent, results, place, push };
  }

  const wire = () => ({ ...values, type: 'limit', timestamp: Date.now() / 1000, status: 'OPEN' });

  it.each([
    ['comes', 500, 10, 'rejected'],
    ['has come, and the next request waits for a permit', 0, 1000, 'not-executed'],
  ])('is not sent again when a rejection for the rate limit %s', async (_, responseMs, pushMs, outcome) => {
    const limited = () => json({ code: 0, message: 'Too Many Attempts.' }, 429);
    const { sent, results, place, push } = several(() => lastValueFrom(timer(responseMs).pipe(map(limited))));
    place(['mine', 'other']);
    await ms(pushMs);
    push();
    await ms(120_000);
    expect(sent).toEqual(['mine other']);
    expect(results).toEqual(['mine placed', `other ${outcome}`]);
  });

  it('is not sent again when it is pushed while its next request waits for a permit', async () => {
    const { sent, absent, results, place, push } = several((ids, count) => {
      if (count === 2) return json({ message: 'unavailable' }, 503);
      const placed = (clientOrderId: string, index: number) => ({
        result: { ...wire(), orderId: 10 * count + index, clientOrderId },
        error: null,
      });
      return json(ids.map(placed));
    });
    const { rateLimits, ...rest } = endpoints.spot.placeLimitOrders;
    const endpoint = { ...rest, rateLimits: [{ ...rateLimits[0], name: 'one request', limit: 1 }] as const };
    place(['first'], endpoint);
    place(['mine', 'other'], endpoint);
    while (sent.length < 2) await ms(100);
    for (const one of ['third', 'fourth']) place([one], endpoint);
    while (absent.length < 2) await ms(100);
    await ms(1000);
    push();
    await ms(120_000);
    expect(sent).toEqual(['first', 'mine other', 'third', 'fourth', 'other']);
    expect(results.slice(-2)).toEqual(['mine placed', 'other placed']);
  });
});
