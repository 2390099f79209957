/**
 * The exchange in process: accounts, markets, orders, rate limits, faults, and a ledger that tests can read.
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
export type * from './sandbox-api.js';
export type { SandboxClock } from './clock.js';
export type { MarketDepth, QueueModel, SandboxMarketOptions } from './engine/index.js';
export { faultKinds, type Fault, type FaultKind, type PendingFault, type RandomFaults } from './faults/index.js';
export { parseFaultPlan, type FaultPlan } from './fault-plan.js';
export type { MatchingOptions, SandboxAccountOptions, SandboxOptions } from './sandbox-options.js';
export type { SandboxRateLimit, SandboxRequest, SandboxRoute } from './http/index.js';
export type { LiveFault, LiveFaultKind, PendingLiveFault, RandomLiveFaults } from './live/index.js';
export type { SandboxSocketEvent, SandboxWebSocket, SandboxWebSocketClass } from './live/index.js';
export { liveFaultKinds } from './live/index.js';
export type * from './ledger.js';
export * from '../report/index.js';
export type { MarketClosure, MarketFees, MarketStatus, RunOptions, RunResult } from './replay/index.js';
export type { OAuthClient } from './tokens.js';
export type { ListenOptions } from './port/listen.js';
