// The sandbox over HTTP. In the order of the exchange: limit, outage, authentication, validation, execution.
import { Hono } from 'hono';
import type { FieldErrors, PrivateErrorBody } from '../../model/error-body.js';
import type { RequestSeen } from '../ledger.js';
import { Refusal } from '../refusal.js';
import type { World } from '../world.js';
import { listMiningAccounts, listSubAccounts, mainBalance, setLeverage } from './account-endpoints.js';
import { authenticate, isSigned, jsonFields, signedFields, type Fields } from './authenticate.js';
import type { Unread } from './body.js';
import { wireCode, wireErrors, wireField, type Dialect } from './dialect.js';
import { page, spoiled, type FaultKind } from './faults.js';
import { FieldReader } from './fields.js';
import { withOddFields, withUnreadableRecords } from './odd.js';
import {
  cancelOrder,
  collateralLimitOrder,
  conditionalOrders,
  marketOrder,
  openOrders,
  orderHistory,
  setKillSwitch,
  stockMarketOrder,
  type PrivateEndpoint,
} from './order-endpoints.js';
import { markets, ping, serverTime, type PublicEndpoint } from './public-endpoints.js';
import type { SandboxLimitGroup } from './rate-limits.js';
import type { SandboxRequest, SandboxRoute } from './route.js';

interface Arrived {
  readonly path: string;
  /** Without the leading `?`. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: string;
  readonly at: number;
}

/** What a request turned out to be, for the ledger. */
interface Seen {
  account?: string;
  fields?: Fields;
  order_id?: number;
}

/** Executes a request that was accepted. */
type Execution = () => Response;

interface Route {
  readonly method: 'GET' | 'POST';
  readonly group: string;
  /** Whether it takes requests that a key signed, and no other. */
  readonly isSigned: boolean;
  /** Checks who asks, whose nonce is used then: the execution, or the response that refuses it. */
  readonly accept: (arrived: Arrived, seen: Seen) => Execution | Response;
}

/** The sandbox over HTTP. */
export interface App {
  /** Answers a request, and writes it into the world's list. */
  readonly answer: (request: Request, body: string | Unread) => Promise<Response>;
  /** The paths that there are routes for. */
  readonly paths: () => readonly string[];
  /** Adds a route; throws when there is one of this path. */
  readonly add: (route: SandboxRoute) => void;
}

export function createApp(world: World): App {
  const routes = new Map(Object.entries(routesOf(world)));
  // Hono takes no routes once it has answered: it is made anew with each.
  let app = honoOf(world, routes);
  return {
    paths: () => [...routes.keys()],
    add(route) {
      if (routes.has(route.path)) throw new Error(`sandbox.route: the sandbox has ${route.path} already`);
      routes.set(route.path, ownRoute(world, route));
      app = honoOf(world, routes);
    },
    async answer(request, body) {
      const response =
        typeof body === 'string' ? await app.fetch(request, { body }) : refuseUnread(world, routes, request, body);
      response.headers.set('date', new Date(world.clock.now() + world.dateOffsetMs).toUTCString());
      return response;
    },
  };
}

/** Refuses what no route is to see, and no fault or limit is to count. */
function refuseUnread(
  world: World,
  routes: ReadonlyMap<string, Route>,
  request: Request,
  { status, message }: Unread,
): Response {
  const { pathname } = new URL(request.url);
  note(
    world,
    { method: request.method, path: pathname, group: routes.get(pathname)?.group, at: world.clock.now() },
    { status },
  );
  return json(status, { message });
}

/** What a request brings along to its route. */
interface Bindings {
  readonly body: string;
}

function honoOf(world: World, routes: ReadonlyMap<string, Route>): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  // A fault of the connection is no answer: it passes to whoever holds the connection.
  app.onError((error) => {
    throw error;
  });
  for (const [path, route] of routes) {
    app.all(path, ({ req, env: { body } }) => {
      const { method, group } = route;
      if (req.method !== method) {
        note(world, { method: req.method, path, group, at: world.clock.now() }, { status: 405 });
        return json(
          405,
          { message: `the sandbox has ${method} ${path}, and not ${kept(req.method)}` },
          { allow: method },
        );
      }
      const query = new URL(req.url).search.slice(1);
      return answer(world, route, { path, query, headers: req.raw.headers, body, at: world.clock.now() });
    });
  }
  app.notFound(({ req }) => {
    const { method, path } = req;
    note(world, { method, path, group: undefined, at: world.clock.now() }, { status: 404 });
    const advice = 'add it with sandbox.route({ method, path, authentication, handle })';
    return json(404, { message: `the sandbox has no route ${kept(method)} ${kept(path)}: ${advice}` });
  });
  return app;
}

