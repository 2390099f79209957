// Routes that a test adds for endpoints that the sandbox does not have.
import * as v from 'valibot';
import { fields, oneOf, path, rule, type ChecksOf } from '../check.js';
import { parsedJson } from '../json.js';
import type { Fields } from './fields.js';
import { limitFields, type SandboxRateLimit } from './rate-limiter.js';
import { jsonResponse, type ArrivedRequest, type Call, type Route } from './route.js';

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
   * The route's own rate limit, whose name is its path. Default: 10000 requests / 10 s. Requests count in the combined
   * rate limit of their path, too: `public` for `/api/v4/public/*`, `mainAccount` for `/api/v4/main-account/*`, `orders`
   * for `/api/v4/trade-account/*`.
   */
  readonly rateLimit?: SandboxRateLimit;
  /** `signed`: key, payload, signature and nonce are checked before `handle` is called. `none`: nothing is checked. */
  readonly authentication: 'none' | 'signed';
  /**
   * Returns the JSON body of a 200. Return a `Response` for any other status, such as `Response.json({ code: 30,
   * message: 'Validation failed', errors: {} }, { status: 422 })`. An exception, a promise, or a value that JSON cannot
   * represent becomes a 500 with a `message` that names the route.
   */
  readonly handle: (request: SandboxRequest) => unknown;
}

export const routeRules = fields({
  method: oneOf('GET', 'POST'),
  path,
  rateLimit: v.optional(fields(limitFields)),
  authentication: oneOf('none', 'signed'),
  handle: rule((value) => typeof value === 'function', 'must be a function'),
} satisfies ChecksOf<SandboxRoute>);

export function customRoute({ method, path, authentication, rateLimit, handle }: SandboxRoute): Route {
  const isSigned = authentication === 'signed';
  const respond = (call: Call): Response => {
    const { params, at: now } = call.request;
    const account = isSigned ? call.account : undefined;
    const fields = isSigned ? call.fields.fields : unsignedFields(method, call.request);
    try {
      const body = handle({ account, fields, params, now });
      if (body instanceof Promise) throw new Error('it must not return a promise');
      return body instanceof Response ? body : jsonResponse(200, body);
    } catch (error) {
      // Also a body that JSON cannot represent: a mistake of the test.
      const message = error instanceof Error ? error.message : String(error);
      return jsonResponse(500, { message: `sandbox.route: handle of ${path} failed: ${message}` });
    }
  };
  return { method, path, authentication, respond, ...(rateLimit === undefined ? {} : { rateLimit }) };
}

function unsignedFields(method: 'GET' | 'POST', { query, headers, body }: ArrivedRequest): Fields {
  if (method === 'GET') return Object.fromEntries(new URLSearchParams(query));
  const isForm = headers.get('content-type')?.includes('form-urlencoded') === true;
  const given = isForm ? Object.fromEntries(new URLSearchParams(body)) : parsedJson(body);
  return typeof given === 'object' ? { ...given } : {};
}
