// The mining pool: its overview, and its accounts.
import { miningPool } from '../../mining-pool.js';
import { pageOf } from '../fields.js';
import { open, signed, type SignedCall } from '../route.js';

const poolPath = '/api/v4/public/mining-pool';

export const miningRoutes = [
  open(poolPath, 'miningPool', ({ miningAccounts, clock }) => ({
    data: miningPool(miningAccounts.length, clock.now()),
  })),
  signed('/api/v4/mining/accounts', 'miningAccounts', listMiningAccounts),
];

function listMiningAccounts({ state, fields }: SignedCall) {
  const name = fields.text('name');
  const found =
    name === undefined ? state.miningAccounts : state.miningAccounts.filter((account) => account.name === name);
  return pageOf(found, fields);
}
