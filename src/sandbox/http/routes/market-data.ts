// Market data: tickers, order books, trades and candles, all from the same book and the same tape.
import { candleIntervals } from '../../../model/candle.js';
import { formatDecimal } from '../../../model/decimal.js';
import { priceStep, type MarketView } from '../../engine/index.js';
import { candlesOf, groupedStep, rowsOf, within, type Candle, type MarketTrade } from '../../market-data/index.js';
import { bareErrors, marketOf, wrapped, wrappedErrors } from '../query.js';
import { open, per10s, type ExchangeState, type OpenCall } from '../route.js';
import { assetProfile } from './assets.js';

const maxRows = 100;
const maxTrades = 100;
/** The depth shows the offers that are at most this share away from the last price. */
const depthShare = 0.02;

const rateLimit = per10s(2000);
const integer = { type: 'integer' } as const;

export const marketDataRoutes = [
  open('/api/v4/public/ticker', tickers, { rateLimit }),
  open('/api/v1/public/ticker', oneTicker, {
    ...{ rateLimit: per10s(1000), required: ['market'], fields: { market: {} }, errors: wrappedErrors(null) },
  }),
  open('/api/v4/public/orderbook/{market}', orderBook, {
    rateLimit: per10s(600),
    errors: bareErrors,
    fields: {
      limit: { ...integer, minimum: 0, maximum: 100, default: 100 },
      level: { ...integer, minimum: 0, maximum: 10, default: 0, isClamped: true },
    },
  }),
  open('/api/v4/public/orderbook/depth/{market}', depth, { rateLimit, errors: bareErrors }),
  open('/api/v4/public/trades/{market}', recentTrades, {
    ...{ rateLimit, errors: bareErrors, fields: { type: { enum: ['buy', 'sell'] } } },
  }),
  open('/api/v1/public/kline', candles, {
    rateLimit: per10s(1000),
    errors: wrappedErrors([]),
    required: ['market'],
    fields: {
      ...{ market: {}, start: integer, end: integer, interval: { enum: candleIntervals, default: '1h' } },
      limit: { ...integer, minimum: 1, maximum: 1440, default: 1440 },
    },
  }),
];

function tickers({ state: { engine, clock } }: OpenCall) {
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
function oneTicker({ state, query }: OpenCall) {
  const { tape, price, asks, bids } = marketOf(state, query.text('market'));
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
function orderBook({ state, request, query }: OpenCall) {
  const view = marketOf(state, request.params['market']);
  const wanted = query.integer('limit') ?? 0;
  const step = groupedStep(priceStep(view.listing), query.integer('level') ?? 0);
  return bookOf(state, view, { step, limit: wanted === 0 ? maxRows : wanted });
}

function depth({ state, request }: OpenCall) {
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

function recentTrades({ state, request, query }: OpenCall) {
  const side = query.text('type');
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

function candles({ state, query }: OpenCall) {
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
