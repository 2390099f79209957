// The account: its main and trade balance, its fees, its sub-accounts, its accounts of the mining pool, and its token for
// real-time channels.
import { spotBalanceOf } from '../../account-values.js';
import { defaultFee } from '../../engine/index.js';
import { page, per10s, signed, type SignedCall } from '../route.js';
import { requireAsset } from './assets.js';

const rateLimit = per10s(1000);

export const accountRoutes = [
  signed('/api/v4/main-account/balance', mainBalance, { rateLimit, fields: { ticker: { maxLength: 255 } } }),
  signed('/api/v4/trade-account/balance', tradeBalance, { rateLimit: per10s(12_000) }),
  signed('/api/v4/market/fee', fees),
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

/** Without a ticker: every asset of the wallet. With one: the live exchange sends its balance bare. */
function tradeBalance({ state, account, fields }: SignedCall) {
  const balanceOf = (ticker: string) => spotBalanceOf(state, account, ticker);
  const assets = Object.keys(state.books.wallet(account, 'trade'));
  const ticker = fields.text('ticker');
  if (ticker === undefined) return Object.fromEntries(assets.map((asset) => [asset, balanceOf(asset)]));
  requireAsset(state, ticker, 'Currency was not found.');
  return balanceOf(ticker);
}

/** The markets whose fees differ have custom fees: published as objects; clients of the live exchange read pairs. */
function fees({ state }: SignedCall) {
  const custom = state.engine
    .views()
    .map(({ listing }) => listing)
    .filter(({ takerFee, makerFee }) => takerFee !== defaultFee || makerFee !== defaultFee);
  return {
    error: null,
    taker: defaultFee,
    maker: defaultFee,
    futures_taker: defaultFee,
    futures_maker: defaultFee,
    rpi_maker_fee_premium: null,
    futures_rpi_maker_fee_premium: null,
    custom_fee: Object.fromEntries(custom.map(({ name, takerFee, makerFee }) => [name, [takerFee, makerFee]])),
  };
}
