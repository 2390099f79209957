// The channels whose values replace each other: each is a member of `exchange.live` by its name.
export * from './book-ticker.js';
export * from './last-price.js';
export * from './premium-index.js';
export * from './statistics.js';
