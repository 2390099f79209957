// Written by `npm run docs`: the members of `exchange.lending`.
export * from './credit-line.js';
export * from './fixed.js';
export * from './flex-investments.js';
export * from './flex-operations.js';
