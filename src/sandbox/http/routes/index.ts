// The routes of every group.
import { accountRoutes } from './account.js';
import { assetsRoutes } from './assets.js';
import { cancelsRoutes } from './cancels.js';
import { codesRoutes } from './codes.js';
import { collateralAccountRoutes } from './collateral-account.js';
import { convertRoutes } from './convert.js';
import { fixedLendingRoutes } from './fixed-lending.js';
import { flexLendingRoutes } from './flex-lending.js';
import { futuresRoutes } from './futures.js';
import { mainAccountRoutes } from './main-account.js';
import { marketDataRoutes } from './market-data.js';
import { miningRoutes } from './mining.js';
import { ocoOrdersRoutes } from './oco-orders.js';
import { ordersRoutes } from './orders.js';
import { placeOrdersRoutes } from './place-orders.js';
import { positionsRoutes } from './positions.js';
import { publicRoutes } from './public.js';
import { transfersRoutes } from './transfers.js';
import { subAccountsRoutes } from './sub-accounts.js';
import { usersRoutes } from './users.js';
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
  ...mainAccountRoutes,
  ...codesRoutes,
  ...convertRoutes,
  ...fixedLendingRoutes,
  ...flexLendingRoutes,
  ...miningRoutes,
  ...transfersRoutes,
  ...subAccountsRoutes,
  ...usersRoutes,
];
