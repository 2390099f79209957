// Written by `npm run docs`: the members of `exchange.collateral`.
export * from './adl-quantiles.js';
export * from './balance.js';
export * from './balance-summary.js';
export * from './close-position.js';
export * from './closed-positions.js';
export * from './funding-payments.js';
export * from './hedge-mode.js';
export * from './open-positions.js';
export * from './place-limit-order.js';
export * from './place-limit-orders.js';
export * from './place-market-order.js';
export * from './place-stop-limit-order.js';
export * from './place-trigger-market-order.js';
export * from './position-history.js';
export * from './set-hedge-mode.js';
export * from './set-leverage.js';
export * from './summary.js';
