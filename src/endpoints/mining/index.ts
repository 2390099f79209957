// Written by `npm run docs`: the members of `exchange.mining`.
export * from './list-accounts.js';
export * from './list-all-accounts.js';
