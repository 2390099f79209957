// The door of orders: at most one of each.
export { roundAmount, roundPrice, type MarketRules } from './check-order.js';
export { checkAgainstMarkets, listedMarket, marketsByName, type ListedMarket } from './markets.js';
export { createClientOrderId, progressOf, refusedOrder, type OrderEvent, type UndecidedOrder } from './order-fields.js';
export { isIdentifiedBy } from './order-registry.js';
export { defaultHistoryLagMs, defaultSettleMs, Orders } from './orders.js';
