// All that the sandbox holds, as its HTTP side sees it.
import type { MiningAccount } from '../model/mining-account.js';
import type { SubAccount } from '../model/sub-account.js';
import type { SandboxClock } from './clock.js';
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
  readonly clock: SandboxClock;
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
  /** The requests that arrived; the HTTP side writes it. */
  readonly requests: Journal<RequestSeen>;
}
