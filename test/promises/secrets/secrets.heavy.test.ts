// Promise 5: secrets stay inside. Calls every endpoint through success and every failure, and searches everything that
// a program could print.
import {
  createExchange,
  createScheduler,
  isExchangeError,
  undiciTransport,
  watchBalance,
  watchHealth,
  type Exchange,
  type ExchangeOptions,
  type Fetch,
} from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { shareOverRedis } from 'exchange-rx/redis';
import { createSandbox, faultKinds, type FaultKind, type Sandbox } from 'exchange-rx/sandbox';
import { Redis } from 'ioredis';
import { createServer } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import {
  concatMap,
  distinctUntilChanged,
  filter,
  firstValueFrom,
  isObservable,
  lastValueFrom,
  sampleTime,
  takeUntil,
  timer,
  type Observable,
} from 'rxjs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { hasNoParameters } from '../../../src/endpoint/index.js';
import { recordedMessages, streamOf } from '../../live/recorded.js';
import { allEndpoints, members } from '../../support/endpoints.js';
import { useFakeTime, type FakeTime } from '../../support/fake-time.js';
import { faultOf } from '../../support/fault-of.js';
import { kindOfFault } from '../../../src/sandbox/faults/fault.js';
import { allRateLimits } from '../../../src/endpoints/index.js';
import { failureOf } from '../../support/failure.js';
import { Planted, printed } from '../../support/printed.js';
import { portOf } from '../../support/raw-server.js';
import { recordedOf } from '../../support/recorded.js';
import { jsonAnswer } from '../../support/recording-fetch.js';
import { hasRedisServer, startRedis } from '../../support/redis.js';
import { collected, eventsOf } from '../../support/watch.js';
import { echoes } from './echoes.js';
import type { LimitWindow } from '../../../src/endpoint/index.js';

const market = 'BTC_USDT';
const client_order_id = 'ORDER-of-mine-7';
const order = { market, side: 'buy', amount: '0.01', client_order_id } as const;

interface Given {
  readonly sandbox: Sandbox;
  readonly options: Readonly<Record<string, unknown>>;
}

const isBulk = (name: string) => name.endsWith('.placeLimitOrders');

const ofEndpoints = allEndpoints.map((endpoint): [string, (given: Given) => readonly unknown[]] => {
  const { params } = recordedOf(endpoint);
  const identified = endpoint.safety === 'order' ? { ...params, client_order_id } : params;
  return [endpoint.name, ({ options }) => (hasNoParameters(endpoint) ? [options] : [identified, options])];
});

/** The arguments of each list that is read page by page: those of its pages. */
const ofLists = members.flatMap(({ member }) => {
  if (!('pagesOf' in member)) return [];
  const { limit: _limit, offset: _offset, ...params } = recordedOf(member.pagesOf).params;
  return [[member.name, ({ options }: Given) => [params, options]] as const];
});

/** The arguments of every function of a client that sends a request. A function that is missing here fails a test. */
const argumentsOf: Readonly<Record<string, (given: Given) => readonly unknown[]>> = {
  ...Object.fromEntries(ofEndpoints),
  call: ({ options }) => [endpoints.public.ping, {}, options],
  market: () => [market],
  'orders.find': () => [{ market, client_order_id }],
  'orders.findOco': () => [{ market, client_order_id }],
  ...Object.fromEntries(ofLists),
  'orders.listAllOpen': ({ options }) => [{ market }, options],
  'orders.listAllHistory': ({ options }) => [{ market }, options],
  'orders.listAllDeals': ({ options }) => [{ market }, options],
  listAll: ({ options }) => [endpoints.orders.listAllOpen, {}, options],
  'oauth.refreshToken': ({ sandbox, options }) => {
    const { clientId, clientSecret, refreshToken } = sandbox.oauthClient;
    return [{ client_id: clientId, client_secret: clientSecret, token: refreshToken }, options];
  },
};

/**
 * One endpoint of each safety, authentication and confidentiality, and one of each kind of function that is no endpoint:
 * everything else is data that no failure depends on.
 */
const representatives = [
  ...['spot.placeStockMarketOrder', 'market', 'orders.find', 'listAll'],
  ...new Map(
    allEndpoints
      .filter(({ safety }) => safety !== 'order')
      .map(({ safety, authentication, confidential, name }) => [`${safety} ${authentication} ${confidential}`, name]),
  ).values(),
];

