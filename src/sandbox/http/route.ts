// Routes as data: the routes of a group of endpoints stand in one file.
import { publishedMethod, type PublishedPath } from '../published.js';
import type { Fields } from './authenticate.js';
import type { ExchangeState } from './exchange-state.js';
import type { FieldReader } from './fields.js';

export interface ArrivedRequest {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** Without the leading `?`. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: string;
  /** Arrival by the sandbox's clock, Unix milliseconds. */
  readonly at: number;
}

export interface SignedCall {
  readonly state: ExchangeState;
  readonly account: string;
  readonly fields: FieldReader;
  /** The fields of the body, unchecked. */
  readonly rawFields: Fields;
  readonly params: Readonly<Record<string, string>>;
  /** When the request was accepted, Unix milliseconds. */
  readonly acceptedAt: number;
}

interface RouteBase<RateLimitName extends string> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Name of the route's own rate limit; requests count in the combined ones of its path, too. */
  readonly rateLimit: RateLimitName;
}

export interface OpenRoute<RateLimitName extends string = string> extends RouteBase<RateLimitName> {
  readonly duringMaintenance?: boolean;
  readonly authentication: 'none';
  /** Returns the JSON body of a 200, or a Response. */
  readonly respond: (state: ExchangeState, request: ArrivedRequest) => unknown;
}

export interface SignedRoute<RateLimitName extends string = string> extends RouteBase<RateLimitName> {
  readonly duringMaintenance?: never;
  readonly authentication: 'signed';
  /** Returns the JSON body of a 200, or a Response; throws a Rejection. */
  readonly respond: (call: SignedCall) => unknown;
}

export type Route<RateLimitName extends string = string> = OpenRoute<RateLimitName> | SignedRoute<RateLimitName>;

export function open<Name extends string>(
  path: PublishedPath,
  rateLimit: Name,
  respond: OpenRoute['respond'],
  { duringMaintenance = false } = {},
): OpenRoute<Name> {
  return { path, method: publishedMethod(path), rateLimit, authentication: 'none', duringMaintenance, respond };
}

export function signed<Name extends string>(
  path: PublishedPath,
  rateLimit: Name,
  respond: SignedRoute['respond'],
): SignedRoute<Name> {
  return { path, method: publishedMethod(path), rateLimit, authentication: 'signed', respond };
}

export function jsonResponse(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}
