// The pipeline: retries, events, cancelling, and a process that can end.
import {
  asPromises,
  createExchange,
  createScheduler,
  defineEndpoint,
  type Scheduler,
  type ClientEvent,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import {
  catchError,
  defer,
  filter,
  firstValueFrom,
  lastValueFrom,
  NEVER,
  Observable,
  of,
  Subject,
  takeUntil,
} from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { failureOf } from '../support/failure.js';
import { recordingFetch } from '../support/recording-fetch.js';
import { collected, eventsOf, watch } from '../support/watch.js';
import { useFakeTimers } from '../support/fake-timers.js';

const quick = { baseDelayMs: 1 };

it('is short and readable when it is printed, with its methods', () => {
  const exchange = createExchange({ baseUrl: 'https://exchange.example' });
  expect(inspect(exchange)).toBe(
    'Exchange https://exchange.example { live, account, apiKeys, collateral, compliance, convert, lending, mining, oauth, orders, public, spot, subAccounts }',
  );
  expect(inspect(exchange.compliance)).toContain('listVasps: [Function: compliance.listVasps]');
  expect(asPromises(exchange).orders.cancel.name).toBe('orders.cancel');
});

describe('retries', () => {
  it('a read is repeated after a time-out, and after 429 when its group is open again', async () => {
    const sandbox = createSandbox({ limits: { public: { limit: 2, windowMs: 200 } } });
    const limits = { public: { limit: 10, windowMs: 200 } };
    const exchange = createExchange({ ...sandbox.clientOptions(), limits, retry: quick, timeoutMs: 50 });
    sandbox.fault({ kind: 'hang' });
    const pongs = await Promise.all(Array.from({ length: 4 }, () => firstValueFrom(exchange.public.ping())));
    expect(pongs).toHaveLength(4);
    expect(sandbox.ledger.requests.map(({ status }) => status)).toContain(429);
  });

  it('are bounded by a budget of the client, so that an outage is not multiplied', async () => {
    const sandbox = createSandbox();
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: quick });
    sandbox.fault({ kind: 'status', times: 1000 });
    await Promise.all(Array.from({ length: 100 }, () => failureOf(exchange.public.ping())));
    // The budget is 50 retries, to which each of them adds a tenth.
    expect(sandbox.ledger.requests).toHaveLength(155);
  });
});

describe('a retry of a setting', () => {
  useFakeTimers();

  it('is dropped for an own endpoint without a key when any later call of it started', async () => {
    const { fetch, sent } = recordingFetch(() => new Response('', { status: 503 }));
    const client = createExchange({
      baseUrl: 'https://exchange.example',
      credentials: { apiKey: 'key', apiSecret: 'secret' },
      fetch,
      retry: { maxRetries: 1, baseDelayMs: 10 },
    });
    const request = v.strictObject({ asset: v.string() });
    const own = defineEndpoint({ name: 'own', path: '/own', safety: 'idempotent', request, response: v.unknown() });
    watch(client.call(own, { asset: 'BTC' }));
    watch(client.call(own, { asset: 'ETH' }));
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent.map(({ body }) => (JSON.parse(body) as { asset: string }).asset)).toEqual(['BTC', 'ETH', 'ETH']);
  });
});

describe('cancelling', () => {
  it('a request that is left while it is being granted its permit is never sent, and gives it back', async () => {
    const sandbox = createSandbox();
    const left = new Subject<void>();
    const given: string[] = [];
    const scheduler: Scheduler = {
      acquire: () =>
        new Observable((subscriber) => {
          left.next();
          subscriber.next({ release: (use) => given.push(use) });
          subscriber.complete();
        }),
      usage$: NEVER,
      events$: NEVER,
    };
    const exchange = createExchange({ ...sandbox.clientOptions(), scheduler });
    const seen = collected(exchange.events$, ({ type }) => type);
    exchange.public.ping().pipe(takeUntil(left)).subscribe();
    await sleep(10);
    expect([given, seen, sandbox.ledger.requests]).toEqual([['unsent'], ['end'], []]);
  });
});

