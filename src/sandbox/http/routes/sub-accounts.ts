// The sub-accounts of the account.
import { pageOf } from '../fields.js';
import { signed, type SignedCall } from '../route.js';

const maxSearchLength = 255;

export const subAccountsRoutes = [signed('/api/v4/sub-account/list', 'subAccounts', listSubAccounts)];

function listSubAccounts({ state, fields }: SignedCall) {
  const search = fields.text('search', { maxLength: maxSearchLength })?.toLowerCase() ?? '';
  const found = state.subAccounts.filter(
    ({ alias, email }) => alias?.toLowerCase().includes(search) === true || email?.includes(search) === true,
  );
  return pageOf(found, fields);
}
