// One attempt: its permit, its events, and its nonce.
import {
  ClientRegistry,
  createExchange,
  createScheduler,
  defineEndpoint,
  QueueTimeoutError,
  TransportError,
  type AcquireOptions,
  type ExchangeOptions,
  type Fetch,
  type Scheduler,
} from 'exchange-rx';
import { concat, defer, delay, EMPTY, filter, firstValueFrom, NEVER, Observable, of, throwError } from 'rxjs';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.js';
import { failureOf } from '../support/failure.js';
import { printed } from '../support/printed.js';
import { jsonAnswer, recordingFetch } from '../support/recording-fetch.js';
import { collected, watch } from '../support/watch.js';

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
  const common = { baseUrl: 'https://exchange.example', credentials, retry: false, scheduler, fetch } as const;
  const exchange = createExchange({ ...common, ...options });
  const events = collected(exchange.events$.pipe(filter(({ type }) => ['wait', 'request', 'response'].includes(type))));
  const balance = (timeoutMs = 1000) => watch(exchange.account.mainBalance({ timeoutMs }));
  return { exchange, given, asked, events, sent, balance };
}

it('shows a scheduler no field of its request', async () => {
  const inner = createScheduler();
  const seen: string[] = [];
  const acquire: Scheduler['acquire'] = (...request) =>
    new Observable((subscriber) => {
      inner.acquire(...request).subscribe(subscriber);
      seen.push(printed(subscriber));
    });
  const { exchange } = setup({ scheduler: { ...inner, acquire }, fetch: () => Promise.resolve(jsonAnswer([])) });
  expect(await firstValueFrom(exchange.orders.open({ market: 'PLANTED_USDT' }))).toEqual([]);
  expect(seen).toEqual([expect.not.stringContaining('PLANTED')]);
});

