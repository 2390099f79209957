// Options that are misspelled, of another type or out of range: every function that takes options refuses them, and
// says what it takes.
import {
  createExchange,
  createScheduler,
  pauseWhileDown,
  poll,
  RequestError,
  retryOn503,
  toAsyncIterable,
  watchBalance,
  watchHealth,
  type CallOptions,
} from 'exchange-rx';
import { shareOverRedis } from 'exchange-rx/redis';
import { createSandbox } from 'exchange-rx/sandbox';
import { NEVER, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { suggestName } from '../../src/errors/index.js';
import { failureOf } from '../support/failure.js';

const baseUrl = 'https://exchange.example';
const exchange = createExchange({ baseUrl });

/** By JavaScript anything can be given: the functions as their callers there see them. */
type Loose = (options?: unknown) => unknown;

/** Every function that takes options, with what it cannot do without. */
const takers: Readonly<Record<string, readonly [take: Loose, required: object, a: string, misspelled: string]>> = {
  createExchange: [createExchange as Loose, { baseUrl }, 'checkOrders', 'checkOrder'],
  createScheduler: [createScheduler as Loose, {}, 'maxQueued', 'maxQueud'],
  shareOverRedis: [shareOverRedis as Loose, { url: 'redis://127.0.0.1' }, 'shareWhenDown', 'shareWhenDwn'],
  poll: [poll as Loose, { everyMs: 1 }, 'everyMs', 'evryMs'],
  retryOn503: [retryOn503 as Loose, {}, 'maxDelayMs', 'maxDelay'],
  toAsyncIterable: [(options) => toAsyncIterable(NEVER, options as object), {}, 'keep', 'kepp'],
  pauseWhileDown: [(options) => pauseWhileDown(NEVER, options as object), {}, 'keep', 'kep'],
  watchBalance: [(options) => watchBalance(exchange, options as object), {}, 'refreshOn', 'refrshOn'],
  watchHealth: [(options) => watchHealth(exchange, options as object), {}, 'slowMs', 'slowms'],
};

function issuesOf(act: () => unknown) {
  try {
    act();
  } catch (error) {
    if (error instanceof RequestError) return error.issues;
    throw error;
  }
  return [];
}

describe.each(Object.entries(takers))('%s', (name, [take, required, option, misspelled]) => {
  it('rejects a misspelled option and suggests the nearest name', () => {
    expect(issuesOf(() => take({ ...required, [misspelled]: 1 }))).toEqual([
      { field: misspelled, message: `is not an option of ${name}; did you mean ${option}?` },
    ]);
  });

  it.each([
    ['null', null],
    ['7', 7],
  ])('rejects %s in the place of its options, and does not quote it', (_, options) => {
    expect(issuesOf(() => take(options))).toEqual([{ field: 'options', message: 'must be an object' }]);
  });

  it('treats an option that is undefined as omitted', () => {
    expect(() => take({ ...required, [option]: undefined, ...required })).not.toThrow();
  });
});

describe('the options of a call', () => {
  const failure = (options: unknown) => failureOf(exchange.public.ping(options as CallOptions));

  it.each([
    [
      'a name that it has not',
      { prioritty: 'urgent' },
      'prioritty',
      'is not an option of public.ping; did you mean priority?',
    ],
    ['a priority', { priority: 'first' }, 'priority', '"first" must be one of urgent, normal'],
    ['a time', { timeoutMs: '500' }, 'timeoutMs', '"500" must be above 0 and at most 2147483647'],
    ['retries', { retry: true }, 'retry', 'true must be false, or left out'],
    ['the time that it is valid', { validForMs: -1 }, 'validForMs', '-1 must be above 0 and at most 2147483647'],
    ['a listener', { onEvent: 5 }, 'onEvent', '5 must be a function'],
  ])('are rejected for %s: %j', async (_what, options, field, message) => {
    expect(await failure(options)).toMatchObject({
      kind: 'request',
      endpoint: 'public.ping',
      issues: [{ field, message }],
    });
  });

  it.each([null, 'urgent'])('are rejected when they are %j', async (options) => {
    expect(await failure(options)).toMatchObject({ kind: 'request', issues: [{ field: 'options' }] });
  });

  it('given as parameters are rejected with the place where they belong', async () => {
    const sandbox = createSandbox();
    const { orders } = createExchange(sandbox.clientOptions());
    expect(await failureOf(orders.open({ timeoutMs: 5 } as object))).toMatchObject({
      issues: [{ field: 'timeoutMs', message: 'is not a parameter of orders.open: options are the second argument' }],
    });
    expect(sandbox.ledger.requests).toEqual([]);
  });

  it.each([[{}], [undefined]])(
    'are the only argument of an endpoint without parameters: %j before them is refused',
    async (params) => {
      const sandbox = createSandbox();
      const { public: market } = createExchange(sandbox.clientOptions());
      const untyped = market.ping as (...args: readonly unknown[]) => Observable<unknown>;
      expect(await failureOf(untyped(params, { timeoutMs: 5 }))).toMatchObject({
        kind: 'request',
        outcome: 'not-executed',
        issues: [{ field: 'options', message: 'must be the only argument: public.ping has no parameters' }],
      });
      expect(sandbox.ledger.requests).toEqual([]);
    },
  );
});

describe('the options of a client', () => {
  it('are required', () => {
    expect(() => (createExchange as Loose)()).toThrow('createExchange: options are required: at least { baseUrl }');
  });

  it('are reported together', () => {
    expect(
      issuesOf(() => (createExchange as Loose)({ baseUrl, timeoutMs: 0, maxInFlights: 1 })).map(({ field }) => field),
    ).toEqual(['timeoutMs', 'maxInFlights']);
  });

  it('are reported without secrets', () => {
    const secret = 'the-secret-of-a-key';
    const options = {
      baseUrl: `https://user:${secret}@exchange.example`,
      credentials: { apiKey: '', apiSecret: { secret } },
      fetch: { secret },
      limits: [secret],
    };
    const shownAt = (act: () => unknown) => JSON.stringify(issuesOf(act));
    expect(shownAt(() => (createExchange as Loose)(options))).not.toContain(secret);
    expect(shownAt(() => (createExchange as Loose)({ ...options, credentials: secret }))).not.toContain(secret);
    expect(shownAt(() => (shareOverRedis as Loose)({ url: `http://:${secret}@127.0.0.1` }))).not.toContain(secret);
  });

  it('allow Infinity where no maximum is needed', () => {
    expect(() => createExchange({ baseUrl, maxInFlight: Infinity, retry: { maxRetries: Infinity } })).not.toThrow();
  });
});

const unknown = 'is not an option of createExchange';
const count = 'must be an integer of 0 or more, or Infinity';

it.each([
  ['createExchange', { baseUrl: undefined }, 'baseUrl', 'is required'],
  ['createExchange', { baseUrl: 'nowhere' }, 'baseUrl', 'must be a URL such as "https://exchange.example"'],
  ['createExchange', { apiKey: 'key' }, 'apiKey', `${unknown}; did you mean credentials: { apiKey, apiSecret }?`],
  ['createExchange', { maxInFlight: '256' }, 'maxInFlight', '"256" must be an integer of 1 or more, or Infinity'],
  ['createExchange', { retry: true }, 'retry', 'true must be an object, or false'],
  ['createExchange', { retry: { maxRetries: -1 } }, 'retry.maxRetries', `-1 ${count}`],
  ['createExchange', { retry: { mxRetries: 3 } }, 'retry.mxRetries', `${unknown}; did you mean maxRetries?`],
  ['createExchange', { credentials: 'the-secret' }, 'credentials', 'must be an object with apiKey and apiSecret'],
  [
    'createExchange',
    { credentials: { apiKey: 'a', apiSecret: 'b', apiKy: 'c' } },
    'credentials.apiKy',
    `${unknown}; did you mean apiKey?`,
  ],
  ['createExchange', { fetch: 'ky' }, 'fetch', '"ky" must be a function'],
  ['createExchange', { scheduler: {} }, 'scheduler', 'must be a scheduler: createScheduler() makes one'],
  ['createExchange', { limits: 5 }, 'limits', 'must be an object'],
  ['createExchange', { historyLagMs: null }, 'historyLagMs', 'null must be from 0 to 2147483647'],
  ['createExchange', { checkOrders: 'yes' }, 'checkOrders', '"yes" must be true or false'],
  ['poll', { everyMs: '5' }, 'everyMs', '"5" must be above 0 and at most 2147483647'],
  ['poll', { everyMs: undefined }, 'everyMs', 'is required'],
  ['poll', { refreshOn: [] }, 'refreshOn', 'must be an Observable'],
  ['createScheduler', { limits: 5 }, 'limits', 'must be an object'],
  ['createScheduler', { limits: { public: undefined, market: 'p' } }, 'limits.market', 'must be an object'],
  ['retryOn503', { random: 'always' }, 'random', '"always" must be a function'],
  ['retryOn503', { maxRetries: Number.NaN }, 'maxRetries', `NaN ${count}`],
  ['retryOn503', { maxTotalMs: -1 }, 'maxTotalMs', '-1 must be 0 or more'],
  ['toAsyncIterable', { keep: 'last' }, 'keep', '"last" must be one of all, latest'],
  ['toAsyncIterable', { keep: 0 }, 'keep', '0 must be an integer of 1 or more'],
  ['pauseWhileDown', { keep: 'some' }, 'keep', '"some" must be one of all, latest, none'],
  ['watchHealth', { slowMs: '60' }, 'slowMs', '"60" must be above 0 and at most 2147483647'],
  ['shareOverRedis', { name: 5 }, 'name', '5 must be a non-empty string'],
  ['shareOverRedis', { shareWhenDown: '0.5' }, 'shareWhenDown', '"0.5" must be from 0 to 1'],
])('%s rejects an invalid option: %j', (where, options, field, message) => {
  const [take, required] = takers[where] ?? [() => undefined, {}];
  const act = () => take({ ...required, ...options });
  expect(act).toThrow(RequestError);
  expect(issuesOf(act)).toEqual([{ field, message }]);
  expect(act).toThrow(new RegExp(`^${where}: `));
});

describe('the suggestion for an unknown name', () => {
  const known = ['timeoutMs', 'maxRetries', 'priority', 'ioc'];

  it.each([
    ['timeuotMs', 'timeoutMs'],
    ['timoutMs', 'timeoutMs'],
    ['timeouttMs', 'timeoutMs'],
    ['timeautMs', 'timeoutMs'],
    ['TIMEOUTMS', 'timeoutMs'],
    ['timeout', 'timeoutMs'],
    ['retries', 'maxRetries'],
    ['prioritsy', 'priority'],
    ['io', 'ioc'],
  ])('%s means %s', (given, meant) => {
    expect(suggestName(given, known)).toBe(`; did you mean ${meant}?`);
  });

  it.each(['window', 'x', ''])('%j means none of them', (given) => {
    expect(suggestName(given, known)).toBe('');
  });
});
