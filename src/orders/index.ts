// The door of orders: at most one of each.
export type { AbsencePremises } from './absence-proof.js';
export { bulkResults } from './bulk-order.js';
export { checkOrder, roundAmount, roundPrice, type MarketRules } from './check-order.js';
export { cacheMarkets, marketsByName, type MarketsByName } from './market-cache.js';
export { checkAgainstMarkets } from './market-check.js';
export type { OrderEvent, OrderProgress } from './order-desk.js';
export { aboutOrder, identifierOf, identifiersOf, type UndecidedOrder } from './order-fields.js';
export { isIdentifiedBy } from './order-registry.js';
export { Orders } from './orders.js';
