// What an application reads of the user who authorized it: the lists and balances of the account itself.
import { signed, type Route } from '../route.js';
import { accountRoutes } from './account.js';
import { convertRoutes } from './convert.js';
import { ordersRoutes } from './orders.js';
import { transfersRoutes } from './transfers.js';

/** Published: each reads as the endpoint of the account does. */
const twins: ReadonlyMap<string, string> = new Map([
  ['/api/v4/main-account/history', 'transactions'],
  ['/api/v4/convert/history', 'converts'],
  ['/api/v4/trade-account/order/history', 'orders'],
  ['/api/v4/trade-account/executed-history', 'deals'],
  ['/api/v4/main-account/balance', 'balances/main'],
  ['/api/v4/trade-account/balance', 'balances/spot'],
]);

export const usersRoutes: readonly Route[] = [
  ...[...accountRoutes, ...convertRoutes, ...ordersRoutes, ...transfersRoutes],
].flatMap(({ path, respond, fields = {} }) => {
  const name = twins.get(path);
  const twin = signed(`/api/v4/accounts/${name}`, respond, { fields });
  return name === undefined ? [] : [{ ...twin, authentication: 'bearer' }];
});
