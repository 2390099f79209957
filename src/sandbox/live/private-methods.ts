// The methods that need an authorized connection.

const queried = ['balanceSpot', 'balanceMargin', 'ordersPending', 'ordersExecuted', 'deals'];
const subscribedOnly = [
  'positionsMargin',
  'positionsAccountMargin',
  'borrowsMargin',
  'borrowsAccountMargin',
  'ADLQuantile',
];

const placed = {
  order_: ['limit', 'market', 'market_stock', 'stop_limit', 'stop_market', 'stop_market_stock', 'bbo', 'stop_bbo'],
  collateral_order_: ['limit', 'market', 'stop_limit', 'stop_market', 'bbo', 'stop_bbo', 'oco', 'oto', 'tpsl'],
};

/** The queries and subscriptions of accounts, and the methods for orders. */
export const privateMethods: ReadonlySet<string> = new Set([
  ...queried.map((channel) => `${channel}_request`),
  ...[...queried, ...subscribedOnly].flatMap((channel) => [`${channel}_subscribe`, `${channel}_unsubscribe`]),
  ...Object.entries(placed).flatMap(([prefix, kinds]) => kinds.map((kind) => `${prefix}${kind}_place`)),
  ...['order_modify', 'order_cancel', 'order_cancel_conditional', 'order_cancel_all'],
]);
