/**
 * Streams of the main balance and of the exchange's health. They poll, and do not end when a poll fails.
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 * import { watchHealth } from 'exchange-rx/streams';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * watchHealth(exchange, { everyMs: 1000 }).subscribe(({ state }) => console.log(state));
 * ```
 *
 * @packageDocumentation
 */
export { balanceChanges, type BalanceChange } from './balance-changes.js';
export type { Health, HealthReason, HealthThresholds, PingLatency } from './health.js';
export { watchBalance, type BalanceUpdate, type WatchBalanceOptions } from './watch-balance.js';
export { watchHealth, type WatchHealthOptions } from './watch-health.js';
