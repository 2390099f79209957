// The sub-accounts of the account.
import { published, publishedLimit } from '../../published/index.js';
import { pageOf } from '../fields.js';
import { routeGroup, type SignedCall } from '../route.js';

const maxSearchLength = 255;

export const subAccountsGroup = routeGroup({
  rateLimits: {
    subAccounts: publishedLimit('/api/v4/sub-account/list'),
  },
  routes: [
    {
      ...published('/api/v4/sub-account/list'),
      rateLimit: 'subAccounts',
      authentication: 'signed',
      respond: listSubAccounts,
    },
  ],
});

function listSubAccounts({ state, fields }: SignedCall) {
  const search = fields.text('search', { maxLength: maxSearchLength })?.toLowerCase() ?? '';
  const found = state.subAccounts.filter(
    ({ alias, email }) => alias?.toLowerCase().includes(search) === true || email?.includes(search) === true,
  );
  return pageOf(found, fields);
}
