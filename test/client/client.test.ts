// The pipeline: retries, events, cancelling, and a process that can end.
import * as endpoints from 'exchange-rx/endpoints';
import {
  createExchange,
  type CallEvent,
  createScheduler,
  createClient,
  defineEndpoint,
  rateLimits,
  type Scheduler,
  type ClientEvent,
  type ClientOptions,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { setTimeout as sleep } from 'node:timers/promises';
import { defer, firstValueFrom, NEVER, Observable, Subject, takeUntil, throwError, timer } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { failureOf } from '../support/failure.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';
import { watch } from '../support/watch.js';
import { faultOf } from '../support/fault-of.js';

const quick = { baseDelayMs: 1 };

describe('retries', () => {
  it('a read is repeated after 503, each time with a new nonce, signature and permit', async () => {
    const sandbox = createSandbox();
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: quick });
    sandbox.fault({ kind: 'status', times: 3, executed: true });
    await firstValueFrom(exchange.account.mainBalance());
    const { requests } = sandbox.ledger;
    expect(requests.map(({ status }) => status)).toEqual([503, 503, 503, 200]);
    expect(new Set(requests.map(({ nonce }) => nonce)).size).toBe(4);
  });

  it.each<[string, () => Promise<Response>]>([
    ['was not sent', () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))],
    [
      'was rejected',
      () => Promise.resolve(jsonAnswer({ code: 2, message: 'Inner validation failed', errors: {} }, 422)),
    ],
  ])('a setting is unknown when its first attempt may have been executed and its last %s', async (_, last) => {
    let sent = 0;
    const exchange = createExchange({
      baseUrl: 'https://exchange.example',
      credentials: { apiKey: 'key', apiSecret: 'secret' },
      retry: { ...quick, maxRetries: 1 },
      fetch: () => {
        sent += 1;
        return sent === 1 ? Promise.reject(new Error('reset')) : last();
      },
    });
    expect(await failureOf(exchange.collateral.setLeverage({ leverage: 2 }))).toMatchObject({ outcome: 'unknown' });
    expect(sent).toBe(2);
  });

  it.each(['status', 'reset', 'truncated'] as const)(
    'an OAuth refresh is not repeated after an ambiguous failure (%s)',
    async (kind) => {
      const sandbox = createSandbox();
      const exchange = createExchange({ ...sandbox.clientOptions(), retry: quick });
      sandbox.fault({ kind, executed: true });
      const { clientId: client_id, clientSecret: client_secret, refreshToken: token } = sandbox.oauthClient;
      expect(await failureOf(exchange.oauth.refreshToken({ client_id, client_secret, token }))).toMatchObject({
        outcome: 'unknown',
      });
      expect(sandbox.ledger.requests).toHaveLength(1);
    },
  );

  it.each(['refuse', 'reset', 'truncated'] as const)(
    'a read is repeated after a connection that failed (%s)',
    async (kind) => {
      const sandbox = createSandbox();
      const exchange = createExchange({ ...sandbox.clientOptions(), retry: quick });
      sandbox.fault({ kind, times: 2 });
      expect(await firstValueFrom(exchange.public.ping())).toEqual(['pong']);
    },
  );

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
    const exchange = createExchange({
      ...sandbox.clientOptions(),
      retry: { ...quick, budget: { max: 5, perRequest: 0 } },
    });
    sandbox.fault({ kind: 'status', times: 1000 });
    await Promise.all(Array.from({ length: 10 }, () => failureOf(exchange.public.ping())));
    expect(sandbox.ledger.requests).toHaveLength(15);
  });

  it('retry: false, of a client or of a call, makes one attempt', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'status', times: 2 });
    await failureOf(createExchange({ ...sandbox.clientOptions(), retry: false }).public.ping());
    await failureOf(createExchange(sandbox.clientOptions()).public.ping({ retry: false }));
    expect(sandbox.ledger.requests).toHaveLength(2);
  });
});

