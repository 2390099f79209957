// Written by `npm run docs`: the members of `exchange.mining`.
export * from './list-accounts.js';
