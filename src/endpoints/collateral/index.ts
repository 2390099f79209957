// Written by `npm run docs`: the members of `exchange.collateral`.
export * from './adl-quantiles.js';
export * from './balance.js';
export * from './borrow-history.js';
export * from './funding-payments.js';
export * from './hedge-mode.js';
export * from './place-oco-order.js';
export * from './place-orders.js';
export * from './position-history.js';
export * from './positions.js';
export * from './set-leverage.js';
