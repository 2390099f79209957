// Routes that a test adds to the sandbox, for endpoints that it does not have.
import type { SandboxLimitGroup } from './rate-limits.js';

/** A request to a route of your own. */
export interface SandboxRequest {
  /** The account whose key signed it; `undefined` when the route's `authentication` is `none`. */
  readonly account: string | undefined;
  /**
   * `POST`: the fields of its body, JSON or a form of at most 64 KiB. `GET`: those of its query. A signed request's
   * `request` and `nonce` are among them.
   */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The sandbox's time, Unix ms. */
  readonly now: number;
}

/** A route to add with {@link Sandbox.route}. */
export interface SandboxRoute {
  /** HTTP method. Requests with another one get 405. */
  readonly method: 'GET' | 'POST';
  /** The path, such as `/api/v4/convert/estimate`. */
  readonly path: string;
  /**
   * The limit that its requests count in. Default: one of its own, 10000 requests / 10 s, which the ledger knows by the
   * path.
   */
  readonly group?: SandboxLimitGroup;
  /** `signed`: key, payload, signature and nonce are checked before `handle` is called. `none`: nothing is. */
  readonly authentication: 'none' | 'signed';
  /**
   * Responds to a request: what it returns is the JSON body of a 200. Return a `Response` for any other status, such as
   * `Response.json({ code: 30, message: 'Validation failed', errors: {} }, { status: 422 })`. It must not return a
   * promise. What it throws, or returns and JSON cannot hold, becomes a 500 with a `message` that names the route.
   */
  readonly handle: (request: SandboxRequest) => unknown;
}
