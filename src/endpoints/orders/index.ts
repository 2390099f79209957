// Written by `npm run docs`: the members of `exchange.orders`.
export * from './cancel.js';
export * from './cancel-all.js';
export * from './cancel-conditional.js';
export * from './cancel-many.js';
export * from './cancel-oco.js';
export * from './cancel-oto.js';
export * from './conditional.js';
export * from './deals.js';
export * from './deals-by-market.js';
export * from './deals-of-order.js';
export * from './delisted.js';
export * from './find.js';
export * from './history.js';
export * from './kill-switches.js';
export * from './oco.js';
export * from './open.js';
export * from './set-kill-switch.js';
