// Market data: tickers, order books, trades and candles, all from the same book and the same tape.
import { formatDecimal } from '../../../model/decimal.js';
import { assetProfile } from '../../assets.js';
import { priceStep, type MarketView } from '../../engine/index.js';
import { candlesOf, groupedStep, rowsOf, within, type Candle, type MarketTrade } from '../../market-data/index.js';
import type { ExchangeState } from '../exchange-state.js';
import { bareErrors, marketOf, queryOf, wrapped, wrappedErrors } from '../query.js';
import { type ArrivedRequest, open } from '../route.js';

const paths = {
  ticker: '/api/v4/public/ticker',
  oneTicker: '/api/v1/public/ticker',
  orderBook: '/api/v4/public/orderbook/{market}',
  depth: '/api/v4/public/orderbook/depth/{market}',
  trades: '/api/v4/public/trades/{market}',
  candles: '/api/v1/public/kline',
} as const;

const maxRows = 100;
const maxTrades = 100;
/** The depth shows the offers that are at most this share away from the last price. */
const depthShare = 0.02;

export const marketDataRoutes = [
  open(paths.ticker, 'public', tickers),
  open(paths.oneTicker, 'oneTicker', wrappedErrors(oneTicker)),
  open(paths.orderBook, 'orderBook', bareErrors(orderBook)),
  open(paths.depth, 'public', bareErrors(depth)),
  open(paths.trades, 'public', bareErrors(recentTrades)),
  open(paths.candles, 'candles', wrappedErrors(candles, [])),
];

function tickers({ engine, clock }: ExchangeState) {
  return Object.fromEntries(
    engine.views().map(({ listing, tradesEnabled, tape }) => {
      const day = tape.day(clock.now());
      return [
        listing.name,
        {
          base_id: assetProfile(listing.stock).id,
          quote_id: assetProfile(listing.money).id,
          last_price: formatDecimal(day.last),
          quote_volume: formatDecimal(day.money),
          base_volume: formatDecimal(day.stock),
          isFrozen: !tradesEnabled,
          change: formatDecimal(day.change),
        },
      ];
    }),
  );
}

/** The ticker of one market, with the names of the first version of the API. */
function oneTicker(state: ExchangeState, request: ArrivedRequest) {
  const { tape, price, asks, bids } = marketOf(state, queryOf(paths.oneTicker, request).text('market'));
  const { open, high, low, last, stock, money, change } = tape.day(state.clock.now());
  const texts = { bid: bids()[0]?.price ?? price, ask: asks()[0]?.price ?? price, open, high, low, last };
  return wrapped(
    Object.fromEntries(
      Object.entries({ ...texts, volume: stock, deal: money, change }).map(([name, value]) => [
        name,
        formatDecimal(value),
      ]),
    ),
  );
}

/** The best offers of each side, at most `limit`; at a level above 0, offers of a wider price step together. */
function orderBook(state: ExchangeState, request: ArrivedRequest) {
  const query = queryOf(paths.orderBook, request, ['level']);
  const view = marketOf(state, request.params['market']);
  const wanted = query.integer('limit') ?? 0;
  const step = groupedStep(priceStep(view.listing), query.integer('level') ?? 0);
  return bookOf(state, view, { step, limit: wanted === 0 ? maxRows : wanted });
}

function depth(state: ExchangeState, request: ArrivedRequest) {
  const view = marketOf(state, request.params['market']);
  const last = view.tape.last.price;
  const near = {
    ...view,
    asks: () => within(view.asks(), last, depthShare),
    bids: () => within(view.bids(), last, depthShare),
  };
  return bookOf(state, near, { step: priceStep(view.listing), limit: Number.POSITIVE_INFINITY });
}

function bookOf(
  { clock }: ExchangeState,
  { listing, asks, bids }: MarketView,
  rows: Omit<Parameters<typeof rowsOf>[1], 'side'>,
) {
  return {
    ticker_id: listing.name,
    timestamp: Math.floor(clock.now() / 1000),
    asks: rowsOf(asks(), { ...rows, side: 'asks' }),
    bids: rowsOf(bids(), { ...rows, side: 'bids' }),
  };
}

function recentTrades(state: ExchangeState, request: ArrivedRequest) {
  const side = queryOf(paths.trades, request).text('type');
  const { trades } = marketOf(state, request.params['market']).tape;
  return trades
    .filter((trade) => side === undefined || trade.side === side)
    .slice(-maxTrades)
    .reverse()
    .map(tradeRecord);
}

/** The names are reversed on the wire: `quote_volume` is the base amount, and `base_volume` the money. */
function tradeRecord({ id, at, side, price, amount, money, rpi }: MarketTrade) {
  return {
    tradeID: id,
    price: formatDecimal(price),
    quote_volume: formatDecimal(amount),
    base_volume: formatDecimal(money),
    trade_timestamp: Math.floor(at / 1000),
    type: side,
    rpi,
  };
}

function candles(state: ExchangeState, request: ArrivedRequest) {
  const query = queryOf(paths.candles, request);
  const { tape } = marketOf(state, query.text('market'));
  const found = candlesOf(tape, {
    interval: query.text('interval') ?? '',
    start: query.integer('start'),
    end: query.integer('end'),
    limit: query.integer('limit') ?? 0,
    now: state.clock.now() / 1000,
  });
  return wrapped(found.map(candleRow));
}

/** The order on the wire: open, close, high, low. */
function candleRow({ time, open, close, high, low, stock, money }: Candle) {
  return [time, ...[open, close, high, low, stock, money].map(formatDecimal)];
}
