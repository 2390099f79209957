export * from './place-market-order.js';
export * from './place-stock-market-order.js';
