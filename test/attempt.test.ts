// One attempt: what becomes of its permit, what is told of it, and what it learns of the exchange's clock.
import { createExchange, type AcquireOptions, type CallEvent, type ExchangeOptions, type Fetch, type Scheduler } from 'exchange-rx';
import { defer, delay, EMPTY, firstValueFrom, NEVER, of, throwError } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from './support/failure.js';
import { jsonAnswer, recordingFetch } from './support/recording-fetch.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const credentials = { apiKey: 'key', apiSecret: 'secret' };
const balances = () => jsonAnswer({});
const failing = (code: string): Fetch => () => Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) }));
/** Does not heed its signal. */
const deaf = (ms: number, answer: () => Promise<Response>): Fetch => () => new Promise((resolve) => setTimeout(resolve, ms)).then(answer);
const hanging: Fetch = () => new Promise(() => undefined);

/** A client whose scheduler grants everything after a while, and keeps what is asked for and given back. */
function setup(options: Partial<ExchangeOptions> = {}, afterMs = 0) {
  const given: unknown[][] = [];
  const asked: AcquireOptions[] = [];
  const events: CallEvent[] = [];
  const scheduler: Scheduler = {
    acquire: (_, acquireOptions = {}) =>
      defer(() => {
        asked.push(acquireOptions);
        const permit$ = of({ release: (...use: unknown[]) => given.push(use.filter((value) => value !== undefined)) });
        return afterMs === 0 ? permit$ : permit$.pipe(delay(afterMs));
      }),
    usage$: NEVER,
    events$: EMPTY,
    reopen: () => undefined,
  };
  const { fetch, sent } = recordingFetch(balances);
  const exchange = createExchange({ baseUrl: 'https://exchange.example', credentials, retry: false, scheduler, fetch, ...options });
  exchange.events$.subscribe((event) => {
    if (event.type === 'wait' || event.type === 'request' || event.type === 'response' || event.type === 'retry') events.push(event);
  });
  /** Subscribes, and tells what came of it so far. */
  const balance = (timeoutMs = 1000) => {
    const told: unknown[] = [];
    const subscription = exchange.account.mainBalance(undefined, { timeoutMs }).subscribe({ next: (value) => told.push(value), error: (error: unknown) => told.push(error) });
    return { told, subscription };
  };
  return { exchange, given, asked, events, sent, balance };
}

