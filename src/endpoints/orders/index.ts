// Written by `npm run docs`: the members of `exchange.orders`.
export * from './cancel.js';
export * from './conditional.js';
export * from './deals.js';
export * from './deals-by-market.js';
export * from './deals-of-order.js';
export * from './find.js';
export * from './history.js';
export * from './modify.js';
export * from './open.js';
export * from './set-kill-switch.js';
