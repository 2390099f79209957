// The accounts of the mining pool.
import { pageOf } from '../fields.js';
import { routeGroup, type SignedCall } from '../route.js';

/** Spec, Limits. */
const maxNameLength = 255;

export const miningGroup = routeGroup({
  rateLimits: {
    // Published by the exchange.
    miningAccounts: { limit: 1000, windowMs: 10_000 },
  },
  routes: [
    {
      method: 'POST',
      path: '/api/v4/mining/accounts',
      rateLimit: 'miningAccounts',
      authentication: 'signed',
      respond: listMiningAccounts,
    },
  ],
});

function listMiningAccounts({ state, fields }: SignedCall) {
  const name = fields.text('name', maxNameLength);
  const found =
    name === undefined ? state.miningAccounts : state.miningAccounts.filter((account) => account.name === name);
  return pageOf(found, fields);
}
