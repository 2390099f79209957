// One attempt: its permit, its events, its nonce, and what it learns of the exchange's clock.
import {
  ClientRegistry,
  createExchange,
  type AcquireOptions,
  type CallEvent,
  type ExchangeOptions,
  type Fetch,
  type Scheduler,
} from 'exchange-rx';
import { concat, defer, delay, EMPTY, firstValueFrom, NEVER, of, throwError, type Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.js';
import { failureOf } from '../support/failure.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';

useFakeTimers(1_000_000_000_000);

const credentials = { apiKey: 'key', apiSecret: 'secret' };
const balances = () => jsonAnswer({});
const failing =
  (code: string): Fetch =>
  () =>
    Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) }));
/** Does not heed its signal. */
const deaf =
  (ms: number, answer: () => Promise<Response>): Fetch =>
  () =>
    new Promise((resolve) => setTimeout(resolve, ms)).then(answer);
const hanging: Fetch = () => new Promise(() => undefined);
const noScheduler = { usage$: NEVER, events$: EMPTY };

/** A client whose scheduler grants everything after a while, and records the requested and the released permits. */
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
  };
  const { fetch, sent } = recordingFetch(balances);
  const exchange = createExchange({
    baseUrl: 'https://exchange.example',
    credentials,
    retry: false,
    scheduler,
    fetch,
    ...options,
  });
  exchange.events$.subscribe((event) => {
    if (event.type === 'wait' || event.type === 'request' || event.type === 'response' || event.type === 'retry')
      events.push(event);
  });
  /** Subscribes, and tells what came of it so far. */
  const balance = (timeoutMs = 1000) => {
    const results: unknown[] = [];
    const subscription = exchange.account
      .mainBalance({ timeoutMs })
      .subscribe({ next: (value) => results.push(value), error: (error: unknown) => results.push(error) });
    return { results, subscription };
  };
  return { exchange, given, asked, events, sent, balance };
}

