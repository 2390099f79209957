// Written by `npm run docs`: the members of `exchange.subAccounts`.
export * from './list.js';
export * from './manage.js';
export * from './transfers.js';