/** The order, which meets every failure, and a third of the other representatives, in each scenario another. */
const inTurn = (number: number) => representatives.filter((_, index) => index === 0 || index % 3 === number % 3);

type Call = (...args: readonly unknown[]) => unknown;

function isCall(value: unknown): value is Call {
  return typeof value === 'function';
}

/** The members of a client that send no request. Live channels have a test of their own. */
const silent = new Set(['events$', 'undecided$', 'scheduler', 'live', 'close']);

function callsOf(exchange: Exchange): Map<string, Call> {
  const sending = Object.entries(exchange).filter(([name]) => !silent.has(name));
  const named = sending.flatMap(([name, member]: [string, unknown]): [string, unknown][] =>
    isCall(member)
      ? [[name, member]]
      : Object.entries(member ?? {}).map(([each, call]: [string, unknown]) => [`${name}.${each}`, call]),
  );
  return new Map(named.filter((entry): entry is [string, Call] => isCall(entry[1])));
}

function callOf(exchange: Exchange, name: string, args: readonly unknown[]): Observable<unknown> {
  const called = callsOf(exchange).get(name)?.(...args);
  if (!isObservable(called)) throw new Error(`${name} is no call`);
  return called;
}

interface Scenario {
  readonly name: string;
  /** Kinds of errors that the scenario must cause, so that it proves something. */
  readonly kinds?: readonly string[];
  readonly client?: (options: ExchangeOptions) => Partial<ExchangeOptions>;
  readonly arrange?: (sandbox: Sandbox) => void;
  readonly anonymous?: boolean;
  readonly args?: (right: readonly unknown[]) => readonly unknown[];
  readonly options?: Readonly<Record<string, unknown>>;
  /** Whether an order is placed first, which shows that the exchange keeps identifiers. */
  readonly placesFirst?: boolean;
  /** Concurrent calls. Default 1. */
  readonly calls?: number;
  /** When the subscribers unsubscribe, milliseconds. Default: never. */
  readonly leaveAfterMs?: number;
  /** Whether the exchange echoes requests, so its responses hold secrets. */
  readonly echoes?: boolean;
  /** Whether every function is called, instead of the representatives. */
  readonly isOfAll?: boolean;
}

const everyRateLimit = (limit: LimitWindow) => Object.fromEntries(allRateLimits().map(({ name }) => [name, limit]));
const narrow = everyRateLimit({ limit: 1, windowMs: 600_000 });
const brief = everyRateLimit({ limit: 10, windowMs: 500 });

const failing = (
  name: string,
  kinds: readonly string[],
  fault: Parameters<Sandbox['fault']>[0],
  more: Partial<Scenario> = {},
): Scenario => ({
  name,
  kinds,
  arrange: (sandbox) => {
    sandbox.fault(fault);
  },
  ...more,
});
const faulty = (kind: FaultKind) =>
  (kindOfFault(kind).uses.some((field) => field === 'executed') ? [false, true] : [false]).map((executed) =>
    failing(`fault ${kind}${executed ? ', executed' : ''}`, [], faultOf(kind, { executed, times: 3, delayMs: 6000 })),
  );
const kindOfStatus: Readonly<Record<number, string>> = { 401: 'auth', 429: 'rate-limited', 503: 'unavailable' };