function routesOf(world: World): Record<string, Route> {
  const open = (endpoint: PublicEndpoint): Route => ({
    method: 'GET',
    group: 'public',
    isSigned: false,
    accept: () => () => json(200, endpoint(world)),
  });
  const closed = (group: SandboxLimitGroup, endpoint: PrivateEndpoint): Route => ({
    method: 'POST',
    group,
    isSigned: true,
    accept: (arrived, seen) => acceptPrivate(world, endpoint, arrived, seen),
  });
  return {
    '/api/v4/public/ping': open(ping),
    '/api/v4/public/time': open(serverTime),
    '/api/v4/public/markets': open(markets),
    '/api/v4/order/stock_market': closed('stockMarket', stockMarketOrder),
    '/api/v4/order/market': closed('marketOrder', marketOrder),
    '/api/v4/order/collateral/limit': closed('collateralLimit', collateralLimitOrder),
    '/api/v4/order/cancel': closed('cancelOrder', cancelOrder),
    '/api/v4/order/kill-switch': closed('killSwitch', setKillSwitch),
    '/api/v4/orders': closed('orders', openOrders(world)),
    '/api/v4/conditional-orders': closed('conditionalOrders', conditionalOrders),
    '/api/v4/trade-account/order/history': closed('orders', orderHistory(world)),
    '/api/v4/collateral-account/leverage': closed('leverage', setLeverage),
    '/api/v4/main-account/balance': closed('mainBalance', mainBalance(world.books)),
    '/api/v4/sub-account/list': closed('subAccounts', listSubAccounts(world.subAccounts)),
    '/api/v4/mining/accounts': closed('miningAccounts', listMiningAccounts(world.miningAccounts)),
    '/oauth2/refresh_token': {
      method: 'POST',
      group: 'oauth',
      isSigned: false,
      accept:
        ({ body }) =>
        () =>
          refreshToken(world, body),
    },
  };
}

/** A route that a test adds. */
function ownRoute(world: World, { method, path, group, authentication, handle }: SandboxRoute): Route {
  const respond = (request: SandboxRequest): Response => {
    const failed = (did: string, error: unknown) =>
      json(500, {
        message: `sandbox.route: handle of ${path} ${did}: ${error instanceof Error ? error.message : String(error)}`,
      });
    let body: unknown;
    try {
      body = handle(request);
    } catch (error) {
      return failed('threw', error);
    }
    if (body instanceof Promise)
      throw new Error(`sandbox.route: handle of ${path} returned a promise; it must return the body, or a Response`);
    if (body instanceof Response) return body;
    try {
      return json(200, body);
    } catch (error) {
      return failed('returned what JSON cannot hold', error);
    }
  };
  return {
    method,
    group: group ?? path,
    isSigned: authentication === 'signed',
    accept(arrived, seen) {
      const now = world.clock.now();
      if (authentication === 'none')
        return () => respond({ account: undefined, fields: unsignedFields(method, arrived), now });
      return acceptSigned(world, arrived, seen, (account, fields) => respond({ account, fields, now }));
    },
  };
}

function unsignedFields(method: 'GET' | 'POST', { query, headers, body }: Arrived): Fields {
  if (method === 'GET') return Object.fromEntries(new URLSearchParams(query));
  const isForm = headers.get('content-type')?.includes('form-urlencoded') === true;
  return isForm ? Object.fromEntries(new URLSearchParams(body)) : jsonFields(body);
}

