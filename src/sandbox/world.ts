// All that the sandbox holds, as its HTTP side sees it.
import type { MiningAccount } from '../model/mining-account.js';
import type { SubAccount } from '../model/sub-account.js';
import type { Clock } from './clock.js';
import type { EngineApi } from './engine/engine-api.js';
import type { Dialect } from './http/dialect.js';
import type { Faults } from './http/faults.js';
import type { RateLimits } from './http/rate-limits.js';
import type { Key } from './keys.js';
import type { Books, RequestSeen } from './ledger.js';
import type { OAuth } from './oauth.js';
import type { Journal } from './retention.js';

export interface World {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly engine: EngineApi;
  readonly books: Books;
  /** By public key. */
  readonly keys: ReadonlyMap<string, Key>;
  readonly subAccounts: readonly SubAccount[];
  readonly miningAccounts: readonly MiningAccount[];
  readonly oauth: OAuth;
  readonly rateLimits: RateLimits;
  readonly faults: Faults;
  /** How long after it ended an order is missing from the history, milliseconds. */
  readonly historyLagMs: number;
  /** Whether open orders with a stop loss or take profit are listed among the conditional orders only. */
  readonly conditionalListing: boolean;
  /** The paths that ignore the client's identifiers, or `true`: all. */
  readonly dropIdentifiers: readonly string[] | true;
  /** Draws what is odd or unreadable in responses, from 0 to 1. */
  readonly random: () => number;
  /** What the `Date` of responses is off by, milliseconds. */
  dateOffsetMs: number;
  /** The requests that were sent; the HTTP side writes it. */
  readonly requests: Journal<RequestSeen>;
}
