// Spot trading: placing orders, the trade balance, and the fees.
import { spotBalanceOf } from '../../account-values.js';
import { defaultFee, type NewOrder } from '../../engine/index.js';
import { renderOrder } from '../render.js';
import { per10s, signed, type SignedCall } from '../route.js';
import { requireAsset } from './assets.js';
import { orderFields, requireSpotFields, spotFlagFields, spotPriceFields } from './order-fields.js';

const required = ['market', 'side', 'amount'];

export const spotRoutes = [
  signed('/api/v4/order/new', placeLimitOrder),
  signed('/api/v4/order/stop_limit', placeStopLimitOrder),
  signed('/api/v4/order/stop_market', placeStopMarketOrder, { required: [...required, 'activation_price'] }),
  signed('/api/v4/order/stock_market', (call) => placeMarketOrder('stock market', call), { required }),
  signed('/api/v4/order/market', (call) => placeMarketOrder('market', call), { required }),
  signed('/api/v4/trade-account/balance', tradeBalance, { rateLimit: per10s(12_000) }),
  signed('/api/v4/market/fee', fees),
];

export function placeLimitOrder(call: SignedCall) {
  const { fields } = call;
  requireSpotFields(fields);
  const flags = spotFlagFields(fields);
  return place(call, { type: 'limit', ...orderFields(fields), ...flags, ...spotPriceFields(fields, flags) });
}

/** With `bboRole` the order gets its price when it is placed. */
function placeStopLimitOrder(call: SignedCall) {
  const { fields } = call;
  requireSpotFields(fields, 'activation_price');
  const activation_price = fields.price('activation_price');
  return place(call, { type: 'stop limit', ...orderFields(fields), ...spotPriceFields(fields), activation_price });
}

function placeStopMarketOrder(call: SignedCall) {
  const { fields } = call;
  fields.require();
  return place(call, {
    type: 'stop market',
    ...orderFields(fields),
    activation_price: fields.price('activation_price'),
  });
}

function place({ state, account }: SignedCall, order: Omit<NewOrder, 'collateral'>) {
  return renderOrder(state.engine.place(account, { ...order, collateral: false }));
}

function placeMarketOrder(type: 'market' | 'stock market', call: SignedCall) {
  call.fields.require();
  return place(call, { type, ...orderFields(call.fields) });
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