const scenarios: readonly Scenario[] = [
  { name: 'success', isOfAll: true },
  { name: 'success, beside a check against the markets', client: () => ({ checkOrders: true }) },
  ...faultKinds.flatMap(faulty),
  // Redirects, and one status of each kind of error.
  ...[302, 401, 404, 408, 429, 500, 503].map((status) =>
    failing(`HTTP ${status}`, [kindOfStatus[status] ?? 'api'], { kind: 'status', status, times: 100 }),
  ),
  failing(
    'a time-out of every attempt',
    ['timeout'],
    { kind: 'hang', times: 100 },
    { client: () => ({ timeoutMs: 1000 }) },
  ),
  failing('a time-out of the call', ['timeout'], { kind: 'hang', times: 100 }, { options: { callTimeoutMs: 700 } }),
  failing('no connection', ['transport'], { kind: 'refuse', times: 100 }),
  failing(
    'an order that is proven absent',
    ['not-placed'],
    { kind: 'reset', executed: false },
    { placesFirst: true, client: () => ({ retry: false }) },
  ),
  ...[
    ['a signature that is wrong', { apiSecret: 'SECRET-that-is-wrong-2b1f' }] as const,
    ['an unknown key', { apiKey: 'KEY-that-nobody-knows-77ab' }] as const,
  ].map(([name, wrong]) => ({
    ...{ name, kinds: ['auth'] },
    client: ({ credentials = { apiKey: '', apiSecret: '' } }: ExchangeOptions) => ({
      credentials: { ...credentials, ...wrong },
    }),
  })),
  {
    name: 'a key that may do nothing',
    kinds: ['auth'],
    arrange: (sandbox) => {
      sandbox.account().restrictKey([]);
    },
  },
  {
    name: 'rejected nonces',
    kinds: ['auth'],
    client: () => ({ fetch: () => Promise.resolve(jsonAnswer({ code: 0, message: 'Too many requests.' }, 429)) }),
  },
  {
    name: 'a balance that is too small',
    kinds: ['api'],
    arrange: (sandbox) => {
      for (const wallet of ['trade', 'collateral'] as const)
        sandbox.account().deposit('USDT', `-${sandbox.ledger.balances()[wallet]['USDT'] ?? '0'}`, wallet);
    },
  },
  { name: 'no credentials', kinds: ['request'], anonymous: true },
  {
    name: 'a parameter too many',
    kinds: ['request'],
    args: ([first, ...rest]) => [typeof first === 'object' ? { ...first, surplus: 1 } : first, ...rest],
  },
  {
    name: 'parameters of wrong types',
    kinds: ['request'],
    args: ([first, ...rest]) => [wrapped(first), ...rest],
    isOfAll: true,
  },
  { name: 'a wrong option of the call', kinds: ['request'], options: { timeoutMs: -1 } },
  {
    ...{ name: 'a line that is full', kinds: ['queue-full'], calls: 4 },
    client: () => ({ scheduler: createScheduler({ limits: narrow, maxQueued: 1 }) }),
  },
  {
    ...{ name: 'a wait that is too long', kinds: ['queue-timeout'], calls: 3, options: { validForMs: 5 } },
    client: () => ({ limits: narrow }),
  },
  { name: 'a subscriber who leaves the line', calls: 3, client: () => ({ limits: narrow }), leaveAfterMs: 100 },
  failing('a subscriber who leaves a request in flight', [], { kind: 'hang' }, { leaveAfterMs: 100 }),
  ...echoes.map(({ name, kinds, fetch }): Scenario => ({
    name: `an exchange, or a fetch, that ${name}`,
    kinds,
    client: () => ({ fetch }),
    echoes: true,
    // Each schema chooses what it reads.
    isOfAll: name === 'echoes it in JSON of another shape',
  })),
];

function wrapped(params: unknown): unknown {
  if (typeof params !== 'object' || params === null) return { params };
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, [value]]));
}

function plant({ sandbox, options }: { readonly sandbox: Sandbox; readonly options: ExchangeOptions }): Planted {
  const planted = new Planted();
  const { apiKey = '', apiSecret = '' } = options.credentials ?? {};
  for (const [name, secret] of Object.entries({ ...sandbox.clientOptions().credentials, ...sandbox.oauthClient }))
    planted.addWithItsBeginning(name, secret);
  if (options.credentials !== undefined) {
    planted.addWithItsBeginning('the key in use', apiKey);
    planted.addWithItsBeginning('the secret in use', apiSecret);
  }
  return planted;
}

/** Plants signature, payload and body of requests, and the tokens of responses. */
function tapped(fetch: Fetch, planted: Planted): Fetch {
  return async (url, init) => {
    for (const [name, value] of Object.entries(init.headers))
      if (/^x-txc-|^authorization$/i.test(name)) planted.add(name, value);
    if (init.body !== undefined && init.body !== '{}') planted.add('the body', init.body);
    const response = await fetch(url, init);
    if (response.ok && /\/(?:refresh|websocket)_token$/.test(url)) {
      for (const [, token] of (await textOf(response.clone())).matchAll(/_token":"([^"]+)"/g))
        planted.addWithItsBeginning('a new token', token ?? '');
    }
    return response;
  };
}

/** The values that arrive before the source ends. */
async function textOf(response: Response): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  } catch {
    return text;
  }
  return text;
}

