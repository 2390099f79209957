// The door of the streams: the balances and the health of the exchange, as they change.
export type {
  AllBalancesUpdate,
  BalanceChange,
  BalanceUpdate,
  CollateralBalanceUpdate,
  SpotBalanceUpdate,
} from './balance-updates.js';
export type { Health } from './health.js';
export { watchBalance, type WatchBalanceOptions } from './watch-balance.js';
export { watchHealth, type WatchHealthOptions } from './watch-health.js';
