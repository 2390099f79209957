export * from './place-limit-order.js';
export * from './set-leverage.js';
