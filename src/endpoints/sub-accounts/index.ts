export * from './list.js';
export * from './list-all.js';
