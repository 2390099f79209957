/**
 * The exchange itself, in process: accounts, markets, orders, limits, faults, and a ledger that tests can read.
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const sandbox = createSandbox({ accounts: [{ name: 'main', balances: { trade: { USDT: '1000' } } }] });
 * const exchange = createExchange(sandbox.clientOptions());
 * exchange.public.ping().subscribe(() => console.log(sandbox.ledger.requests.length));
 * ```
 *
 * @packageDocumentation
 */
export { createSandbox } from './sandbox.js';
export type {
  InProcessClientOptions,
  ListenOptions,
  Outage,
  Sandbox,
  SandboxAccount,
  SandboxAccountOptions,
  SandboxClientOptions,
  SandboxMarket,
  SandboxOptions,
  SandboxServer,
} from './sandbox-api.js';
export type { SandboxClock } from './clock.js';
export type { Depth, SandboxMarketOptions } from './engine/listing.js';
export type { StopOrder } from './engine/engine.js';
export type { Dialect } from './http/dialect.js';
export { faultKinds, type Fault, type FaultKind, type PendingFault, type RandomFaults } from './http/faults.js';
export type { SandboxLimit, SandboxLimitGroup } from './http/rate-limits.js';
export type { SandboxRequest, SandboxRoute } from './http/route.js';
export type { LedgerEntry, Balances, Ledger, LedgerFill, LedgerOrder, RequestSeen, Wallet } from './ledger.js';
export type { OAuthClient } from './oauth.js';