async function answer(world: World, route: Route, arrived: Arrived): Promise<Response> {
  // A fault that a test injects is for its own client: a stranger must not take it away.
  const happening = world.faults.take(arrived.path, () => !route.isSigned || isSigned(world.keys, arrived));
  if (happening === undefined) return execute(world, route, arrived);
  const { kind, executed, delayMs } = happening;
  const wait = () =>
    new Promise<void>((resolve) => {
      world.clock.after(delayMs, resolve);
    });
  const run = (seenStatus?: number) =>
    execute(world, route, { ...arrived, at: world.clock.now() }, { fault: kind, seenStatus });
  const runAndChange = async (change: (body: unknown) => unknown) => {
    let entry: Entry | undefined;
    const onNoted = (noted: Entry) => {
      entry = noted;
    };
    const response = execute(world, route, arrived, { fault: kind, onNoted });
    const other = await changed(response, change);
    if (other !== undefined) return other;
    happening.giveBack();
    delete entry?.fault;
    return response;
  };
  const runOrLose = (isExecuted: boolean) => {
    if (isExecuted) return run();
    book(world, route, arrived, { status: undefined, fault: kind });
    return undefined;
  };
  switch (kind) {
    case 'late': {
      const inFlight = book(world, route, arrived, { status: undefined, fault: kind });
      world.clock.after(delayMs, () => {
        world.requests.remove(inFlight);
        run();
      });
      return spoiled(undefined, kind, happening);
    }
    case 'delayed':
      acceptNow(world, route, arrived, delayMs);
      return spoiled(undefined, kind, happening);
    case 'replay':
      run();
      if (delayMs > 0) await wait();
      return run();
    case 'slow': {
      const response = runOrLose(executed);
      await wait();
      return response ?? page(503);
    }
    case 'odd':
      return runAndChange((body) => withOddFields(body, world.random));
    case 'unreadable':
      return runAndChange((body) => withUnreadableRecords(body, world.random));
    case 'status':
      // A status is the gateway's, which counts the request; what does not reach it is not counted.
      if (executed) run(happening.status);
      else
        book(world, route, arrived, {
          status: refusalOf(world, route, arrived)?.status ?? happening.status,
          fault: kind,
        });
      return spoiled(undefined, kind, happening);
    default:
      return spoiled(runOrLose(executed && kind !== 'refuse'), kind, happening);
  }
}

interface Met {
  readonly fault?: FaultKind;
  /** What the client is to see, when it is another status. */
  readonly seenStatus?: number | undefined;
  readonly onNoted?: (entry: Entry) => void;
}

/** Executes a request, and writes it into the books, whatever comes of it. */
function execute(world: World, route: Route, arrived: Arrived, { fault, seenStatus, onNoted }: Met = {}): Response {
  const seen: Seen = {};
  let status = 500;
  try {
    const accepted = refusalOf(world, route, arrived) ?? route.accept(arrived, seen);
    const response = accepted instanceof Response ? accepted : accepted();
    status = response.status;
    return response;
  } finally {
    const entry = book(world, route, arrived, { status: seenStatus ?? status, fault, seen });
    onNoted?.(entry);
  }
}

/** Accepts a request now, and executes it later: a nonce is used, and a limit counted, at the gateway. */
function acceptNow(world: World, route: Route, arrived: Arrived, delayMs: number): void {
  const seen: Seen = {};
  const accepted = refusalOf(world, route, arrived) ?? route.accept(arrived, seen);
  const isRefused = accepted instanceof Response;
  const entry = book(world, route, arrived, {
    status: isRefused ? accepted.status : undefined,
    fault: 'delayed',
    seen,
  });
  if (isRefused) return;
  world.clock.after(delayMs, () => {
    entry.status = accepted().status;
    if (seen.order_id !== undefined) entry.order_id = seen.order_id;
  });
}

/** The gateway's refusal; it does not queue, and its answer is no JSON. */
function refusalOf(world: World, { group }: Route, { at }: Arrived): Response | undefined {
  return world.rateLimits.admit(group, at) ? undefined : new Response('Too Many Requests', { status: 429 });
}

function acceptPrivate(world: World, endpoint: PrivateEndpoint, arrived: Arrived, seen: Seen): Execution | Response {
  const { dialect, engine, dropIdentifiers } = world;
  const dropsIdentifiers = dropIdentifiers === true || dropIdentifiers.includes(arrived.path);
  return acceptSigned(world, arrived, seen, (account, fields) => {
    const body = endpoint(engine, account, new FieldReader(fields, dialect, dropsIdentifiers));
    const order_id = orderIdOf(dialect, body);
    if (order_id !== undefined) seen.order_id = order_id;
    return json(200, body);
  });
}

