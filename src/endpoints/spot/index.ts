export * from './cancel-order.js';
export * from './conditional-orders.js';
export * from './open-orders.js';
export * from './order-history.js';
export * from './place-market-order.js';
export * from './place-stock-market-order.js';
export * from './set-kill-switch.js';
