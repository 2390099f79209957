// Written by `npm run docs`.
/**
 * The endpoints as data, a namespace for each group. A client calls an endpoint: `client.call(orders.cancel, …)`.
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import * as endpoints from 'exchange-rx/endpoints';
 *
 * const exchange = createExchange({ baseUrl: 'https://exchange.example' });
 * exchange.call(endpoints.public.ping).subscribe(([pong]) => console.log(pong));
 * ```
 *
 * @packageDocumentation
 */
import * as publicEndpoints from './public/index.js';

export * as account from './account/index.js';
export * as apiKeys from './api-keys/index.js';
export * as collateral from './collateral/index.js';
export * as compliance from './compliance/index.js';
export * as convert from './convert/index.js';
export * as lending from './lending/index.js';
export * as mining from './mining/index.js';
export * as oauth from './oauth/index.js';
export * as orders from './orders/index.js';
// `public` is a reserved word: it can be exported, but not declared.
export { publicEndpoints as public };
export * as spot from './spot/index.js';
export * as subAccounts from './sub-accounts/index.js';
