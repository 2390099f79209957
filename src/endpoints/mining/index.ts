export * from './list-accounts.js';
export * from './list-all-accounts.js';