let printedToConsole: string[] = [];

beforeEach(() => {
  printedToConsole = [];
  const note = (...logged: unknown[]) => {
    printedToConsole.push(...logged.map(printed));
    return true;
  };
  for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const)
    vi.spyOn(console, method).mockImplementation(note);
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(note);
  process.on('warning', note).on('unhandledRejection', note);
  return () => {
    process.off('warning', note).off('unhandledRejection', note);
    vi.restoreAllMocks();
  };
});

/** Every place of a run that shows a secret, and the kinds of errors that it met. */
async function run(name: string, scenario: Scenario, time: FakeTime) {
  const { arrange, client, args = (right: readonly unknown[]) => right, calls = 1, leaveAfterMs } = scenario;
  const sandbox = createSandbox({ volatility: 0, seed: 4711 });
  const base = sandbox.clientOptions();
  const { credentials, ...others } = base;
  const options: ExchangeOptions = {
    ...others,
    ...(scenario.anonymous === true ? {} : { credentials }),
    ...client?.(base),
  };
  /** All secrets, including those that the run creates. */
  const planted = plant({ sandbox, options });
  if (scenario.echoes !== true) {
    // The names are not secrets in messages of the exchange.
    planted.add('the name of a header', 'x-txc-');
    planted.add('the name of what is signed', 'nonceWindow');
  }
  const exchange = createExchange({ ...options, fetch: tapped(options.fetch ?? base.fetch, planted) });

  const places: (readonly [what: string, text: string])[] = [];
  const kinds: string[] = [];
  const tell = (what: string) => (value: unknown) => {
    places.push([what, printed(value)]);
  };
  const watching = [
    exchange.events$.subscribe(tell('an event')),
    exchange.scheduler.usage$
      .pipe(sampleTime(5000), distinctUntilChanged(isDeepStrictEqual))
      .subscribe(tell('the usage')),
  ];
  const right =
    argumentsOf[name]?.({ sandbox, options: { ...scenario.options, onEvent: tell('an event of the call') } }) ?? [];
  if (scenario.placesFirst === true) {
    exchange.spot.placeStockMarketOrder({ ...order, client_order_id: 'first' }).subscribe();
    await time.advance(100);
  }
  arrange?.(sandbox);
  // These responses hold new tokens on purpose.
  const holdsTokens = scenario.echoes === true || ['account.websocketToken', 'oauth.refreshToken'].includes(name);
  const subscriptions = Array.from({ length: calls }, () =>
    callOf(exchange, name, args(right)).subscribe({
      next: holdsTokens ? () => undefined : tell('a response'),
      error: (error: unknown) => {
        tell('an error')(error);
        if (isExchangeError(error)) kinds.push(error.kind);
      },
    }),
  );
  tell('the client at work')(exchange);
  tell('a subscription')(subscriptions);
  await time.advance(leaveAfterMs ?? 65_000);
  for (const subscription of subscriptions) subscription.unsubscribe();
  await time.advance(1000);
  for (const watch of watching) watch.unsubscribe();
  tell('the client')(exchange);
  places.push(...printedToConsole.map((text) => ['the console', text] as const));
  const shown = places.flatMap(([what, text]) => planted.foundIn(text).map((secret) => `${secret} is in ${what}`));
  return { shown: [...new Set(shown)].map((place) => `${name}: ${place}`), kinds };
}

it('the search for secrets covers every function of a client that sends a request', () => {
  const exchange = createExchange(createSandbox().clientOptions());
  expect([...callsOf(exchange).keys()].sort()).toEqual(Object.keys(argumentsOf).sort());
});

describe('a program can print no secret, signature or payload', () => {
  const time = useFakeTime();

  it.each(scenarios.map((scenario, number) => ({ ...scenario, number })))('$name', async ({ number, ...scenario }) => {
    const runs: Awaited<ReturnType<typeof run>>[] = [];
    for (const name of scenario.isOfAll === true ? Object.keys(argumentsOf) : inTurn(number))
      runs.push(await run(name, scenario, time));
    expect(runs.flatMap(({ shown }) => shown)).toEqual([]);
    expect(runs.flatMap(({ kinds }) => kinds)).toEqual(expect.arrayContaining([...(scenario.kinds ?? [])]));
  });
});

