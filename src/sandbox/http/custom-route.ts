// Routes that a test adds for endpoints that the sandbox does not have.
import { jsonFields, type Fields } from './authenticate.js';
import type { SandboxRateLimitName } from './routes/index.js';
import { jsonResponse, type ArrivedRequest, type Route } from './route.js';

/** A request to a route of your own. */
export interface SandboxRequest {
  /** The account whose key signed the request; `undefined` when the route's `authentication` is `none`. */
  readonly account: string | undefined;
  /**
   * `POST`: the fields of the body, JSON or a form of at most 64 KiB. `GET`: the fields of the query. A signed request
   * also has the fields `request` and `nonce`.
   */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The values of the path's parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Time of the request by the sandbox's clock, Unix milliseconds. */
  readonly now: number;
}

/** A route to add with {@link Sandbox.route}. */
export interface SandboxRoute {
  /** HTTP method. Requests with another method get 405. */
  readonly method: 'GET' | 'POST';
  /** The path, such as `/api/v4/convert/estimate`; parameters are in braces: `/api/v4/public/depth/{market}`. */
  readonly path: string;
  /**
   * Name of the rate limit that requests count in. Default: a rate limit of the route's own, 10000 requests / 10 s,
   * whose name in the ledger is the path. Requests count in the combined rate limit of their path, too: `public` for
   * `/api/v4/public/*`, `mainAccount` for `/api/v4/main-account/*`, `orders` for `/api/v4/trade-account/*`.
   */
  readonly rateLimit?: SandboxRateLimitName;
  /** `signed`: key, payload, signature and nonce are checked before `handle` is called. `none`: nothing is checked. */
  readonly authentication: 'none' | 'signed';
  /**
   * Returns the JSON body of a 200. Return a `Response` for any other status, such as `Response.json({ code: 30,
   * message: 'Validation failed', errors: {} }, { status: 422 })`. Must not return a promise. An exception, or a value
   * that JSON cannot represent, becomes a 500 with a `message` that names the route.
   */
  readonly handle: (request: SandboxRequest) => unknown;
}

export function customRoute(route: SandboxRoute): Route {
  const { method, path, rateLimit = path, authentication } = route;
  const common = { method, path, rateLimit };
  if (authentication === 'signed')
    return {
      ...common,
      authentication,
      respond: ({ account, rawFields: fields, params, acceptedAt: now }) =>
        handled(route, { account, fields, params, now }),
    };
  return {
    ...common,
    authentication,
    respond: (_state, request) => {
      const { params, at: now } = request;
      return handled(route, { account: undefined, fields: unsignedFields(method, request), params, now });
    },
  };
}

function handled({ path, handle }: SandboxRoute, request: SandboxRequest): Response {
  const failed = (problem: string, error: unknown) =>
    jsonResponse(500, {
      message: `sandbox.route: handle of ${path} ${problem}: ${error instanceof Error ? error.message : String(error)}`,
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
    return jsonResponse(200, body);
  } catch (error) {
    return failed('returned a value that JSON cannot represent', error);
  }
}

function unsignedFields(method: 'GET' | 'POST', { query, headers, body }: ArrivedRequest): Fields {
  if (method === 'GET') return Object.fromEntries(new URLSearchParams(query));
  const isForm = headers.get('content-type')?.includes('form-urlencoded') === true;
  return isForm ? Object.fromEntries(new URLSearchParams(body)) : jsonFields(body);
}
