// Written by `npm run docs`: the members of `exchange.collateral`.
export * from './place-limit-order.js';
export * from './set-leverage.js';
