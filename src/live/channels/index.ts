// The channels whose values replace each other: each is a member of `exchange.live` by its name.
export * from './premium-index.js';
export * from './prices.js';