describe('the events of a call', () => {
  it('a long wait for a permit, or one that ended without a permit', async () => {
    vi.useFakeTimers();
    const sandbox = createSandbox();
    const exchange = createExchange({ ...sandbox.clientOptions(), limits: { public: { limit: 1, windowMs: 1000 } } });
    const events = collected(exchange.events$);
    const calls = [exchange.public.ping(), exchange.public.ping(), exchange.public.ping({ validForMs: 300 })];
    for (const call of calls) call.subscribe({ error: () => undefined });
    await vi.advanceTimersByTimeAsync(5000);
    vi.useRealTimers();
    const waits = events.filter((event) => event.type === 'wait');
    expect(waits).toMatchObject([
      { endpoint: 'public.ping', rateLimit: 'public', attempt: 1, kind: 'queue-timeout' },
      { endpoint: 'public.ping', rateLimit: 'public', attempt: 1 },
    ]);
    expect(waits[0]?.waitedMs).toBeGreaterThanOrEqual(300);
    expect(waits[1]?.waitedMs).toBeGreaterThanOrEqual(1000);
    expect(waits[1]).not.toHaveProperty('kind');
  });

  it('no wait of a request that leaves in the tick of its subscription, also in a long tick', async () => {
    const scheduler = createScheduler();
    const slow: Scheduler = {
      ...scheduler,
      acquire: (...args) =>
        defer(() => {
          const since = performance.now();
          while (performance.now() - since < 5);
          return scheduler.acquire(...args);
        }),
    };
    const results: string[] = [];
    const exchange = createExchange({ ...createSandbox().clientOptions(), scheduler: slow });
    await firstValueFrom(exchange.public.ping({ onEvent: ({ type }) => results.push(type) }));
    expect(results).toEqual(['request', 'response', 'end']);
  });

  it.each([
    ['an output', {}, { result: 'ok' }],
    ['an error', { status: 500 }, { result: 'error', kind: 'api', outcome: 'none' }],
  ])('end with %s, once', async (_, fault, end) => {
    const sandbox = createSandbox();
    if ('status' in fault) sandbox.fault({ kind: 'status', ...fault });
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: false });
    const ends = collected(exchange.events$.pipe(filter(({ type }) => type === 'end')));
    const order$ = exchange.account.mainBalance();
    await lastValueFrom(order$.pipe(catchError(() => of(undefined))));
    expect(ends).toMatchObject([{ endpoint: 'account.mainBalance', attempt: 1, ...end }]);
  });

  it('end with the outcome of an order whose subscriber unsubscribed', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'hang', executed: true, path: '/api/v4/order/stock_market' });
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: false });
    const ends = eventsOf(exchange, 'end');
    const subscription = exchange.spot
      .placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01' })
      .subscribe();
    await expect.poll(() => sandbox.ledger.orders.length).toBe(1);
    subscription.unsubscribe();
    expect(ends.at(-1)).toMatchObject({
      endpoint: 'spot.placeStockMarketOrder',
      result: 'canceled',
      outcome: 'unknown',
    });
  });

  it('are its requests, responses and retries, and reach the onEvent of that call alone', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'status', times: 1 });
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: quick });
    const own: ClientEvent[] = [];
    const pong = firstValueFrom(exchange.public.ping({ onEvent: (event) => own.push(event) }));
    await Promise.all([pong, firstValueFrom(exchange.public.serverTime())]);
    const of = { endpoint: 'public.ping', rateLimit: 'public' };
    // A busy machine may let a permit wait for a millisecond.
    expect(own.filter(({ type }) => type !== 'wait')).toMatchObject([
      { type: 'request', attempt: 1, ...of },
      { type: 'response', attempt: 1, result: 'error', kind: 'unavailable', outcome: 'none', status: 503, ...of },
      { type: 'retry', attempt: 1 },
      { type: 'request', attempt: 2 },
      { type: 'response', attempt: 2, result: 'ok', status: 200, ...of },
      { type: 'end', attempt: 2, result: 'ok', ...of },
    ]);
  });
});
