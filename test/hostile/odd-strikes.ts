// The places where an odd object enters a call: fetch, response, schemas, hooks, parameters, options. And how the call
// must end.
import { createScheduler, defineEndpoint, isExchangeError, type Fetch, type Market } from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { of, throwError } from 'rxjs';
import * as v from 'valibot';
import {
  callNames,
  credentials,
  dumpOf,
  endingOf,
  isConfidential,
  token,
  wrongWith,
  type CallName,
  type Ending,
  type OddCall,
  type Own,
} from './odd-calls.js';
import { failingAt, oddObjects, raise } from './odd-objects.js';

/** Puts an odd object into a call. */
export type Strike = (make: (dump: string) => unknown) => OddCall;

const lostFetch: Fetch = () => Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
const ok: Fetch = () => Promise.resolve(Response.json({ market: 'BTC_USDT' }));
const resolving =
  (response: (make: () => unknown) => unknown): Strike =>
  (make) => ({
    fetch: (_url, init) => Promise.resolve(response(() => make(dumpOf(init))) as never),
  });
/** The members of a Response. */
const whole = { status: 200, ok: true, headers: new Headers(), body: null, text: () => Promise.resolve('{}') };
const refused = { ...whole, ok: false, text: () => Promise.resolve('{"message":"no","code":1}') };
const streaming = (start: (controller: ReadableStreamDefaultController<unknown>) => void) =>
  new Response(new ReadableStream({ start }) as never);
/** Code that cannot see the request cannot quote it. */
const unaware = 'no secret';

/** A client that checks its orders by these markets. */
function checkingOrders(markets: unknown, own: Own): OddCall {
  const { serverTime, markets: known } = endpoints.public;
  const response = v.pipe(
    v.unknown(),
    v.transform(() => markets as Market[]),
  );
  return {
    fetch: ok,
    own,
    options: { checkOrders: true },
    endpoints: {
      serverTime,
      markets: defineEndpoint({ ...known, rateLimit: known.rateLimits, request: v.looseObject({}), response }),
    },
  };
}

/** None of these is a response: every call fails, and an order is unknown. */
export const ofFetch: Readonly<Record<string, Strike>> = {
  'fetch rejects with': (make) => ({ fetch: (_url, init) => Promise.resolve().then(() => raise(make(dumpOf(init)))) }),
  'fetch throws': (make) => ({ fetch: (_url, init) => raise(make(dumpOf(init))) }),
  'fetch resolves to': resolving((make) => make()),
  'fetch returns': (make) => ({ fetch: (_url, init) => make(dumpOf(init)) as never }),
  'the response throws for its status': resolving((make) => failingAt({ ...whole }, 'status', make)),
  'the status is': resolving((make) => ({ ...whole, status: make() })),
  'the headers are': resolving((make) => ({ ...whole, headers: make() })),
  'the response throws for its body': resolving((make) => failingAt({ ...whole }, 'body', make)),
  'the response throws for ok': resolving((make) => failingAt(failingAt({ ...whole }, 'ok', make), 'text', make)),
  'the text rejects with': resolving((make) => ({ ...whole, text: () => Promise.resolve().then(() => raise(make())) })),
  'the text throws': resolving((make) => ({ ...whole, text: () => raise(make()) })),
  'the body fails with': resolving((make) =>
    streaming((controller) => {
      controller.error(make());
    }),
  ),
  'a chunk of the body is': resolving((make) =>
    streaming((controller) => {
      controller.enqueue(make());
      controller.close();
    }),
  ),
};

