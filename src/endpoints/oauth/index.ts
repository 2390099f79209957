// Written by `npm run docs`: the members of `exchange.oauth`.
export * from './exchange-code.js';
export * from './refresh-token.js';
export * from './users.js';
