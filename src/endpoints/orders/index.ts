// Written by `npm run docs`: the members of `exchange.orders`.
export * from './cancel-many.js';
export * from './cancel.js';
export * from './conditional.js';
export * from './deals-of-order.js';
export * from './deals.js';
export * from './delisted.js';
export * from './find.js';
export * from './history.js';
export * from './kill-switch.js';
export * from './modify.js';
export * from './oco.js';
export * from './open.js';
