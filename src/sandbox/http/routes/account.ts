// The account: its main balance, its sub-accounts, its accounts of the mining pool, and its token for real-time channels.
import { signed, type SignedCall } from '../route.js';

export const accountRoutes = [
  signed('/api/v4/main-account/balance', 'mainBalance', mainBalance),
  signed('/api/v4/sub-account/list', 'subAccounts', listSubAccounts),
  signed('/api/v4/mining/accounts', 'miningAccounts', listMiningAccounts),
  signed('/api/v4/profile/websocket_token', 'websocketToken', ({ state, account }) => ({
    websocket_token: state.registry.liveTokens.issue(account),
  })),
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
  const { records: data, ...page } = fields.page(
    state.registry.subAccounts.filter(
      ({ alias, email }) => alias?.toLowerCase().includes(search) === true || email?.includes(search) === true,
    ),
  );
  return { ...page, data };
}

function listMiningAccounts({ state, fields }: SignedCall) {
  const name = fields.text('name');
  const found = state.registry.miningAccounts.filter((account) => name === undefined || account.name === name);
  const { records: data, ...page } = fields.page(found);
  return { ...page, data };
}