describe('the permit of a request', () => {
  const refusal = () => Promise.resolve(jsonAnswer({ code: 1, message: 'no', errors: {} }, 422));
  const limited = () => Promise.resolve(new Response('', { status: 429, headers: { 'retry-after': '7' } }));

  it.each<[string, Fetch | undefined, unknown[]]>([
    ['that is answered is given back as answered', undefined, ['answered']],
    ['that is refused, too', refusal, ['answered']],
    ['whose answer cannot be read, too', () => Promise.resolve(new Response('<html>')), ['answered']],
    ['that met a limit tells for how long the exchange asks to wait', limited, ['rate-limited', 7000]],
    ['that was never sent is free', failing('ECONNREFUSED'), ['unsent']],
    ['whose connection was lost may still arrive', failing('ECONNRESET'), ['unknown']],
    ['that is not answered in time may still arrive', hanging, ['unknown']],
  ])('%s', async (_, fetch, use) => {
    const { given, balance } = setup(fetch === undefined ? {} : { fetch });
    balance();
    await vi.advanceTimersByTimeAsync(2000);
    expect(given).toEqual([use]);
  });

  it('that is left may still arrive', async () => {
    const { given, balance } = setup({ fetch: hanging });
    const { subscription } = balance();
    await vi.advanceTimersByTimeAsync(10);
    subscription.unsubscribe();
    expect(given).toEqual([['unknown']]);
  });

  it('that there is no nonce for is free, and the request is not sent', async () => {
    const { exchange, given, sent } = setup({ nonceLane: { lane: 0, of: 3000 }, now: () => 3_000_000 });
    const calls = Array.from({ length: 3 }, () => firstValueFrom(exchange.account.mainBalance()));
    const results = await Promise.allSettled(calls);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(results[2]).toMatchObject({
      reason: { kind: 'request', endpoint: 'mainBalance', issues: [{ field: 'nonce', message: 'is not free: more than one request a millisecond' }] },
    });
    expect(sent).toHaveLength(2);
    expect(given).toContainEqual(['unsent']);
  });

  it('is given back once, and one end is told, when an answer comes after its time', async () => {
    for (const late of [deaf(100, () => Promise.resolve(balances())), deaf(100, () => Promise.reject(new Error('late')))]) {
      const { given, events, balance } = setup({ fetch: late });
      const { told } = balance(50);
      const { subscription } = balance();
      await vi.advanceTimersByTimeAsync(60);
      subscription.unsubscribe();
      await vi.advanceTimersByTimeAsync(1000);
      expect(told).toMatchObject([{ kind: 'timeout', timeoutMs: 50 }]);
      expect(given).toEqual([['unknown'], ['unknown']]);
      expect(events.filter(({ type }) => type === 'response')).toHaveLength(2);
    }
  });

  it('is asked for with what the call says, and no more', () => {
    const { exchange, asked } = setup({ fetch: hanging });
    exchange.public.ping().subscribe();
    exchange.public.ping(undefined, { priority: 'background', expiresInMs: 5 }).subscribe();
    expect(asked).toMatchObject([{ endpoint: 'ping', priority: 'normal' }, { endpoint: 'ping', priority: 'background', expiresInMs: 5 }]);
    expect(asked[0]).not.toHaveProperty('expiresInMs');
  });

  it('is not asked for when a private request cannot be signed', async () => {
    const { fetch } = recordingFetch(balances);
    const acquire = vi.fn(() => EMPTY);
    const exchange = createExchange({ baseUrl: 'https://exchange.example', fetch, scheduler: { acquire, usage$: NEVER, events$: NEVER, reopen: () => undefined } });
    expect(await failureOf(exchange.account.mainBalance())).toMatchObject({
      endpoint: 'mainBalance',
      issues: [{ field: 'credentials', message: 'are required: the endpoint is private' }],
    });
    expect(acquire).not.toHaveBeenCalled();
  });
});

describe('what is told of a request', () => {
  it('is how long it took, to the end of its answer', async () => {
    const { events, balance } = setup({ fetch: deaf(30, () => Promise.resolve(balances())) });
    await vi.advanceTimersByTimeAsync(500);
    balance();
    await vi.advanceTimersByTimeAsync(30);
    expect(events).toEqual([
      { type: 'request', endpoint: 'mainBalance', group: 'mainBalance', attempt: 1 },
      { type: 'response', endpoint: 'mainBalance', group: 'mainBalance', attempt: 1, durationMs: 30, result: 'ok', status: 200 },
    ]);
  });

  it('is that it was left, and how long it was on the wire', async () => {
    const { events, balance } = setup({ fetch: hanging });
    const { subscription } = balance();
    await vi.advanceTimersByTimeAsync(40);
    subscription.unsubscribe();
    expect(events.at(-1)).toMatchObject({ type: 'response', result: 'canceled', durationMs: 40 });
  });

  it.each([
    [1, [{ type: 'wait', endpoint: 'mainBalance', group: 'mainBalance', attempt: 1, waitedMs: 1 }]],
    [25, [{ type: 'wait', endpoint: 'mainBalance', group: 'mainBalance', attempt: 1, waitedMs: 25 }]],
    [0, []],
  ])('is its wait for a permit, of a millisecond or more: %i ms', async (ms, waits) => {
    const { events, balance } = setup({}, ms);
    await vi.advanceTimersByTimeAsync(500);
    balance();
    await vi.advanceTimersByTimeAsync(100);
    expect(events.filter(({ type }) => type === 'wait')).toEqual(waits);
  });

  it('is that a scheduler gave no permit', async () => {
    for (const acquire of [() => EMPTY, () => throwError(() => new Error('out of order'))]) {
      const { exchange, events } = setup({ scheduler: { acquire, usage$: NEVER, events$: EMPTY, reopen: () => undefined } });
      expect(await failureOf(exchange.public.ping())).toMatchObject({ message: 'ping: the scheduler gave no permit' });
      expect(events).toMatchObject([{ type: 'wait', kind: 'transport' }]);
    }
  });
});

