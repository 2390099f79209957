export {
  checkOrder,
  roundAmount,
  roundPrice,
  type LimitOrderToCheck,
  type MarketOrderToCheck,
  type MarketRules,
  type OrderToCheck,
} from './check-order.js';
export { cacheMarkets, marketsByName, type MarketsByName } from './market-cache.js';
export { checkAgainstMarkets } from './check-against-markets.js';
