// Written by `npm run docs`: the methods of each group, as a client has them.
export type { AccountEndpoints } from './account/methods.js';
export type { CollateralEndpoints } from './collateral/methods.js';
export type { MiningEndpoints } from './mining/methods.js';
export type { OauthEndpoints } from './oauth/methods.js';
export type { OrdersEndpoints } from './orders/methods.js';
export type { PublicEndpoints } from './public/methods.js';
export type { SpotEndpoints } from './spot/methods.js';
export type { SubAccountsEndpoints } from './sub-accounts/methods.js';
