// Written by `npm run docs`: the members of `exchange.mining`.
export * from './accounts.js';
export * from './rewards.js';
export * from './watcher-links.js';
export * from './workers.js';
