// Written by `npm run docs`: the members of `exchange.apiKeys`.
export * from './api-keys.js';
