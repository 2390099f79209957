// Written by `npm run docs`: the members of `exchange.account`.
export * from './main-balance.js';
export * from './websocket-token.js';
