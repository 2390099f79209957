// Written by `npm run docs`: the members of `exchange.spot`.
export * from './balance.js';
export * from './fees.js';
export * from './place-orders.js';
