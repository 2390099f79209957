export * from './list.js';
