// Written by `npm run docs`: the members of `exchange.convert`.
export * from './convert.js';
