export * from './list-accounts.js';
