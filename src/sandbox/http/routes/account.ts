// The account: its main balance, its sub-accounts, its accounts of the mining pool, and its token for real-time channels.
import { page, per10s, signed, type SignedCall } from '../route.js';

const rateLimit = per10s(1000);

export const accountRoutes = [
  signed('/api/v4/main-account/balance', mainBalance, { rateLimit, fields: { ticker: { maxLength: 255 } } }),
  signed('/api/v4/sub-account/list', listSubAccounts, {
    rateLimit,
    fields: { search: { maxLength: 255 }, ...page(100, 30, 10_000) },
  }),
  signed('/api/v4/mining/accounts', listMiningAccounts, {
    rateLimit,
    fields: { name: { maxLength: 255 }, ...page(100, 30, 10_000) },
  }),
  signed(
    '/api/v4/profile/websocket_token',
    ({ state, account }) => ({ websocket_token: state.registry.liveTokens.issue(account) }),
    { rateLimit: { limit: 10, windowMs: 60_000 } },
  ),
];

function mainBalance({ state, account, fields }: SignedCall) {
  const balances = state.books.wallet(account, 'main');
  const ticker = fields.text('ticker');
  // Not by index: a ticker may be called `constructor`.
  if (ticker !== undefined)
    return { main_balance: Object.entries(balances).find(([asset]) => asset === ticker)?.[1] ?? '0' };
  return Object.fromEntries(Object.entries(balances).map(([asset, main_balance]) => [asset, { main_balance }]));
}

function listSubAccounts({ state, fields }: SignedCall) {
  const search = fields.text('search')?.toLowerCase() ?? '';
  const { records: data, ...bounds } = fields.page(
    state.registry.subAccounts.filter(
      ({ alias, email }) => alias?.toLowerCase().includes(search) === true || email?.includes(search) === true,
    ),
  );
  return { ...bounds, data };
}

function listMiningAccounts({ state, fields }: SignedCall) {
  const name = fields.text('name');
  const found = state.registry.miningAccounts.filter((account) => name === undefined || account.name === name);
  const { records: data, ...bounds } = fields.page(found);
  return { ...bounds, data };
}
