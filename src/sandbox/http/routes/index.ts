// The routes of every group.
import { accountRoutes } from './account.js';
import { assetsRoutes } from './assets.js';
import { cancelsRoutes } from './cancels.js';
import { collateralAccountRoutes } from './collateral-account.js';
import { futuresRoutes } from './futures.js';
import { marketDataRoutes } from './market-data.js';
import { ocoOrdersRoutes } from './oco-orders.js';
import { ordersRoutes } from './orders.js';
import { placeOrdersRoutes } from './place-orders.js';
import { positionsRoutes } from './positions.js';
import { publicRoutes } from './public.js';
import type { Route } from '../route.js';

export const routes: readonly Route[] = [
  ...publicRoutes,
  ...placeOrdersRoutes,
  ...marketDataRoutes,
  ...assetsRoutes,
  ...futuresRoutes,
  ...collateralAccountRoutes,
  ...positionsRoutes,
  ...ordersRoutes,
  ...ocoOrdersRoutes,
  ...cancelsRoutes,
  ...accountRoutes,
];
