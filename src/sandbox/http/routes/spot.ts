// Spot trading: placing market orders, the trade balance, and the fees.
import { spotBalanceOf } from '../../account-values.js';
import { defaultFee } from '../../engine/index.js';
import { renderOrder } from '../dialect.js';
import { signed, type SignedCall } from '../route.js';
import { requireAsset } from './assets.js';
import { orderFields } from './order-fields.js';

export const spotRoutes = [
  signed('/api/v4/order/stock_market', 'stockMarket', (call) => placeMarketOrder('stock market', call)),
  signed('/api/v4/order/market', 'marketOrder', (call) => placeMarketOrder('market', call)),
  signed('/api/v4/trade-account/balance', 'orders', tradeBalance),
  signed('/api/v4/market/fee', 'fees', fees),
];

function placeMarketOrder(type: 'market' | 'stock market', { state, account, fields }: SignedCall) {
  fields.require();
  return renderOrder(fields.dialect, state.engine.place(account, { type, collateral: false, ...orderFields(fields) }));
}

/** Without a ticker: every asset of the wallet. With one: published under its name; the live exchange sends it bare. */
function tradeBalance({ state, account, fields }: SignedCall) {
  const balanceOf = (ticker: string) => spotBalanceOf(state, account, ticker);
  const assets = Object.keys(state.books.wallet(account, 'trade'));
  const ticker = fields.text('ticker');
  if (ticker === undefined) return Object.fromEntries(assets.map((asset) => [asset, balanceOf(asset)]));
  requireAsset(state, ticker, 'Currency was not found.');
  return fields.dialect === 'live' ? balanceOf(ticker) : { [ticker]: balanceOf(ticker) };
}

/** The markets whose fees differ have custom fees: published as objects; clients of the live exchange read pairs. */
function fees({ state, fields }: SignedCall) {
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
    custom_fee: Object.fromEntries(
      custom.map(({ name, takerFee: taker, makerFee: maker }) => [
        name,
        fields.dialect === 'live' ? [taker, maker] : { taker, maker },
      ]),
    ),
  };
}
