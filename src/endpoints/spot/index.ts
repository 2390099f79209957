// Written by `npm run docs`: the members of `exchange.spot`.
export * from './balance.js';
export * from './balance-of.js';
export * from './fees.js';
export * from './place-limit-order.js';
export * from './place-limit-orders.js';
export * from './place-market-order.js';
export * from './place-stock-market-order.js';
export * from './place-stop-limit-order.js';
export * from './place-stop-market-order.js';