describe('a nonce that was refused', () => {
  const answering = (status: number, code: number) => {
    let requests = 0;
    const fetch: Fetch = () => {
      requests += 1;
      return Promise.resolve(jsonAnswer({ code, message: 'no', errors: {} }, status));
    };
    return { ...setup({ fetch, retry: {} }), requests: () => requests };
  };

  it('is replaced at once, three times in all, and each time is told', async () => {
    const { balance, events, requests } = answering(400, 0);
    const { told } = balance();
    await vi.advanceTimersByTimeAsync(1);
    expect(requests()).toBe(3);
    expect(told).toMatchObject([{ kind: 'auth', reason: 'nonce' }]);
    const retries = events.filter(({ type }) => type === 'retry');
    expect(retries).toMatchObject([1, 2].map((attempt) => ({ attempt, delayMs: 0, kind: 'auth', outcome: 'rejected', endpoint: 'mainBalance' })));
  });

  it('is the only refusal of who asks that is', async () => {
    const { balance, requests } = answering(401, 10);
    const { told } = balance();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toMatchObject([{ kind: 'auth', reason: 'signature' }]);
    expect(requests()).toBe(1);
  });
});

describe('the exchange’s clock', () => {
  const ahead = 600_000;
  const dated = (body: unknown): Fetch => () =>
    Promise.resolve(new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json', date: new Date(Date.now() + ahead).toUTCString() } }));

  /** By how much the nonce of the next private request is ahead of the local clock less the two seconds that it is behind. */
  async function nonceAheadBy(first: Fetch, call: (exchange: ReturnType<typeof createExchange>) => Promise<unknown>): Promise<number> {
    const { fetch, sent } = recordingFetch(balances);
    let requests = 0;
    const { exchange } = setup({
      fetch: (...request) => {
        requests += 1;
        return requests === 1 ? first(...request) : fetch(...request);
      },
    });
    await call(exchange);
    await firstValueFrom(exchange.account.mainBalance());
    const { nonce } = JSON.parse(sent[0]?.body ?? '{}') as { nonce: string };
    return Number(nonce) - Date.now() + 2000;
  }

  it('is learned from the date of a private answer', async () => {
    expect(await nonceAheadBy(dated({}), (exchange) => firstValueFrom(exchange.account.mainBalance()))).toBe(ahead + 500);
  });

  it('is not learned from the date of a public one, which may be cached', async () => {
    expect(await nonceAheadBy(dated(['pong']), (exchange) => firstValueFrom(exchange.public.ping()))).toBe(0);
  });

  it('is learned from the server time', async () => {
    const time: Fetch = () => Promise.resolve(jsonAnswer({ time: (Date.now() + ahead) / 1000 }));
    expect(await nonceAheadBy(time, (exchange) => firstValueFrom(exchange.public.serverTime()))).toBe(ahead + 1000);
  });
});

describe('private requests', () => {
  it.each([
    ['window', true, 3],
    ['increasing', undefined, 1],
  ] as const)('of the nonce mode %s say so, and are on the wire together only when they may', async (nonce, nonceWindow, together) => {
    let most = 0;
    let onWire = 0;
    const { fetch, sent } = recordingFetch(balances);
    const exchange = createExchange({
      baseUrl: 'https://exchange.example',
      credentials,
      nonce,
      fetch: async (...request) => {
        onWire += 1;
        most = Math.max(most, onWire);
        await new Promise((resolve) => setTimeout(resolve, 10));
        onWire -= 1;
        return fetch(...request);
      },
    });
    for (let call = 0; call < 3; call += 1) exchange.account.mainBalance().subscribe();
    await vi.advanceTimersByTimeAsync(1000);
    expect(most).toBe(together);
    expect(sent.map(({ body }) => (JSON.parse(body) as { nonceWindow?: boolean }).nonceWindow)).toEqual(Array(3).fill(nonceWindow));
  });
});