describe('the validity of a call', () => {
  it('ends its attempts: none starts later than validForMs after subscription', async () => {
    vi.useFakeTimers();
    const { exchange, sentAt } = unavailable({ retry: { baseDelayMs: 400, random: () => 1 } });
    const failure = failureOf(exchange.public.ping({ validForMs: 1500 }));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await failure).toMatchObject({ kind: 'unavailable' });
    expect(sentAt).toEqual([0, 400, 1200]);
    vi.useRealTimers();
  });

  it('of a millisecond sends the request now or not at all', async () => {
    vi.useFakeTimers();
    const sandbox = createSandbox();
    const exchange = createExchange({ ...sandbox.clientOptions(), limits: { public: { limit: 1, windowMs: 1000 } } });
    const [now, late] = [exchange.public.ping({ validForMs: 1 }), exchange.public.ping({ validForMs: 1 })].map((call) =>
      watch(call),
    );
    await vi.advanceTimersByTimeAsync(5000);
    expect([now, late]).toMatchObject([[['pong']], [{ kind: 'queue-timeout', outcome: 'not-executed' }]]);
    vi.useRealTimers();
  });

  it('bounds Retry-After: a longer wait ends the call', async () => {
    vi.useFakeTimers();
    const sandbox = createSandbox();
    const exchange = createExchange(sandbox.clientOptions());
    sandbox.fault({ kind: 'status', times: 10, retryAfterSeconds: 3 });
    const seen = [watch(exchange.public.ping({ validForMs: 2000 })), watch(exchange.public.ping({ validForMs: 4000 }))];
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toMatchObject([[{ kind: 'unavailable', retryAfterMs: 3000 }], []]);
    await vi.advanceTimersByTimeAsync(3000);
    expect(sandbox.ledger.requests).toHaveLength(3);
    vi.useRealTimers();
  });

  /** A client whose requests are all responded to with 503, and when they were sent. */
  function unavailable(options: Partial<ClientOptions>) {
    const start = Date.now();
    const sentAt: number[] = [];
    const fetch = () => {
      sentAt.push(Date.now() - start);
      return Promise.resolve(new Response('', { status: 503 }));
    };
    return { exchange: createExchange({ baseUrl: 'https://exchange.example', fetch, ...options }), sentAt };
  }
});

describe('a retry of a setting', () => {
  const path = '/api/v4/order/kill-switch';
  const market = 'BTC_USDT';

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function setup() {
    const sandbox = createSandbox();
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: { baseDelayMs: 1000, random: () => 1 } });
    const arm = (timeout: number | null, of = market) => watch(exchange.orders.setKillSwitch({ market: of, timeout }));
    return { sandbox, exchange, arm, sent: () => sandbox.ledger.requests.length };
  }

  it('is dropped although the later call has ended, or is still in flight', async () => {
    for (const kind of ['slow', 'hang'] as const) {
      const { sandbox, arm, sent } = setup();
      sandbox.fault({ kind: 'status', path, times: 1 });
      arm(60);
      await vi.advanceTimersByTimeAsync(100);
      sandbox.fault(faultOf(kind, { path, delayMs: 10 }));
      arm(null);
      await vi.advanceTimersByTimeAsync(5000);
      expect(sent()).toBe(2);
    }
  });

  it('is dropped for an own endpoint without a key when any later call of it started', async () => {
    const { fetch, sent } = recordingFetch(() => new Response('', { status: 503 }));
    const client = createClient({
      baseUrl: 'https://exchange.example',
      credentials: { apiKey: 'key', apiSecret: 'secret' },
      fetch,
      retry: { maxRetries: 1, baseDelayMs: 10 },
    });
    const own = defineEndpoint({
      name: 'own',
      method: 'POST',
      path: '/own',
      rateLimit: endpoints.spot.placeStockMarketOrder.rateLimits,
      authentication: 'signed',
      safety: 'idempotent',
      request: v.strictObject({ asset: v.string() }),
      response: v.unknown(),
    });
    watch(client.call(own, { asset: 'BTC' }));
    watch(client.call(own, { asset: 'ETH' }));
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent.map(({ body }) => (JSON.parse(body) as { asset: string }).asset)).toEqual(['BTC', 'ETH', 'ETH']);
  });
});

