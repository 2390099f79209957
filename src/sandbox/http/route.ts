// Routes as data: what the exchange publishes about an endpoint, and the function that responds. It is the sandbox's own
// copy, because facts that it shared with the SDK could not show a mistake of the SDK.
import { formatDecimal, isDecimal } from '../../model/decimal.js';
import type { FieldErrors } from '../../model/error-body.js';
import type { Books } from '../books.js';
import type { Clock } from '../clock.js';
import type { Engine } from '../engine/index.js';
import type { InjectedFaults } from '../faults/index.js';
import type { HistoryLag } from '../history-lag.js';
import type { LedgerRequest } from '../ledger.js';
import type { Key } from '../keys.js';
import type { Records } from '../records.js';
import type { Journal } from '../retention.js';
import type { OAuth, OneTimeTokens } from '../tokens.js';
import type { Behavior } from '../unkind.js';
import type { Wallets } from '../wallets.js';
import type { FieldReader, PublishedFields } from './fields.js';
import { ownLimitOf, type RateLimiter, type SandboxRateLimit } from './rate-limiter.js';

export interface ExchangeState {
  readonly clock: Clock;
  readonly random: () => number;
  readonly engine: Engine;
  readonly books: Books;
  readonly wallets: Wallets;
  readonly records: Records;
  /** By public key. */
  readonly keys: Map<string, Key>;
  readonly oauth: OAuth;
  readonly liveTokens: OneTimeTokens;
  readonly behavior: Behavior;
  readonly history: HistoryLag;
  readonly ignoreClientOrderIds: readonly string[] | true;
  readonly gateway: {
    /** By path. */
    readonly routes: Map<string, Route>;
    readonly rateLimiter: RateLimiter;
    readonly faults: InjectedFaults;
    readonly requests: Journal<LedgerRequest>;
    isInMaintenance: boolean;
  };
}

export interface ArrivedRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** Without the leading `?`. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: string;
  /** Arrival by the sandbox's clock, Unix milliseconds. */
  readonly at: number;
}

export interface Call {
  readonly state: ExchangeState;
  readonly request: ArrivedRequest;
  /** The account whose key, or whose user's token, authenticated the request; empty for a route without authentication. */
  readonly account: string;
  readonly fields: FieldReader;
}

interface Terms extends PublishedFields {
  /** Default: {@link ownLimitOf}. */
  readonly rateLimit?: SandboxRateLimit;
  readonly duringMaintenance?: boolean;
  /** The response to an invalid request: public endpoints have shapes of their own. */
  readonly errors?: (errors: FieldErrors) => Response;
}

export interface Route extends Terms {
  readonly method: 'GET' | 'POST';
  /** Parameters stand in braces: `/orderbook/{market}`. */
  readonly path: string;
  /** `bearer`: by the access token of an application that a user has authorized. */
  readonly authentication: 'none' | 'signed' | 'bearer';
  /** Returns the JSON body of a 200, or a Response; throws a Rejection. */
  readonly respond: (call: Call) => unknown;
}

function routesWith(authentication: Route['authentication']) {
  return (path: string, respond: Route['respond'], terms: Terms = {}): Route => {
    const method = path.includes('/public/') ? 'GET' : 'POST';
    return { rateLimit: ownLimitOf(path), method, path, authentication, respond, ...terms };
  };
}

export const open = routesWith('none');
export const signed = routesWith('signed');
export const bearer = routesWith('bearer');

/** The fields of the page of a list: the largest `limit`, and the default one. */
export function page(maximum: number, limit = maximum, maxOffset = Number.MAX_SAFE_INTEGER) {
  return {
    limit: { minimum: 1, maximum, default: limit },
    offset: { minimum: 0, maximum: maxOffset, default: 0 },
  };
}

/** Decimals of the body are written as the exchange writes them. */
export function jsonResponse(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const text = JSON.stringify(body, function (this: Readonly<Record<string, unknown>>, name, value: unknown) {
    const given = this[name];
    return isDecimal(given) ? formatDecimal(given) : value;
  });
  return new Response(text, { status, headers: { 'content-type': 'application/json', ...headers } });
}
