// Published responses by name, as test/recorded keeps them.
import assetFees from '../recorded/public.assetFees.json' with { type: 'json' };
import publicAssets from '../recorded/public.assets.json' with { type: 'json' };
import candles from '../recorded/public.candles.json' with { type: 'json' };
import futuresMarkets from '../recorded/public.futuresMarkets.json' with { type: 'json' };
import publicMarkets from '../recorded/public.markets.json' with { type: 'json' };
import publicOrderBook from '../recorded/public.orderBook.json' with { type: 'json' };
import tickers from '../recorded/public.tickers.json' with { type: 'json' };
import ordersOfHistory from '../recorded/orders.history.json' with { type: 'json' };
import ordersDeals from '../recorded/orders.deals.json' with { type: 'json' };
import ordersOpen from '../recorded/orders.open.json' with { type: 'json' };
import spotFees from '../recorded/spot.fees.json' with { type: 'json' };

/** The first item of a recorded list. */
function first<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new Error('the recorded list is empty');
  return item;
}

export const assets = publicAssets.response;
export const deal = first(ordersDeals.response);
export const fee = assetFees.response;
export const futures = futuresMarkets.response;
export const kline = candles.response;
export const liveOrder = first(ordersOpen.response);
export const liveOrderHistory = ordersOfHistory.response;
export const markets = publicMarkets.response;
export const orderBook = publicOrderBook.response;
export const ticker = tickers.response;
export const tradingFees = spotFees.response;