/** These end in a typed error or in the output, depending on the odd object. */
export const ofEndpoint: Readonly<Record<string, Strike>> = {
  'the text is': resolving((make) => ({ ...whole, text: () => Promise.resolve(make()) })),
  'the header of a 429 is': resolving((make) => ({ ...refused, status: 429, headers: { get: () => make() } })),
  'the headers of a 429 throw': resolving((make) => ({
    ...refused,
    status: 429,
    headers: { get: () => raise(make()) },
  })),
  'the headers of a 503 throw': resolving((make) => ({
    ...refused,
    status: 503,
    headers: { get: () => raise(make()) },
  })),
  'the schema of the request throws': (make) => ({
    fetch: ok,
    own: { request: { kind: 'schema', async: false, '~run': () => raise(make(token)) } },
  }),
  'the schema of the request gives': (make) => ({
    fetch: ok,
    own: { request: { kind: 'schema', async: false, '~run': () => make(token) } },
  }),
  'the fields of the request are': (make) => ({
    fetch: ok,
    own: { request: { kind: 'schema', async: false, '~run': () => ({ typed: true, value: make(token) }) } },
  }),
  'a field of the request is': (make) => ({
    fetch: ok,
    own: {
      request: {
        kind: 'schema',
        async: false,
        '~run': () => ({ typed: true, value: { market: 'BTC_USDT', odd: make(token) } }),
      },
    },
  }),
  'the schema of the request is': (make) => ({ fetch: ok, own: { request: make(token) } }),
  'what is wrong with the request is': (make) => ({
    fetch: ok,
    own: { request: { kind: 'schema', async: false, '~run': () => ({ typed: false, issues: [make(unaware)] }) } },
  }),
  'the schema of the response throws': (make) => ({
    fetch: ok,
    own: { response: { kind: 'schema', async: false, '~run': () => raise(make(token)) } },
  }),
  'the schema of the response gives': (make) => ({
    fetch: ok,
    own: { response: { kind: 'schema', async: false, '~run': () => make(token) } },
  }),
  'the schema of the response is': (make) => ({ fetch: ok, own: { response: make(token) } }),
  'matchesRequest throws': (make) => ({ fetch: ok, own: { matchesRequest: () => raise(make(token)) } }),
  'matchesRequest returns': (make) => ({ fetch: ok, own: { matchesRequest: () => make(token) } }),
  'exchangeTime throws': (make) => ({ fetch: ok, own: { exchangeTime: () => raise(make(token)) } }),
  'exchangeTime returns': (make) => ({ fetch: ok, own: { exchangeTime: () => make(token) } }),
  'key throws': (make) => ({ fetch: ok, own: { key: () => raise(make(token)) } }),
  'key returns': (make) => ({ fetch: ok, own: { key: () => make(token) } }),
  'toCheck throws': (make) => checkingOrders(make(unaware), { toCheck: () => raise(make(unaware)) }),
  'toCheck returns': (make) => checkingOrders([], { toCheck: () => make(unaware) }),
  'the markets are': (make) => checkingOrders(make(unaware), { toCheck: () => ({ market: 'BTC_USDT' }) }),
  'now throws': (make) => ({ fetch: ok, options: { now: () => raise(make(unaware)) } }),
  'now returns': (make) => ({ fetch: ok, options: { now: () => make(unaware) as never } }),
  'random throws': (make) => ({
    fetch: lostFetch,
    options: { retry: { maxRetries: 1, baseDelayMs: 1, random: () => raise(make(unaware)) } },
  }),
  'random returns': (make) => ({
    fetch: lostFetch,
    options: { retry: { maxRetries: 1, baseDelayMs: 1, random: () => make(unaware) as never } },
  }),
  'the scheduler throws': (make) => ({
    fetch: ok,
    options: { scheduler: { ...createScheduler(), acquire: () => raise(make(unaware)) } },
  }),
  'the scheduler fails with': (make) => ({
    fetch: ok,
    options: { scheduler: { ...createScheduler(), acquire: () => throwError(() => make(unaware)) } },
  }),
  'the scheduler grants': (make) => ({
    fetch: ok,
    options: { scheduler: { ...createScheduler(), acquire: () => of(make(unaware)) as never } },
  }),
  'the scheduler takes a permit back with': (make) => ({
    fetch: ok,
    options: { scheduler: { ...createScheduler(), acquire: () => of({ release: () => raise(make(unaware)) }) } },
  }),
  'the parameters are': (make) => ({ fetch: ok, params: make(token) }),
  'a parameter throws': (make) => ({
    fetch: ok,
    params: failingAt({ market: 'BTC_USDT' }, 'client_order_id', () => make(token)),
  }),
  'the options of the call are': (make) => ({ fetch: ok, callOptions: make(unaware) }),
  'an option of the call is': (make) => ({ fetch: ok, callOptions: { timeoutMs: make(unaware) } }),
  'an option of the call throws': (make) => ({
    fetch: ok,
    callOptions: Object.defineProperty({}, 'timeoutMs', { get: () => raise(make(unaware)), enumerable: true }),
  }),
};

/** The secrets of the request, and those of the client. */
export async function struck(name: CallName, call: OddCall) {
  const secrets = new Set<string>([
    credentials.apiKey,
    credentials.apiSecret,
    ...(isConfidential(name) ? [token] : []),
  ]);
  const fetch: Fetch = (url, init) => {
    for (const [header, value] of Object.entries(init.headers)) if (header.startsWith('X-TXC-')) secrets.add(value);
    return call.fetch(url, init);
  };
  const ending = await endingOf(name, { ...call, fetch });
  return { ending, wrong: wrongWith(ending, [...secrets]) };
}

/**
 * The endings that break the promise, for every odd object and call, or for 1 in `every` of them.
 *
 * @param mustFail whether none of them can be a response
 */
export async function brokenBy(strike: Strike, mustFail: boolean, oneIn = 1, from = 0): Promise<string[]> {
  const broken: string[] = [];
  const cases = callNames.flatMap((name) => oddObjects.map(([what, make]) => ({ name, what, make })));
  for (const { name, what, make } of cases.filter((_, index) => index % oneIn === from % oneIn)) {
    const { ending, wrong } = await struck(name, strike(make));
    const problem = wrong ?? untrue(name, ending, mustFail);
    if (problem !== undefined) broken.push(`${name}, ${what}: ${problem}`);
  }
  return broken;
}

function untrue(name: CallName, { errors, sent }: Ending, mustFail: boolean): string | undefined {
  const [error] = errors;
  if (error === undefined) return mustFail ? 'did not fail' : undefined;
  const outcome = isExchangeError(error) ? error.outcome : undefined;
  return name === 'order' && sent > 0 && (mustFail || outcome === 'not-executed') && outcome !== 'unknown'
    ? `sent, and said to be ${String(outcome)}`
    : undefined;
}
