// The routes of every group, and their rate limits, which are the sandbox's own data: independent of the SDK's.
import { accountRoutes } from './account.js';
import { assetsRoutes } from './assets.js';
import { bulkOrdersRoutes } from './bulk-orders.js';
import { cancelsRoutes } from './cancels.js';
import { collateralAccountRoutes } from './collateral-account.js';
import { collateralRoutes } from './collateral.js';
import { futuresRoutes } from './futures.js';
import { marketDataRoutes } from './market-data.js';
import { ocoOrdersRoutes } from './oco-orders.js';
import { ordersRoutes } from './orders.js';
import { positionsRoutes } from './positions.js';
import { publicRoutes } from './public.js';
import { spotRoutes } from './spot.js';
import { publishedLimit } from '../../published.js';
import { combinedLimits } from '../rate-limiter.js';
import type { SandboxRateLimit } from '../rate-limiter.js';
import type { Route } from '../route.js';

const allRoutes = [
  ...publicRoutes,
  ...spotRoutes,
  ...marketDataRoutes,
  ...assetsRoutes,
  ...futuresRoutes,
  ...collateralRoutes,
  ...bulkOrdersRoutes,
  ...collateralAccountRoutes,
  ...positionsRoutes,
  ...ordersRoutes,
  ...ocoOrdersRoutes,
  ...cancelsRoutes,
  ...accountRoutes,
];

export const routes: readonly Route[] = allRoutes;

const rateLimitNames = namesOf(allRoutes);

/**
 * Name of a rate limit. `public`, `mainAccount` and `orders` are those of several endpoints together: all public ones,
 * `main-account/*`, and the open orders with `trade-account/*`.
 */
export type SandboxRateLimitName = (typeof rateLimitNames)[number] | keyof typeof combinedLimits;

export const defaultLimits: Readonly<Record<string, SandboxRateLimit>> = {
  ...Object.fromEntries(routes.map(({ path, rateLimit }) => [rateLimit, publishedLimit(path)])),
  ...combinedLimits,
};

function namesOf<Name extends string>(all: readonly Route<Name>[]): readonly Name[] {
  return all.map(({ rateLimit }) => rateLimit);
}
