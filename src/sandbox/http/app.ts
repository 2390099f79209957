// The sandbox over HTTP: it reads the body of a request, finds its route, and rejects requests that no route takes.
import { paramsOf } from '../check.js';
import { logRequest, respondTo, shorten } from './respond.js';
import { jsonResponse, type ExchangeState, type Route } from './route.js';

type RequestHead = Pick<Request, 'method' | 'url' | 'headers'>;

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
    logRequest(state, { method, path, at }).status = status;
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
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

/** Maximum size of a request body, bytes. As at a gateway, the rest of a larger body is not read. */
export const maxBodyBytes = 65_536;

export interface UnreadBody {
  readonly status: number;
  readonly message: string;
}

export const bodyTooLarge: UnreadBody = {
  status: 413,
  message: `the sandbox accepts request bodies of at most ${maxBodyBytes} bytes`,
};

export async function readBody(pieces: AsyncIterable<Uint8Array> | null): Promise<string | UnreadBody> {
  if (pieces === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maxBodyBytes) return bodyTooLarge;
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
