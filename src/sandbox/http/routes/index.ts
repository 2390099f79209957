// The routes of every group.
import { bearer, type Route } from '../route.js';
import { accountRoutes } from './account.js';
import { assetsRoutes } from './assets.js';
import { convertRoutes } from './convert.js';
import { fixedLendingRoutes } from './fixed-lending.js';
import { flexLendingRoutes } from './flex-lending.js';
import { mainAccountRoutes } from './main-account.js';
import { marketDataRoutes } from './market-data.js';
import { miningRoutes } from './mining.js';
import { orderChangesRoutes } from './order-changes.js';
import { orderListsRoutes } from './order-lists.js';
import { placeOrdersRoutes } from './place-orders.js';
import { positionsRoutes } from './positions.js';
import { publicRoutes } from './public.js';
import { subAccountsRoutes } from './sub-accounts.js';
import { transfersRoutes } from './transfers.js';

const ofAccounts: readonly Route[] = [
  ...publicRoutes,
  ...placeOrdersRoutes,
  ...marketDataRoutes,
  ...assetsRoutes,
  ...positionsRoutes,
  ...orderListsRoutes,
  ...orderChangesRoutes,
  ...accountRoutes,
  ...mainAccountRoutes,
  ...convertRoutes,
  ...fixedLendingRoutes,
  ...flexLendingRoutes,
  ...miningRoutes,
  ...transfersRoutes,
  ...subAccountsRoutes,
];

/** Published: what an application reads of a user who authorized it, each as the endpoint of the account reads it. */
const ofUsers: ReadonlyMap<string, string> = new Map([
  ['/api/v4/main-account/history', 'transactions'],
  ['/api/v4/convert/history', 'converts'],
  ['/api/v4/trade-account/order/history', 'orders'],
  ['/api/v4/trade-account/executed-history', 'deals'],
  ['/api/v4/main-account/balance', 'balances/main'],
  ['/api/v4/trade-account/balance', 'balances/spot'],
]);

export const routes: readonly Route[] = ofAccounts.flatMap((route) => {
  const name = ofUsers.get(route.path);
  if (name === undefined) return [route];
  const { respond, fields = {} } = route;
  return [route, bearer(`/api/v4/accounts/${name}`, respond, { fields })];
});
