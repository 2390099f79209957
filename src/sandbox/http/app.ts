// The sandbox over HTTP. In the order of the exchange: limit, outage, authentication, validation, execution.
import { Hono } from 'hono';
import type { FieldErrors, PrivateErrorBody } from '../../model/error-body.js';
import { Refusal } from '../refusal.js';
import type { World } from '../world.js';
import { listMiningAccounts, listSubAccounts, mainBalance, setLeverage } from './account-endpoints.js';
import { authenticate, type Fields } from './authenticate.js';
import { wireCode, wireErrors, wireField } from './dialect.js';
import { spoiled } from './faults.js';
import { FieldReader } from './fields.js';
import { cancelOrder, collateralLimitOrder, marketOrder, openOrders, orderHistory, setKillSwitch, stockMarketOrder, type PrivateEndpoint } from './order-endpoints.js';
import { markets, ping, serverTime, type PublicEndpoint } from './public-endpoints.js';
import type { SandboxLimitGroup } from './rate-limits.js';

interface Arrived {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  readonly at: number;
}

/** What a request turned out to be, for the ledger. */
interface Seen {
  account?: string;
  fields?: Fields;
}

type Handler = (arrived: Arrived, seen: Seen) => Response;

interface Route {
  readonly method: 'GET' | 'POST';
  readonly group: SandboxLimitGroup;
  readonly handle: Handler;
}

/** Answers requests, and writes each one into the world's list. */
export function createApp(world: World): (request: Request) => Promise<Response> {
  const app = new Hono();
  // A fault of the connection is no answer: it passes to whoever holds the connection.
  app.onError((error) => {
    throw error;
  });
  for (const [path, route] of Object.entries(routesOf(world))) {
    app.all(path, async ({ req }) => {
      const { method, group } = route;
      if (req.method !== method) {
        note(world, { method: req.method, path, group, at: world.clock.now() }, {}, 405);
        return new Response(null, { status: 405, headers: { allow: method } });
      }
      const arrived = { path, headers: req.raw.headers, body: await req.text(), at: world.clock.now() };
      return answer(world, route, arrived);
    });
  }
  app.notFound(({ req }) => {
    note(world, { method: req.method, path: req.path, group: undefined, at: world.clock.now() }, {}, 404);
    return new Response(null, { status: 404 });
  });

  return async (request) => {
    const response = await app.fetch(request);
    response.headers.set('date', new Date(world.clock.now()).toUTCString());
    return response;
  };
}

function routesOf(world: World): Record<string, Route> {
  const open = (endpoint: PublicEndpoint): Route => ({ method: 'GET', group: 'public', handle: () => json(200, endpoint(world)) });
  const closed = (group: SandboxLimitGroup, endpoint: PrivateEndpoint): Route => ({
    method: 'POST',
    group,
    handle: (arrived, seen) => answerPrivate(world, endpoint, arrived, seen),
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
    '/api/v4/orders': closed('orders', openOrders),
    '/api/v4/trade-account/order/history': closed('orders', orderHistory(world)),
    '/api/v4/collateral-account/leverage': closed('leverage', setLeverage),
    '/api/v4/main-account/balance': closed('mainBalance', mainBalance(world.books)),
    '/api/v4/sub-account/list': closed('subAccounts', listSubAccounts(world.subAccounts)),
    '/api/v4/mining/accounts': closed('miningAccounts', listMiningAccounts(world.miningAccounts)),
    '/oauth2/refresh_token': { method: 'POST', group: 'oauth', handle: ({ body }) => refreshToken(world, body) },
  };
}

async function answer(world: World, route: Route, arrived: Arrived): Promise<Response> {
  const happening = world.faults.take(arrived.path);
  if (happening === undefined) return execute(world, route, arrived);
  const { kind, executed, delayMs } = happening;
  if (kind === 'late') {
    setTimeout(() => execute(world, route, { ...arrived, at: world.clock.now() }), delayMs);
    return spoiled(undefined, happening);
  }
  // A status is the gateway's, which counts the request; what does not reach it is not counted.
  const response = executed && kind !== 'refuse' ? execute(world, route, arrived, kind === 'status' ? happening.status : undefined) : undefined;
  if (response === undefined && kind === 'status') book(world, route, arrived, {}, refusalOf(world, route, arrived)?.status ?? happening.status);
  if (kind === 'slow') await new Promise((resolve) => setTimeout(resolve, delayMs));
  return spoiled(response, happening);
}

/** Executes a request, and writes it into the books, whatever comes of it; with the status that the client is to see, when it is another. */
function execute(world: World, route: Route, arrived: Arrived, seenStatus?: number): Response {
  const seen: Seen = {};
  let status = 500;
  try {
    const response = refusalOf(world, route, arrived) ?? route.handle(arrived, seen);
    status = response.status;
    return response;
  } finally {
    book(world, route, arrived, seen, seenStatus ?? status);
  }
}

function book(world: World, { method, group }: Route, { path, at }: Arrived, seen: Seen, status: number): void {
  note(world, { method, path, group, at }, seen, status);
}

/** The gateway's refusal; it does not queue, and its answer is no JSON. */
function refusalOf(world: World, { group }: Route, { at }: Arrived): Response | undefined {
  return world.rateLimits.admit(group, at) ? undefined : new Response('Too Many Requests', { status: 429 });
}

function answerPrivate(world: World, endpoint: PrivateEndpoint, arrived: Arrived, seen: Seen): Response {
  try {
    const { key, fields } = authenticate(world.keys, arrived, world.clock.now());
    seen.account = key.account;
    seen.fields = fields;
    return json(200, endpoint(world.engine, key.account, new FieldReader(fields, world.dialect)));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const body: PrivateErrorBody = { code: wireCode(world.dialect, error), message: error.message, errors: wireErrors(world.dialect, error.errors) };
    return json(error.status, body);
  }
}

function refreshToken({ oauth }: World, body: string): Response {
  const form = new URLSearchParams(body);
  const missing = ['client_id', 'client_secret', 'token'].filter((field) => (form.get(field) ?? '') === '');
  if (missing.length > 0) {
    const errors: FieldErrors = Object.fromEntries(missing.map((field) => [field, [`The ${field} field is required.`]]));
    return json(422, { errors });
  }
  const token = oauth.refresh(form.get('client_id') ?? '', form.get('client_secret') ?? '', form.get('token') ?? '');
  return token === undefined ? json(400, { data: { token: ['Invalid token.'] } }) : json(200, { data: token });
}

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

function note(
  world: World,
  request: { readonly method: string; readonly path: string; readonly group: string | undefined; readonly at: number },
  { account, fields = {} }: Seen,
  status: number,
): void {
  const id = fields[wireField(world.dialect, 'client_order_id')];
  const nonce = fields['nonce'];
  world.requests.push({
    ...request,
    account,
    client_order_id: typeof id === 'string' ? id : undefined,
    nonce: typeof nonce === 'string' || typeof nonce === 'number' ? String(nonce) : undefined,
    status,
  });
}
