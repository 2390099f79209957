export * from './markets.js';
export * from './ping.js';
export * from './server-time.js';