describe('events', () => {
  it('report every request, response and retry, without parameters and secrets', async () => {
    const sandbox = createSandbox();
    const { credentials } = sandbox.clientOptions();
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: quick });
    const seen: CallEvent[] = [];
    exchange.events$.subscribe((event) => {
      if (event.type === 'request' || event.type === 'response' || event.type === 'retry') seen.push(event);
    });
    sandbox.fault({ kind: 'status', times: 1 });
    await firstValueFrom(exchange.account.mainBalance());
    expect(seen.map(({ type, attempt }) => [type, attempt])).toEqual([
      ['request', 1],
      ['response', 1],
      ['retry', 1],
      ['request', 2],
      ['response', 2],
    ]);
    expect(seen[1]).toMatchObject({
      result: 'error',
      kind: 'unavailable',
      outcome: 'none',
      status: 503,
      rateLimit: 'mainAccount',
    });
    expect(seen[4]).toMatchObject({ result: 'ok', status: 200, endpoint: 'account.mainBalance' });
    expect(JSON.stringify(seen)).not.toMatch(new RegExp(`${credentials.apiKey}|${credentials.apiSecret}`));
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
    const seen: string[] = [];
    const exchange = createExchange({ ...sandbox.clientOptions(), scheduler });
    exchange.events$.subscribe(({ type }) => seen.push(type));
    exchange.public.ping().pipe(takeUntil(left)).subscribe();
    await sleep(10);
    expect([given, seen, sandbox.ledger.requests]).toEqual([['unsent'], [], []]);
  });

  it('a request that is unsubscribed while it waits for a permit is never sent', async () => {
    const limits = { public: { limit: 1, windowMs: 600 } };
    const sandbox = createSandbox({ limits });
    const exchange = createExchange({ ...sandbox.clientOptions(), limits });
    await firstValueFrom(exchange.public.ping());
    exchange.public.ping().subscribe().unsubscribe();
    const waiting = exchange.public.serverTime().subscribe();
    await firstValueFrom(timer(20));
    waiting.unsubscribe();
    await firstValueFrom(exchange.public.markets());
    expect(sandbox.ledger.requests.map(({ path }) => path)).toEqual(['/api/v4/public/ping', '/api/v4/public/markets']);
  });
});

describe('a scheduler of the user’s own', () => {
  it('that fails leaves the request unsent, and the failure typed', async () => {
    const sandbox = createSandbox();
    const scheduler = { ...createScheduler(), acquire: () => throwError(() => new Error('out of order')) };
    const exchange = createExchange({ ...sandbox.clientOptions(), scheduler });
    expect(await failureOf(exchange.public.ping())).toMatchObject({
      kind: 'transport',
      outcome: 'not-executed',
      cause: { message: 'out of order' },
    });
    expect(sandbox.ledger.requests).toEqual([]);
  });
});

describe('options', () => {
  const baseUrl = 'https://exchange.example';
  it.each([
    ['baseUrl', { baseUrl: 'exchange.example' }],
    ['baseUrl', { baseUrl: 'http://exchange.example' }],
    ['baseUrl', { baseUrl: 'ftp://exchange.example' }],
    ['baseUrl', { baseUrl: 'https://user:pass@exchange.example' }],
    ['baseUrl', { baseUrl: 'https://exchange.example?a=1' }],
    ['credentials.apiKey', { baseUrl, credentials: { apiKey: 'a b', apiSecret: 's' } }],
    ['credentials.apiSecret', { baseUrl, credentials: { apiKey: 'a', apiSecret: '' } }],
    ['timeoutMs', { baseUrl, timeoutMs: 0 }],
    ['timeoutMs', { baseUrl, timeoutMs: Number.NaN }],
    ['maxInFlight', { baseUrl, maxInFlight: 0 }],
    ['maxInFlight', { baseUrl, maxInFlight: Number.NaN }],
    ['historyLagMs', { baseUrl, historyLagMs: -1 }],
    ['settleMs', { baseUrl, settleMs: -1 }],
    ['settleMs', { baseUrl, settleMs: Number.NaN }],
    ['settleMs', { baseUrl, settleMs: Number.NEGATIVE_INFINITY }],
    ['lookupTimeoutMs', { baseUrl, lookupTimeoutMs: Number.NaN }],
    ['nonceShard', { baseUrl, nonceShard: { index: 2, count: 2 } }],
    ['nonceShard', { baseUrl, nonceShard: { index: 0.5, count: 2 } }],
    ['nonceShard', { baseUrl, nonceShard: { index: -1, count: 2 } }],
    ['limits', { baseUrl, limits: {}, scheduler: createScheduler() }],
    ['limits.public.limit', { baseUrl, limits: { public: { limit: 0, windowMs: 1 } } }],
    ['limits.public.windowMs', { baseUrl, limits: { public: { limit: 1, windowMs: 0 } } }],
  ])('a client with a bad %s is refused when it is made', (field, options) => {
    expect(() => createExchange(options)).toThrow(field);
  });

  it.each(['https://exchange.example/', 'http://localhost:8080', 'http://127.0.0.1:1', 'http://[::1]:80'])(
    '%s is an address',
    (address) => {
      expect(() => createExchange({ baseUrl: address })).not.toThrow();
    },
  );
});