describe('the permit of a request', () => {
  const refusal = () => Promise.resolve(jsonAnswer({ code: 1, message: 'no', errors: {} }, 422));
  const limited = () => Promise.resolve(new Response('', { status: 429, headers: { 'retry-after': '7' } }));

  it.each<[string, Fetch | undefined, unknown[]]>([
    ['that is answered is given back as answered', undefined, ['responded']],
    ['that is refused, too', refusal, ['responded']],
    ['whose answer cannot be read, too', () => Promise.resolve(new Response('<html>')), ['responded']],
    ['that met a limit tells for how long the exchange asks to wait', limited, ['rate-limited', 7000]],
    ['that was never sent is free', failing('ECONNREFUSED'), ['unsent']],
    ['whose host has no address is free', failing('ENOTFOUND'), ['unsent']],
    ['whose host is unreachable may still arrive', failing('EHOSTUNREACH'), ['unknown']],
    ['whose connection was lost may still arrive', failing('ECONNRESET'), ['unknown']],
    ['that is not answered in time may still arrive', hanging, ['unknown']],
  ])('%s', async (_, fetch, use) => {
    const { given, balance } = setup(fetch === undefined ? {} : { fetch });
    balance();
    await vi.advanceTimersByTimeAsync(2000);
    expect(given).toEqual([use]);
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
    const results = balance();
    await vi.advanceTimersByTimeAsync(10);
    expect(results).toEqual([{}]);
    expect(sent).toHaveLength(1);
    expect(given).toEqual(['responded']);
    expect(events).toMatchObject([{ type: 'request' }, { type: 'response', result: 'ok' }]);
  });

  it('is one: a second permit of its scheduler is given back, and sends nothing', async () => {
    const given: unknown[][] = [];
    const permit = (name: string) => ({ release: (use: unknown) => given.push([name, use]) });
    const acquire = () => of(permit('first'), permit('second'));
    const { balance, sent } = setup({ scheduler: { ...noScheduler, acquire } });
    expect(balance()).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(sent).toHaveLength(1);
    expect(given).toEqual([
      ['second', 'unsent'],
      ['first', 'responded'],
    ]);
  });

  const broken = new Error('no permits today');
  const expired = new QueueTimeoutError('own', 'public', 5);
  const doubtful = new TransportError('lost', { endpoint: 'own', outcome: 'unknown' });
  const failed = {
    kind: 'transport',
    message: expect.stringContaining('the scheduler failed to grant a permit') as string,
    endpoint: 'account.mainBalance',
    outcome: 'not-executed',
  };
  it.each([
    ['an error of another package', broken, { ...failed, cause: { message: 'no permits today' } }],
    ['an error that leaves an outcome open', doubtful, failed],
    ['an error of a wait', expired, { kind: 'queue-timeout', outcome: 'not-executed' }],
  ])('that its scheduler fails to grant leaves it unsent: %s', async (_, error, expected) => {
    const acquire = () => throwError(() => error);
    const { balance, events, sent } = setup({ scheduler: { ...noScheduler, acquire } });
    await vi.advanceTimersByTimeAsync(500);
    expect(balance()).toMatchObject([expected]);
    expect(events).toMatchObject([{ type: 'wait', waitedMs: 0, kind: expected.kind }]);
    expect(sent).toEqual([]);
  });

  it.each([false, true])('returns when the parameters cannot be written (confidential: %s)', async (confidential) => {
    const { exchange, given, sent } = setup();
    const own = defineEndpoint({
      ...{ name: 'own', path: '/own', safety: 'read', confidential },
      ...{ request: v.looseObject({}), response: v.unknown() },
    });
    const unwritable = {
      toJSON: () => {
        throw new Error('PLANTED');
      },
    };
    const failure = await failureOf(exchange.call(own, { unwritable }));
    expect(failure).toMatchObject({
      ...{ kind: 'request', endpoint: 'own', outcome: 'not-executed' },
      issues: [{ field: 'params', message: 'could not be written as a request' }],
    });
    expect(printed(failure).includes('PLANTED')).toBe(!confidential);
    expect([given, sent]).toEqual([[['unsent']], []]);
  });

  it('returns when no nonce is free, and the request is not sent', async () => {
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
      const { exchange, given, events, balance } = setup({ fetch: late });
      const results = balance(50);
      const subscription = exchange.account.mainBalance().subscribe();
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
    const scheduler = { ...noScheduler, acquire };
    const exchange = createExchange({ baseUrl: 'https://exchange.example', fetch, scheduler });
    expect(await failureOf(exchange.account.mainBalance())).toMatchObject({
      endpoint: 'account.mainBalance',
      issues: [{ field: 'credentials', message: 'are required: the endpoint is private' }],
    });
    expect(acquire).not.toHaveBeenCalled();
  });
});

describe('the events of a request', () => {
  const about = { endpoint: 'account.mainBalance', rateLimit: 'mainAccount', call: 1, attempt: 1 };

  it('has the duration to the end of the response', async () => {
    const { events, balance } = setup({ fetch: deaf(30, () => Promise.resolve(balances())) });
    await vi.advanceTimersByTimeAsync(500);
    balance();
    await vi.advanceTimersByTimeAsync(30);
    expect(events).toEqual([
      { type: 'request', ...about },
      { type: 'response', ...about, durationMs: 30, result: 'ok', status: 200 },
    ]);
  });

  it('reports an unsubscription with the time in flight', async () => {
    const { exchange, events } = setup({ fetch: hanging });
    const subscription = exchange.account.mainBalance().subscribe();
    await vi.advanceTimersByTimeAsync(40);
    subscription.unsubscribe();
    expect(events.at(-1)).toMatchObject({ type: 'response', result: 'canceled', durationMs: 40 });
  });

  it.each([1, 25, 0])('is its wait for a permit, of a millisecond or more: %i ms', async (ms) => {
    const { events, balance } = setup({}, ms);
    await vi.advanceTimersByTimeAsync(500);
    balance();
    await vi.advanceTimersByTimeAsync(100);
    const waits = ms === 0 ? [] : [{ type: 'wait', ...about, waitedMs: ms }];
    expect(events.filter(({ type }) => type === 'wait')).toEqual(waits);
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
    const results = balance();
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
    const results = balance();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(results).toMatchObject([{ kind: 'auth', reason: 'signature' }]);
    expect(paths).toEqual([balancePath]);
  });
});
