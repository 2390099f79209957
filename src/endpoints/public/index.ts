// Written by `npm run docs`: the members of `exchange.public`.
export * from './markets.js';
export * from './ping.js';
export * from './server-time.js';