describe('an endpoint of the user’s own', () => {
  it.each(['none', 'form'] as const)(
    'leaves a field that is undefined out of what it sends (authentication %s)',
    async (authentication) => {
      const { fetch, sent } = recordingFetch(() => jsonAnswer({}));
      const endpoint = defineEndpoint({
        name: 'own',
        method: authentication === 'none' ? 'GET' : 'POST',
        path: '/own',
        rateLimit: rateLimits.public,
        authentication,
        safety: 'read',
        request: v.object({ market: v.string(), limit: v.optional(v.number()) }),
        response: v.looseObject({}),
      });
      await firstValueFrom(
        createExchange({ baseUrl: 'https://exchange.example', fetch }).call(endpoint, {
          market: 'BTC_USDT',
          limit: undefined,
        }),
      );
      expect(sent.map(({ url, body }) => url.replace(/^[^?]*\??/, '') + body)).toEqual(['market=BTC_USDT']);
    },
  );

  it.each(['matchesRequest', 'exchangeTime'] as const)(
    'whose %s throws ends in a ResponseError that has it as its cause',
    async (failing) => {
      const bug = new TypeError('a bug in the endpoint');
      const endpoint = defineEndpoint({
        name: 'own',
        method: 'GET',
        path: '/own',
        rateLimit: rateLimits.public,
        authentication: 'none',
        safety: 'read',
        request: v.object({}),
        response: v.looseObject({}),
        [failing]: () => {
          throw bug;
        },
      });
      const { fetch } = recordingFetch(() => jsonAnswer({}));
      const error = await failureOf(
        createExchange({ baseUrl: 'https://exchange.example', retry: false, fetch }).call(endpoint),
      );
      expect(error).toMatchObject({ kind: 'response', endpoint: 'own', outcome: 'none', cause: bug });
    },
  );
});

describe('nonces', () => {
  it('that only increase let private requests go one at a time, and public ones as they like', async () => {
    const sandbox = createSandbox();
    const onWire = { private: 0, public: 0 };
    const most = { private: 0, public: 0 };
    const exchange = createExchange({
      ...sandbox.clientOptions(),
      nonce: 'increasing',
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const kind = request.method === 'GET' ? 'public' : 'private';
        onWire[kind] += 1;
        most[kind] = Math.max(most[kind], onWire[kind]);
        await new Promise((resolve) => setTimeout(resolve, 2));
        onWire[kind] -= 1;
        return sandbox.fetch(request);
      },
    });
    await Promise.all([
      ...Array.from({ length: 5 }, () => firstValueFrom(exchange.account.mainBalance())),
      ...Array.from({ length: 5 }, () => firstValueFrom(exchange.public.ping())),
    ]);
    expect(most).toEqual({ private: 1, public: 5 });
    const nonces = sandbox.ledger.requests.flatMap(({ nonce }) => (nonce === undefined ? [] : [Number(nonce)]));
    expect(nonces).toEqual([...nonces].sort((a, b) => a - b));
    expect(sandbox.ledger.requests.every(({ status }) => status === 200)).toBe(true);
  });

  it('follow the exchange’s clock when two readings show that it is minutes away', async () => {
    const sandbox = createSandbox();
    sandbox.clock.skew(-300_000);
    const exchange = createExchange(sandbox.clientOptions());
    await firstValueFrom(exchange.account.mainBalance());
    await firstValueFrom(exchange.account.mainBalance());
    const timePath = '/api/v4/public/time';
    expect(sandbox.ledger.requests.map(({ path, status }) => (path === timePath ? 'time' : status))).toEqual([
      400,
      'time',
      'time',
      200,
      200,
    ]);
  });
});

describe('the events of a call', () => {
  it('a long wait for a permit, or one that ended without a permit', async () => {
    vi.useFakeTimers();
    const sandbox = createSandbox();
    const exchange = createExchange({ ...sandbox.clientOptions(), limits: { public: { limit: 1, windowMs: 1000 } } });
    const events: ClientEvent[] = [];
    exchange.events$.subscribe((event) => events.push(event));
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
    expect(results).toEqual(['request', 'response']);
  });

  it('to the onEvent of a call, of that call alone', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ kind: 'status', times: 1 });
    const exchange = createExchange({ ...sandbox.clientOptions(), retry: quick });
    const own: ClientEvent[] = [];
    const pong = firstValueFrom(exchange.public.ping({ onEvent: (event) => own.push(event) }));
    await Promise.all([pong, firstValueFrom(exchange.public.serverTime())]);
    // A busy machine may let a permit wait for a millisecond.
    expect(own.map(({ type }) => type).filter((type) => type !== 'wait')).toEqual([
      'request',
      'response',
      'retry',
      'request',
      'response',
    ]);
    expect(own.every((event) => 'endpoint' in event && event.endpoint === 'public.ping')).toBe(true);
  });
});
