// The door of orders: at most one of each.
export { checkOrder, roundAmount, roundPrice, type MarketRules } from './check-order.js';
export { cacheMarkets, checkAgainstMarkets, listedMarket, marketsByName, type ListedMarket } from './markets.js';
export { createClientOrderId, progressOf, refusedOrder, type OrderEvent, type UndecidedOrder } from './order-fields.js';
export { isIdentifiedBy } from './order-registry.js';
export { defaultHistoryLagMs, defaultSettleMs, Orders } from './orders.js';
