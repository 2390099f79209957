// The sandbox over HTTP: it finds the route of a request, and rejects requests that no route takes.
import { paramsOf } from '../check.js';
import type { UnreadBody } from './body.js';
import { logRequest, respondTo, shorten } from './respond.js';
import { jsonResponse, type ExchangeState, type Route } from './route.js';

export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
}

export type Respond = (request: RequestHead, body: string | UnreadBody) => Promise<Response>;

/** Responds to a request and logs it; rejects with a ConnectionFault when a fault loses the connection. */
export async function respond(
  state: ExchangeState,
  { method, url, headers }: RequestHead,
  body: string | UnreadBody,
): Promise<Response> {
  const { pathname: path, search } = new URL(url);
  const at = state.clock.now();
  const found = find(state.gateway.routes, path);
  const reject = (status: number, message: string, more = {}) => {
    logRequest(state, { method, path, at }, { status });
    return jsonResponse(status, { message }, more);
  };
  const response = (): Response | Promise<Response> => {
    // A request whose body was not read reaches no route, meets no fault and counts in no rate limit.
    if (typeof body !== 'string') return reject(body.status, body.message);
    const advice = 'add it with sandbox.route({ method, path, authentication, handle })';
    if (found === undefined)
      return reject(404, `the sandbox has no route ${shorten(method)} ${shorten(path)}: ${advice}`);
    const { route, params } = found;
    if (method !== route.method) {
      const message = `${route.path} of the sandbox accepts ${route.method}, not ${shorten(method)}`;
      return reject(405, message, { allow: route.method });
    }
    return respondTo(state, route, { method, path, params, query: search.slice(1), headers, body, at });
  };
  const sent = await response();
  sent.headers.set('date', new Date(state.clock.now()).toUTCString());
  return sent;
}

function find(routes: ReadonlyMap<string, Route>, path: string) {
  const exact = routes.get(path);
  if (exact !== undefined) return { route: exact, params: {} };
  for (const route of routes.values()) {
    const params = paramsOf(route.path, path);
    if (params === undefined) continue;
    return { route, params: Object.fromEntries(Object.entries(params).map(([name, text]) => [name, decoded(text)])) };
  }
  return undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
