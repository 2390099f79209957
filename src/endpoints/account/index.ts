// Written by `npm run docs`: the members of `exchange.account`.
export * from './card-gateway-token.js';
export * from './code-lists.js';
export * from './codes.js';
export * from './deposit-address.js';
export * from './express-payment.js';
export * from './fiat-deposit.js';
export * from './main-balance.js';
export * from './refunds.js';
export * from './transaction-fees.js';
export * from './transactions.js';
export * from './transfers.js';
export * from './websocket-token.js';
export * from './withdrawable-balance.js';
export * from './withdrawals.js';
