export { watchBalance, type BalanceDelta, type BalanceUpdate, type WatchBalanceOptions } from './watch-balance.js';
export { watchHealth, type Health, type WatchHealthOptions } from './watch-health.js';
