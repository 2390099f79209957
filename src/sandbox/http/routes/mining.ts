// The accounts of the mining pool.
import { published, publishedLimit } from '../../published/index.js';
import { pageOf } from '../fields.js';
import { routeGroup, type SignedCall } from '../route.js';

export const miningGroup = routeGroup({
  rateLimits: {
    miningAccounts: publishedLimit('/api/v4/mining/accounts'),
  },
  routes: [
    {
      ...published('/api/v4/mining/accounts'),
      rateLimit: 'miningAccounts',
      authentication: 'signed',
      respond: listMiningAccounts,
    },
  ],
});

function listMiningAccounts({ state, fields }: SignedCall) {
  const name = fields.text('name');
  const found =
    name === undefined ? state.miningAccounts : state.miningAccounts.filter((account) => account.name === name);
  return pageOf(found, fields);
}