it('the identifier of an order is only in responses, undecided$, and the field client_order_id of events and errors', async () => {
  const sandbox = createSandbox({ volatility: 0 });
  const exchange = createExchange({ ...sandbox.clientOptions(), retry: false, lookupTimeoutMs: 300 });
  const events = collected(exchange.events$);
  const usage = collected(exchange.scheduler.usage$);
  for (const path of ['/api/v4/order/stock_market', '/api/v4/orders'])
    sandbox.fault({ kind: 'status', path, times: 100 });
  const error = await failureOf(exchange.spot.placeStockMarketOrder(order));
  expect(error).toMatchObject({ kind: 'unavailable', client_order_id });
  const printable = [
    error.message,
    error.stack,
    ...Object.entries(error).filter(([name]) => name !== 'client_order_id'),
  ];
  const others = events.map((event) => ({ ...event, client_order_id: undefined }));
  expect(others.length).toBeGreaterThan(3);
  expect(await firstValueFrom(exchange.undecided$)).toMatchObject([{ client_order_id }]);
  for (const place of [printable, others, usage, { ...exchange, undecided$: undefined }])
    expect(printed(place)).not.toContain(client_order_id);
  for (const type of ['request', 'response', 'order'])
    expect(events).toContainEqual(expect.objectContaining({ type, client_order_id }));
});

describe('streams and live channels', () => {
  const time = useFakeTime();

  it('hold no secret when requests fail, and connections and tokens are lost: values, events, errors, and what is sent', async () => {
    const sandbox = createSandbox({ seed: 3, markets: [market, 'BTC_PERP'].map((name) => ({ name, price: '60000' })) });
    const options = sandbox.clientOptions();
    const planted = plant({ sandbox, options });
    const seen: string[] = [];
    const note = (value: unknown) => {
      seen.push(printed(value));
    };
    class TappedSocket extends options.webSocket {
      constructor(url: string) {
        super(url);
        note(url);
      }
      override send(text: string): void {
        // The token is the parameter of an authorization.
        if (!text.includes('"authorize"')) note(text);
        super.send(text);
      }
    }
    const exchange = createExchange({
      ...options,
      fetch: tapped(options.fetch, planted),
      webSocket: TappedSocket,
      timeoutMs: 500,
    });
    const { live, spot } = exchange;
    const streams: Readonly<Record<string, Observable<unknown>>> = {
      ...Object.fromEntries(recordedMessages.map(([name, message]) => [name, streamOf(exchange, message)])),
      'my.follow': spot
        .placeLimitOrder({ market, side: 'buy', amount: '0.001', price: '30000' })
        .pipe(concatMap((order) => live.my.follow(order))),
      'my.state$': live.my.state$,
      state$: live.state$,
      events$: exchange.events$,
      balance: watchBalance(exchange, { everyMs: 200 }),
      balances: watchBalance(exchange, { everyMs: 200, wallet: 'all' }),
      // A ping that hangs ends after 500 ms: whichever request draws the fault, others follow.
      health: watchHealth(exchange, { everyMs: 200, slowMs: 100 }),
    };
    sandbox.randomFaults({ seed: 3, rate: 0.5, paths: ['/api/v4/public/ping', '/api/v4/main-account/balance'] });
    const requests = eventsOf(exchange, 'request');
    // What an account gets depends on its orders and positions.
    const quiet = new Set(Object.keys(streams).filter((name) => !name.startsWith('my.')));
    for (const [name, stream$] of Object.entries(streams))
      stream$.pipe(takeUntil(timer(6000))).subscribe({
        next: (value) => {
          quiet.delete(name);
          note(value);
        },
        error: note,
      });
    await time.advance(1000);
    sandbox.market(market).setPrice('60100');
    for (const channel of ['depth', 'balanceSpot']) sandbox.liveFault({ kind: 'cut', channel });
    await time.advance(2000);
    sandbox.liveFault({ kind: 'refuse-request', channel: 'authorize', code: 6, times: 2 });
    sandbox.liveFault({ kind: 'cut', channel: 'balanceSpot' });
    await time.advance(2000);
    note([exchange, streams]);
    expect(requests.filter(({ endpoint }) => endpoint === 'account.websocketToken')).toHaveLength(4);
    // Only the message of an error has a colon behind the endpoint.
    expect(seen.join('\n')).toMatch(/public\.ping: /);
    expect(seen.join('\n')).toMatch(/account\.mainBalance: /);
    expect(seen.join('\n')).toContain('live.authorize');
    expect(seen.join('\n')).toContain('lastprice_subscribe');
    expect([...quiet]).toEqual([]);
    expect(planted.foundIn(seen.join('\n'))).toEqual([]);
  });
});