/** Checks who asks now; what is executed may be refused, too. */
function acceptSigned(
  world: World,
  arrived: Arrived,
  seen: Seen,
  run: (account: string, fields: Fields) => Response,
): Execution | Response {
  const orRefusal = <Result>(attempt: () => Result): Result | Response => {
    try {
      return attempt();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const body: PrivateErrorBody = {
        code: wireCode(world.dialect, error),
        message: error.message,
        errors: wireErrors(world.dialect, error.errors),
      };
      return json(error.status, body);
    }
  };
  return orRefusal(() => {
    const { key, fields } = authenticate(world.keys, arrived, world.clock.now());
    seen.account = key.account;
    seen.fields = fields;
    return () => orRefusal(() => run(key.account, fields));
  });
}

/** The number of the order that a response is, if it is one. */
function orderIdOf(dialect: Dialect, body: unknown): number | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const id: unknown = Object.entries(body).find(([field]) => field === wireField(dialect, 'order_id'))?.[1];
  return typeof id === 'number' ? id : undefined;
}

function refreshToken({ oauth }: World, body: string): Response {
  const form = new URLSearchParams(body);
  const missing = ['client_id', 'client_secret', 'token'].filter((field) => (form.get(field) ?? '') === '');
  if (missing.length > 0) {
    const errors: FieldErrors = Object.fromEntries(
      missing.map((field) => [field, [`The ${field} field is required.`]]),
    );
    return json(422, { errors });
  }
  const token = oauth.refresh(form.get('client_id') ?? '', form.get('client_secret') ?? '', form.get('token') ?? '');
  return token === undefined ? json(400, { data: { token: ['Invalid token.'] } }) : json(200, { data: token });
}

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}

/** A success with another body; `undefined` when there is nothing to change. */
async function changed(response: Response, change: (body: unknown) => unknown): Promise<Response | undefined> {
  if (!response.ok) return undefined;
  const body = await readJson(response.clone());
  const other = body === undefined ? undefined : change(body);
  return other === undefined ? undefined : json(response.status, other);
}

/** A route of a test may respond with anything. */
async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

interface Noted {
  readonly status: number | undefined;
  readonly fault?: FaultKind | undefined;
  readonly seen?: Seen;
  /** What it says of itself, when nobody was to check it. */
  readonly fields?: Fields;
}

type Entry = { -readonly [Field in keyof RequestSeen]: RequestSeen[Field] };

function book(world: World, { method, group }: Route, arrived: Arrived, noted: Noted): Entry {
  const { path, at } = arrived;
  return note(
    world,
    { method, path, group, at },
    { fields: noted.seen?.fields ?? signedFields(world.keys, arrived), ...noted },
  );
}

function note(
  world: World,
  {
    method,
    path,
    group,
    at,
  }: { readonly method: string; readonly path: string; readonly group: string | undefined; readonly at: number },
  { status, fault, seen: { account, order_id } = {}, fields = {} }: Noted,
): Entry {
  const id = fields[wireField(world.dialect, 'client_order_id')];
  const nonce = fields['nonce'];
  const entry: Entry = {
    at,
    method: kept(method),
    path: kept(path),
    group,
    account,
    client_order_id: typeof id === 'string' ? kept(id) : undefined,
    nonce: typeof nonce === 'string' || typeof nonce === 'number' ? kept(String(nonce)) : undefined,
    status,
    ...(fault === undefined ? {} : { fault }),
    ...(order_id === undefined ? {} : { order_id }),
  };
  world.requests.push(entry);
  return entry;
}

/** Characters of a client's text that are kept. */
const maxKeptLength = 256;

/**
 * A client's text, to be kept: cut, which shows, and copied, because a part of a text holds the whole of it in memory.
 */
function kept(text: string): string {
  const short = text.length <= maxKeptLength ? text : `${text.slice(0, maxKeptLength - 1)}…`;
  return Buffer.from(short).toString();
}
