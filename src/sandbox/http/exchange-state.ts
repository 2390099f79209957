// The state of the exchange that the HTTP side works on.
import type { MiningAccount, SubAccount } from '../../model/accounts.js';
import type { Books } from '../books.js';
import type { Clock } from '../clock.js';
import type { Engine } from '../engine/index.js';
import type { InjectedFaults } from '../faults/index.js';
import type { HistoryLag } from '../history-lag.js';
import type { Key } from '../keys.js';
import type { LedgerRequest } from '../ledger.js';
import type { LiveTokens, OAuth } from '../tokens.js';
import type { Journal } from '../retention.js';
import type { Behavior } from '../unkind.js';
import type { RateLimiter } from './rate-limiter.js';

interface AccountRegistry {
  /** By public key. */
  readonly keys: ReadonlyMap<string, Key>;
  readonly oauth: OAuth;
  readonly liveTokens: LiveTokens;
  readonly subAccounts: readonly SubAccount[];
  readonly miningAccounts: readonly MiningAccount[];
}

interface Gateway {
  readonly rateLimiter: RateLimiter;
  readonly faults: InjectedFaults;
  readonly requests: Journal<LedgerRequest>;
  isInMaintenance: boolean;
}

interface ListRules {
  readonly history: HistoryLag;
  readonly ignoreClientOrderIds: readonly string[] | true;
}

export interface ExchangeState {
  readonly clock: Clock;
  readonly engine: Engine;
  readonly books: Books;
  readonly registry: AccountRegistry;
  readonly gateway: Gateway;
  readonly lists: ListRules;
  readonly behavior: Behavior;
}