describe('other places that hold no secret', () => {
  const onOneLine = (request: string) => request.replaceAll(/[\r\n]+/g, ' ');

  it.each<[what: string, respond: (request: string) => string]>([
    ['echoes the request instead of a response', (request) => request],
    ['echoes it as an invalid header', (request) => `HTTP/1.1 200 OK\r\n${onOneLine(request)}\r\n\r\n`],
    [
      'echoes it as a truncated body',
      (request) => `HTTP/1.1 400 Bad Request\r\ncontent-length: 999999\r\n\r\n${request}`,
    ],
    ['echoes it in the reason phrase', (request) => `HTTP/1.1 418 ${onOneLine(request)}\r\ncontent-length: 0\r\n\r\n`],
  ])('the network errors of a server that %s', async (_what, respond) => {
    const received: string[] = [];
    const server = createServer((socket) => {
      socket.on('data', (piece) => {
        received.push(piece.toString());
        socket.end(respond(piece.toString()));
      });
    });
    const sandbox = createSandbox();
    const { fetch: _, ...options } = sandbox.clientOptions();
    const exchange = createExchange({
      ...options,
      baseUrl: `http://127.0.0.1:${await portOf(server)}`,
      transport: undiciTransport({ connections: 8, connectTimeoutMs: 1000 }),
      retry: false,
      lookupTimeoutMs: 0,
    });
    for (const name of representatives.filter((each) => each !== 'orders.find')) {
      const call$ = callOf(exchange, name, argumentsOf[name]?.({ sandbox, options: { timeoutMs: 2000 } }) ?? []);
      // Several orders in one request fail one by one: their errors are results.
      const error = isBulk(name) ? await firstValueFrom(call$) : await failureOf(call$);
      const planted = plant({ sandbox, options: sandbox.clientOptions() });
      const sent = received.join('');
      for (const [, header, value] of sent.matchAll(/^(x-txc-\w+): (\S+)/gim)) planted.add(header ?? '', value ?? '');
      expect(planted.foundIn(printed(error))).toEqual([]);
    }
    expect(received.join('')).toContain(sandbox.clientOptions().credentials.apiKey);
  });

  it.runIf(hasRedisServer)('what is shared over Redis: no key, no value, no command', async () => {
    const redis = await startRedis();
    const monitored: string[] = [];
    const watcher = new Redis(redis.url);
    const monitor = await watcher.monitor();
    monitor.on('monitor', (_time: string, words: readonly string[]) => monitored.push(...words));
    const sandbox = createSandbox();
    const options = sandbox.clientOptions();
    const planted = plant({ sandbox, options });
    planted.add('the identifier of an order', client_order_id);
    // A server that has just started does not know earlier requests, so nothing is sent for one window and the maximum
    // latency.
    const scheduler = createScheduler({ redis: shareOverRedis({ url: redis.url }), limits: brief, lateArrivalMs: 500 });
    const exchange = createExchange({ ...options, fetch: tapped(options.fetch, planted), scheduler, retry: false });
    const joined = firstValueFrom(
      scheduler.events$.pipe(filter((event) => event.type === 'sharing' && event.state === 'joined')),
    );
    for (const name of ['spot.placeStockMarketOrder', 'account.mainBalance', 'oauth.refreshToken', 'public.ping']) {
      await lastValueFrom(callOf(exchange, name, argumentsOf[name]?.({ sandbox, options: {} }) ?? []));
    }
    await joined;
    const keys = await redis.command('KEYS', '*');
    const values = await Promise.all(
      (Array.isArray(keys) ? keys : []).map(async (key) => [String(key), await redis.command('HGETALL', String(key))]),
    );
    monitor.disconnect();
    watcher.disconnect();
    await redis.stop();
    expect(values).toHaveLength(1);
    expect(monitored.join(' ')).toContain('spot.placeStockMarketOrder');
    expect(planted.foundIn(printed([values, monitored]))).toEqual([]);
  });
});
