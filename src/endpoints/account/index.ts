export * from './main-balance.js';