describe('the permit of a request', () => {
  const refusal = () => Promise.resolve(jsonAnswer({ code: 1, message: 'no', errors: {} }, 422));
  const limited = () => Promise.resolve(new Response('', { status: 429, headers: { 'retry-after': '7' } }));

  it.each<[string, Fetch | undefined, unknown[]]>([
    ['that is answered is given back as answered', undefined, ['responded']],
    ['that is refused, too', refusal, ['responded']],
    ['whose answer cannot be read, too', () => Promise.resolve(new Response('<html>')), ['responded']],
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

  it('is the request’s, whatever its scheduler reports after the grant', async () => {
    const given: unknown[] = [];
    const permit = { release: (use: unknown) => given.push(use) };
    const acquire = () =>
      concat(
        of(permit),
        throwError(() => new Error('out of order')),
      );
    const { balance, events, sent } = setup({ scheduler: { ...noScheduler, acquire } });
    const { results } = balance();
    await vi.advanceTimersByTimeAsync(10);
    expect(results).toEqual([{}]);
    expect(sent).toHaveLength(1);
    expect(given).toEqual(['responded']);
    expect(events).toMatchObject([{ type: 'request' }, { type: 'response', result: 'ok' }]);
  });

  it('that there is no nonce for is free, and the request is not sent', async () => {
    const [registry, baseUrl] = [new ClientRegistry(), 'https://203.0.113.7'];
    registry.usedNonces(undefined, baseUrl, 'key').push({ from: 2_998_000, last: 3_002_998 });
    const { exchange, given, sent } = setup({ registry, baseUrl, now: () => 3_000_000 });
    const calls = Array.from({ length: 3 }, () => firstValueFrom(exchange.account.mainBalance()));
    const results = await Promise.allSettled(calls);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(results[2]).toMatchObject({
      reason: {
        kind: 'request',
        endpoint: 'account.mainBalance',
        issues: [{ field: 'nonce', message: 'is not available: at most one request per millisecond can be signed' }],
      },
    });
    expect(sent).toHaveLength(2);
    expect(given).toContainEqual(['unsent']);
  });

  it('is released once, and one end is reported, when a response comes after the timeout', async () => {
    for (const late of [
      deaf(100, () => Promise.resolve(balances())),
      deaf(100, () => Promise.reject(new Error('late'))),
    ]) {
      const { given, events, balance } = setup({ fetch: late });
      const { results } = balance(50);
      const { subscription } = balance();
      await vi.advanceTimersByTimeAsync(60);
      subscription.unsubscribe();
      await vi.advanceTimersByTimeAsync(1000);
      expect(results).toMatchObject([{ kind: 'timeout', timeoutMs: 50 }]);
      expect(given).toEqual([['unknown'], ['unknown']]);
      expect(events.filter(({ type }) => type === 'response')).toHaveLength(2);
    }
  });

  it('is waited for only as long as the call is still valid, whatever its earlier attempts took', async () => {
    const { exchange, asked } = setup({ fetch: hanging, retry: { baseDelayMs: 100, random: () => 1 } });
    exchange.public.ping({ timeoutMs: 300, validForMs: 1000 }).subscribe({ error: () => undefined });
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked.map(({ maxWaitMs }) => maxWaitMs)).toEqual([1000, 600, 100]);
  });

  it('is not requested when a private request cannot be signed', async () => {
    const { fetch } = recordingFetch(balances);
    const acquire = vi.fn(() => EMPTY);
    const exchange = createExchange({
      baseUrl: 'https://exchange.example',
      fetch,
      scheduler: { acquire, usage$: NEVER, events$: NEVER },
    });
    expect(await failureOf(exchange.account.mainBalance())).toMatchObject({
      endpoint: 'account.mainBalance',
      issues: [{ field: 'credentials', message: 'are required: the endpoint is private' }],
    });
    expect(acquire).not.toHaveBeenCalled();
  });
});

describe('the events of a request', () => {
  it('has the duration to the end of the response', async () => {
    const { events, balance } = setup({ fetch: deaf(30, () => Promise.resolve(balances())) });
    await vi.advanceTimersByTimeAsync(500);
    balance();
    await vi.advanceTimersByTimeAsync(30);
    expect(events).toEqual([
      { type: 'request', endpoint: 'account.mainBalance', rateLimit: 'mainAccount', call: 1, attempt: 1 },
      {
        type: 'response',
        endpoint: 'account.mainBalance',
        rateLimit: 'mainAccount',
        call: 1,
        attempt: 1,
        durationMs: 30,
        result: 'ok',
        status: 200,
      },
    ]);
  });

  it('reports an unsubscription with the time in flight', async () => {
    const { events, balance } = setup({ fetch: hanging });
    const { subscription } = balance();
    await vi.advanceTimersByTimeAsync(40);
    subscription.unsubscribe();
    expect(events.at(-1)).toMatchObject({ type: 'response', result: 'canceled', durationMs: 40 });
  });

  it.each([1, 25, 0])('is its wait for a permit, of a millisecond or more: %i ms', async (ms) => {
    const { events, balance } = setup({}, ms);
    await vi.advanceTimersByTimeAsync(500);
    balance();
    await vi.advanceTimersByTimeAsync(100);
    const wait = { type: 'wait', endpoint: 'account.mainBalance', rateLimit: 'mainAccount', call: 1, attempt: 1 };
    expect(events.filter(({ type }) => type === 'wait')).toEqual(ms === 0 ? [] : [{ ...wait, waitedMs: ms }]);
  });
});

describe('the events of a call', () => {
  it('have its number, the same for all its attempts', async () => {
    const { exchange, events } = setup({ fetch: failing('ECONNRESET'), retry: { maxRetries: 1, baseDelayMs: 1 } });
    const calls: readonly Observable<unknown>[] = [exchange.public.ping(), exchange.public.serverTime()];
    for (const call of calls) call.subscribe({ error: () => undefined });
    await vi.advanceTimersByTimeAsync(100);
    const numbers = (endpoint: string) =>
      events
        .filter((event) => event.endpoint === endpoint)
        .map(({ type, call, attempt }) => `${type} ${call}.${attempt}`);
    expect(numbers('public.ping')).toEqual(['request 1.1', 'response 1.1', 'retry 1.1', 'request 1.2', 'response 1.2']);
    expect(numbers('public.serverTime')).toEqual([
      'request 2.1',
      'response 2.1',
      'retry 2.1',
      'request 2.2',
      'response 2.2',
    ]);
  });
});

describe('a refused nonce', () => {
  const balancePath = 'main-account/balance';
  const clockPath = 'public/time';
  const tooOld = { code: 0, message: 'Your nonce is more than 5 seconds lesser than the current nonce', errors: {} };
  /** A client whose private requests are refused so. `public/time` responds with the local time. */
  const refusing = (status: number, body: unknown, options: Partial<ExchangeOptions> = {}) => {
    const paths: string[] = [];
    const fetch: Fetch = async (url) => {
      const path = new URL(url).pathname.slice('/api/v4/'.length);
      paths.push(path);
      if (path !== clockPath) return jsonAnswer(body, status);
      await new Promise((resolve) => setTimeout(resolve, 10));
      return jsonAnswer({ time: Math.floor(Date.now() / 1000) });
    };
    return { ...setup({ fetch, retry: {}, ...options }), paths };
  };

  it('that was refused for its age is replaced after the clock of the exchange was read', async () => {
    const { balance, paths } = refusing(400, tooOld);
    const { results } = balance();
    await vi.advanceTimersByTimeAsync(100);
    expect(paths).toEqual([balancePath, clockPath, balancePath, clockPath, balancePath]);
    expect(results).toMatchObject([{ kind: 'auth', reason: 'nonce-expired' }]);
  });

  it('of many requests at once reads the clock once for all of them', async () => {
    const { balance, paths } = refusing(400, tooOld);
    for (let call = 0; call < 5; call += 1) balance();
    await vi.advanceTimersByTimeAsync(100);
    expect(paths.filter((path) => path === clockPath)).toHaveLength(2);
  });

  it('is the only authentication error that is retried', async () => {
    const { balance, paths } = refusing(401, { code: 10, message: 'no', errors: {} });
    const { results } = balance();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(results).toMatchObject([{ kind: 'auth', reason: 'signature' }]);
    expect(paths).toEqual([balancePath]);
  });
});

describe('the clock of the exchange', () => {
  const ahead = 30_000;
  /**
   * By how much the nonce of the next private request is ahead of the local clock less the two seconds that it is
   * behind.
   */
  async function nonceAheadBy(
    first: Fetch,
    call: (exchange: ReturnType<typeof createExchange>) => Promise<unknown>,
  ): Promise<number> {
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

  it('is learned from the server time', async () => {
    const time: Fetch = () => Promise.resolve(jsonAnswer({ time: (Date.now() + ahead) / 1000 }));
    expect(await nonceAheadBy(time, (exchange) => firstValueFrom(exchange.public.serverTime()))).toBe(ahead + 1000);
  });

  it('is learned from the refusal of a nonce for its age', async () => {
    const refusal: Fetch = () =>
      Promise.resolve(
        jsonAnswer({ code: 0, message: 'Your nonce is more than 5 seconds lesser than the current nonce' }, 400),
      );
    // The nonce was 2 s behind the local clock, and lay 5 s behind the other at least.
    expect(await nonceAheadBy(refusal, (exchange) => failureOf(exchange.account.mainBalance()))).toBe(3000);
  });
});

describe('private requests', () => {
  it('are on the wire together, and say that their nonces may come in any order', async () => {
    let most = 0;
    let onWire = 0;
    const { fetch, sent } = recordingFetch(balances);
    const exchange = createExchange({
      baseUrl: 'https://exchange.example',
      credentials,
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
    expect(most).toBe(3);
    expect(sent.map(({ body }) => (JSON.parse(body) as { nonceWindow?: boolean }).nonceWindow)).toEqual([
      true,
      true,
      true,
    ]);
  });
});
