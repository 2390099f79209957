// Routes as data: what the exchange publishes about an endpoint, and the function that responds. It is the sandbox's own
// copy, because facts that it shared with the SDK could not show a mistake of the SDK.
import type { FieldErrors } from '../../model/error-body.js';
import type { Books } from '../books.js';
import type { Clock } from '../clock.js';
import type { Codes } from '../codes.js';
import type { Conversions } from '../conversions.js';
import type { Deposits } from '../deposits.js';
import type { Engine } from '../engine/index.js';
import type { FixedLending } from '../fixed-lending.js';
import type { FlexLending } from '../flex-lending.js';
import type { InjectedFaults } from '../faults/index.js';
import type { HistoryLag } from '../history-lag.js';
import type { Key } from '../keys.js';
import type { LedgerRequest } from '../ledger.js';
import type { Miners } from '../miners.js';
import type { MiningPool } from '../mining-pool.js';
import type { PaymentPages } from '../payment-pages.js';
import type { Journal } from '../retention.js';
import type { SubAccounts } from '../sub-accounts.js';
import type { LiveTokens, OAuth } from '../tokens.js';
import type { Behavior } from '../unkind.js';
import type { Wallets } from '../wallets.js';
import type { Fields } from './authenticate.js';
import type { FieldReader, PublishedFields } from './fields.js';
import type { RateLimiter, SandboxRateLimit } from './rate-limiter.js';

/** What the routes read and change. */
export interface ExchangeState {
  readonly clock: Clock;
  readonly engine: Engine;
  readonly books: Books;
  readonly wallets: Wallets;
  readonly behavior: Behavior;
  readonly history: HistoryLag;
  readonly ignoreClientOrderIds: readonly string[] | true;
  readonly registry: {
    /** By public key. */
    readonly keys: ReadonlyMap<string, Key>;
    readonly oauth: OAuth;
    readonly liveTokens: LiveTokens;
    readonly subAccounts: SubAccounts;
    readonly mining: MiningPool;
    readonly miners: Miners;
    readonly codes: Codes;
    readonly conversions: Conversions;
    readonly deposits: Deposits;
    readonly fixedLending: FixedLending;
    readonly flexLending: FlexLending;
    readonly payments: PaymentPages;
  };
  readonly gateway: {
    /** By path. */
    readonly routes: Map<string, Route>;
    readonly rateLimiter: RateLimiter;
    readonly faults: InjectedFaults;
    readonly requests: Journal<LedgerRequest>;
    isInMaintenance: boolean;
  };
}

interface Terms extends PublishedFields {
  /** Default: 10000 requests / 10 s. */
  readonly rateLimit?: SandboxRateLimit;
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

/** The values of a checked query, with their defaults. */
export interface Query {
  readonly text: (name: string) => string | undefined;
  readonly integer: (name: string) => number | undefined;
}

export interface OpenCall {
  readonly state: ExchangeState;
  readonly request: ArrivedRequest;
  readonly query: Query;
}

export interface SignedCall {
  readonly state: ExchangeState;
  readonly account: string;
  readonly fields: FieldReader;
  /** The fields of the body, unchecked. */
  readonly rawFields: Fields;
  readonly request: ArrivedRequest;
}

interface OpenTerms extends Terms {
  readonly duringMaintenance?: boolean;
  /** The response to an invalid request: public endpoints have shapes of their own. */
  readonly errors?: (errors: FieldErrors) => Response;
}

interface RouteBase {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

export interface OpenRoute extends RouteBase, OpenTerms {
  readonly authentication: 'none';
  /** Returns the JSON body of a 200, or a Response; throws a Rejection. */
  readonly respond: (call: OpenCall) => unknown;
}

export interface SignedRoute extends RouteBase, Terms {
  /** By a key, or by the access token of an application that a user has authorized. */
  readonly authentication: 'signed' | 'bearer';
  /** Returns the JSON body of a 200, or a Response; throws a Rejection. */
  readonly respond: (call: SignedCall) => unknown;
}

export type Route = OpenRoute | SignedRoute;

/** A route without a signature; parameters of the path stand in braces: `/orderbook/{market}`. */
export function open(path: string, respond: OpenRoute['respond'], terms: OpenTerms = {}): OpenRoute {
  return { method: path.includes('/public/') ? 'GET' : 'POST', path, authentication: 'none', respond, ...terms };
}

export function signed(path: string, respond: SignedRoute['respond'], terms: Terms = {}): SignedRoute {
  return { method: 'POST', path, authentication: 'signed', respond, ...terms };
}

/** A route with an access token. */
export function bearer(path: string, respond: SignedRoute['respond'], terms: Terms = {}): SignedRoute {
  return { ...signed(path, respond, terms), authentication: 'bearer' };
}

/** The rate limit of this number of requests. */
export function per10s(limit: number): SandboxRateLimit {
  return { limit, windowMs: 10_000 };
}

/** The fields of the page of a list: the largest `limit`, and the default one. */
export function page(maximum: number, limit = maximum, maxOffset = Number.MAX_SAFE_INTEGER) {
  return {
    limit: { minimum: 1, maximum, default: limit },
    offset: { minimum: 0, maximum: maxOffset, default: 0 },
  };
}

export function jsonResponse(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}
