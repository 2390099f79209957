export { checkOrder, roundAmount, roundPrice, type MarketRules, type OrderToCheck } from './check-order.js';
export { cacheMarkets, type MarketsByName } from './market-cache.js';
