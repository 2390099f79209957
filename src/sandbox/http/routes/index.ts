// The routes of every group, and their rate limits, which are the sandbox's own data: independent of the SDK's.
import { accountGroup } from './account.js';
import { assetsGroup } from './assets.js';
import { bulkOrdersGroup } from './bulk-orders.js';
import { cancelsGroup } from './cancels.js';
import { collateralAccountGroup } from './collateral-account.js';
import { collateralGroup } from './collateral.js';
import { dealsGroup } from './deals.js';
import { futuresGroup } from './futures.js';
import { marketDataGroup } from './market-data.js';
import { miningGroup } from './mining.js';
import { modifyOrderGroup } from './modify-order.js';
import { oauthGroup } from './oauth.js';
import { ocoOrdersGroup } from './oco-orders.js';
import { ordersGroup } from './orders.js';
import { positionsGroup } from './positions.js';
import { profileGroup } from './profile.js';
import { publicGroup } from './public.js';
import { spotGroup } from './spot.js';
import { spotOrdersGroup } from './spot-orders.js';
import { subAccountsGroup } from './sub-accounts.js';
import type { Route } from '../route.js';

export const routes: readonly Route[] = [
  ...publicGroup.routes,
  ...marketDataGroup.routes,
  ...assetsGroup.routes,
  ...futuresGroup.routes,
  ...spotGroup.routes,
  ...spotOrdersGroup.routes,
  ...collateralGroup.routes,
  ...bulkOrdersGroup.routes,
  ...collateralAccountGroup.routes,
  ...positionsGroup.routes,
  ...ordersGroup.routes,
  ...modifyOrderGroup.routes,
  ...ocoOrdersGroup.routes,
  ...cancelsGroup.routes,
  ...dealsGroup.routes,
  ...accountGroup.routes,
  ...subAccountsGroup.routes,
  ...miningGroup.routes,
  ...oauthGroup.routes,
  ...profileGroup.routes,
];

export const defaultLimits = {
  ...publicGroup.rateLimits,
  ...spotGroup.rateLimits,
  ...spotOrdersGroup.rateLimits,
  ...collateralGroup.rateLimits,
  ...bulkOrdersGroup.rateLimits,
  ...collateralAccountGroup.rateLimits,
  ...positionsGroup.rateLimits,
  ...ordersGroup.rateLimits,
  ...modifyOrderGroup.rateLimits,
  ...ocoOrdersGroup.rateLimits,
  ...cancelsGroup.rateLimits,
  ...accountGroup.rateLimits,
  ...subAccountsGroup.rateLimits,
  ...miningGroup.rateLimits,
  ...oauthGroup.rateLimits,
  ...marketDataGroup.rateLimits,
  ...profileGroup.rateLimits,
};

/**
 * Name of a rate limit. `public`, `mainAccount` and `orders` are those of several endpoints together: all public ones,
 * `main-account/*`, and the open orders with `trade-account/*`.
 */
export type SandboxRateLimitName = keyof typeof defaultLimits;
