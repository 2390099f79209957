// The mining pool: its overview, and its accounts.
import { miningPool } from '../../mining-pool.js';
import { published, publishedLimit } from '../../published/index.js';
import { pageOf } from '../fields.js';
import { routeGroup, type SignedCall } from '../route.js';

const poolPath = '/api/v4/public/mining-pool';

export const miningGroup = routeGroup({
  rateLimits: {
    miningPool: publishedLimit(poolPath),
    miningAccounts: publishedLimit('/api/v4/mining/accounts'),
  },
  routes: [
    {
      ...published(poolPath),
      rateLimit: 'miningPool',
      authentication: 'none',
      respond: ({ miningAccounts, clock }) => ({ data: miningPool(miningAccounts.length, clock.now()) }),
    },
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
