// Written by `npm run docs`: the members of `exchange.oauth`.
export * from './refresh-token.js';
