export * from './refresh-token.js';
