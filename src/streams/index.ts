export { balanceChanges, type BalanceChange } from './balance-changes.js';
export type { Health, HealthReason, HealthThresholds, PingLatency } from './health.js';
export { watchBalance, type BalanceUpdate, type WatchBalanceOptions } from './watch-balance.js';
export { watchHealth, type WatchHealthOptions } from './watch-health.js';
