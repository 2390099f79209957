// The endpoints of balances, leverage, sub-accounts and mining accounts.
import type { MiningAccount } from '../../model/mining-account.js';
import type { SubAccount } from '../../model/sub-account.js';
import type { Books } from '../ledger.js';
import type { FieldReader } from './fields.js';
import type { PrivateEndpoint } from './order-endpoints.js';

const defaultLimit = 30;
const maxNameLength = 255;

export const setLeverage: PrivateEndpoint = (engine, account, fields) => {
  fields.require('leverage');
  return { leverage: engine.setLeverage(account, fields.leverage()) };
};

export function mainBalance(books: Books): PrivateEndpoint {
  return (_engine, account, fields) => {
    const balances = books.wallet(account, 'main');
    const ticker = fields.text('ticker', maxNameLength);
    if (ticker !== undefined)
      return { main_balance: Object.entries(balances).find(([asset]) => asset === ticker)?.[1] ?? '0' };
    return Object.fromEntries(Object.entries(balances).map(([asset, main_balance]) => [asset, { main_balance }]));
  };
}

export function listSubAccounts(subAccounts: readonly SubAccount[]): PrivateEndpoint {
  return (_engine, _account, fields) => {
    const search = fields.text('search', maxNameLength)?.toLowerCase() ?? '';
    const found = subAccounts.filter(
      ({ alias, email }) => alias?.toLowerCase().includes(search) === true || email?.includes(search) === true,
    );
    return page(found, fields);
  };
}

export function listMiningAccounts(miningAccounts: readonly MiningAccount[]): PrivateEndpoint {
  return (_engine, _account, fields) => {
    const name = fields.text('name', maxNameLength);
    return page(
      name === undefined ? miningAccounts : miningAccounts.filter((account) => account.name === name),
      fields,
    );
  };
}

/** Spec, Limits: limit 1 to 100, offset 0 to 10000. */
function page<Item>(items: readonly Item[], fields: FieldReader) {
  const limit = fields.integer('limit', 1, 100) ?? defaultLimit;
  const offset = fields.integer('offset', 0, 10_000) ?? 0;
  return { offset, limit, data: items.slice(offset, offset + limit) };
}
