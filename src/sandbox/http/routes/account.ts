// The account: its main and trade balance, its fees, and its token for real-time channels.
import { spotBalanceOf } from '../../account-values.js';
import { defaultFee } from '../../engine/index.js';
import { signed, type Call } from '../route.js';
import { marketOf } from '../query.js';
import { requireAsset } from './assets.js';

export const accountRoutes = [
  signed('/api/v4/main-account/balance', mainBalance, { fields: { ticker: { maxLength: 255 } } }),
  signed('/api/v4/trade-account/balance', tradeBalance),
  signed('/api/v4/market/fee', fees),
  signed('/api/v4/market/fee/single', feeOf, { required: ['market'] }),
  signed(
    '/api/v4/profile/websocket_token',
    ({ state, account }) => ({ websocket_token: state.liveTokens.issue(account) }),
    { rateLimit: { limit: 10, windowMs: 60_000 } },
  ),
];

function mainBalance({ state, account, fields }: Call) {
  const ticker = fields.text('ticker');
  if (ticker !== undefined) return { main_balance: state.books.balance(account, 'main', ticker) };
  const balances = state.books.wallet(account, 'main');
  return Object.fromEntries(Object.entries(balances).map(([asset, main_balance]) => [asset, { main_balance }]));
}

/** Without a ticker: every asset of the wallet. With one: the live exchange sends its balance bare. */
function tradeBalance({ state, account, fields }: Call) {
  const balanceOf = (ticker: string) => spotBalanceOf(state, account, ticker);
  const assets = Object.keys(state.books.wallet(account, 'trade'));
  const ticker = fields.text('ticker');
  if (ticker === undefined) return Object.fromEntries(assets.map((asset) => [asset, balanceOf(asset)]));
  requireAsset(state, ticker, 'Currency was not found.');
  return balanceOf(ticker);
}

/** Published for one market: its own fee, and no premiums without RPI orders. */
function feeOf({ state, fields }: Call) {
  const { takerFee: taker, makerFee: maker } = marketOf(state, fields.market()).listing;
  return { error: null, taker, maker, rpi_maker_fee_premium: null, futures_rpi_maker_fee_premium: null };
}

/** The markets whose fees differ have custom fees: published as objects; clients of the live exchange read pairs. */
function fees({ state }: Call) {
  const custom = state.engine
    .views()
    .map(({ listing }) => listing)
    .filter(({ takerFee, makerFee }) => takerFee !== defaultFee || makerFee !== defaultFee);
  return {
    ...{ error: null, taker: defaultFee, maker: defaultFee, futures_taker: defaultFee, futures_maker: defaultFee },
    ...{ rpi_maker_fee_premium: null, futures_rpi_maker_fee_premium: null },
    custom_fee: Object.fromEntries(custom.map(({ name, takerFee, makerFee }) => [name, [takerFee, makerFee]])),
  };
}
