// The door of the streams: the balances and the health of the exchange, as they change.
export { watchBalance, type AllBalancesUpdate, type WatchBalanceOptions } from './watch-balance.js';
export { watchHealth, type Health, type WatchHealthOptions } from './watch-health.js';
export type { BalanceChange, BalanceUpdate, CollateralBalanceUpdate, SpotBalanceUpdate } from './wallets.js';
