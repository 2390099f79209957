// The sub-accounts of the account.
import { pageOf } from '../fields.js';
import { routeGroup, type SignedCall } from '../route.js';

const maxSearchLength = 255;

export const subAccountsGroup = routeGroup({
  rateLimits: {
    // Published by the exchange.
    subAccounts: { limit: 1000, windowMs: 10_000 },
  },
  routes: [
    {
      method: 'POST',
      path: '/api/v4/sub-account/list',
      rateLimit: 'subAccounts',
      authentication: 'signed',
      respond: listSubAccounts,
    },
  ],
});

function listSubAccounts({ state, fields }: SignedCall) {
  const search = fields.text('search', maxSearchLength)?.toLowerCase() ?? '';
  const found = state.subAccounts.filter(
    ({ alias, email }) => alias?.toLowerCase().includes(search) === true || email?.includes(search) === true,
  );
  return pageOf(found, fields);
}
