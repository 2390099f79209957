// Written by `npm run docs`: the members of `exchange.collateral`.
export * from './balance.js';
export * from './balance-summary.js';
export * from './hedge-mode.js';
export * from './open-positions.js';
export * from './place-limit-order.js';
export * from './place-limit-orders.js';
export * from './place-market-order.js';
export * from './place-oco-order.js';
export * from './place-stop-limit-order.js';
export * from './place-trigger-market-order.js';
export * from './set-leverage.js';
export * from './summary.js';
