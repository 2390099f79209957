// Market data: tickers, order books, trades and candles, all from the same book and the same tape.
import { candleIntervals } from '../../../model/candle.js';
import { unixSeconds } from '../../clock.js';
import { priceStep, type MarketView } from '../../engine/index.js';
import { candlesOf, rowsOf, within, type Candle, type MarketTrade } from '../../market-data/index.js';
import { bareErrors, marketOf, wrapped, wrappedErrors } from '../query.js';
import { per10s } from '../rate-limiter.js';
import { open, type ExchangeState, type Call } from '../route.js';
import { assetProfile } from './assets.js';

const maxRows = 100;
const maxTrades = 100;
/** The depth shows the offers that are at most this share away from the last price. */
const depthShare = 0.02;

const integer = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER } as const;

export const marketDataRoutes = [
  open('/api/v4/public/ticker', tickers),
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
  open('/api/v4/public/orderbook/depth/{market}', depth, { errors: bareErrors }),
  open('/api/v4/public/trades/{market}', recentTrades, {
    ...{ errors: bareErrors, fields: { type: { enum: ['buy', 'sell'] } } },
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

function tickers({ state: { engine, clock } }: Call) {
  return Object.fromEntries(
    engine.views().map(({ listing, tradesEnabled, tape }) => {
      const { last, money, stock, change } = tape.day(clock.now());
      const [base_id, quote_id] = [listing.stock, listing.money].map((asset) => assetProfile(asset).id);
      const values = { last_price: last, quote_volume: money, base_volume: stock, isFrozen: !tradesEnabled, change };
      return [listing.name, { base_id, quote_id, ...values }];
    }),
  );
}

function oneTicker({ state, fields }: Call) {
  const { tape, price, asks, bids } = marketOf(state, fields.text('market'));
  const { stock: volume, money: deal, ...day } = tape.day(state.clock.now());
  const [bid, ask] = [bids()[0]?.price ?? price, asks()[0]?.price ?? price];
  return wrapped({ bid, ask, ...day, volume, deal });
}

/** The best offers of each side, at most `limit`; with each level, offers of a ten times wider price step together. */
function orderBook({ state, request, fields }: Call) {
  const view = marketOf(state, request.params['market']);
  const wanted = fields.integer('limit') ?? 0;
  const step = priceStep(view.listing).shiftedBy(fields.integer('level') ?? 0);
  return bookOf(state, view, { step, limit: wanted === 0 ? maxRows : wanted });
}

function depth({ state, request }: Call) {
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
    timestamp: unixSeconds(clock.now()),
    asks: rowsOf(asks(), { ...rows, side: 'asks' }),
    bids: rowsOf(bids(), { ...rows, side: 'bids' }),
  };
}

function recentTrades({ state, request, fields }: Call) {
  const side = fields.text('type');
  const { trades } = marketOf(state, request.params['market']).tape;
  return trades
    .filter((trade) => side === undefined || trade.side === side)
    .slice(-maxTrades)
    .reverse()
    .map(tradeRecord);
}

/** The names are reversed on the wire: `quote_volume` is the base amount, and `base_volume` the money. */
function tradeRecord({ id, at, side, price, amount, money, rpi }: MarketTrade) {
  const amounts = { price, quote_volume: amount, base_volume: money };
  return { tradeID: id, ...amounts, trade_timestamp: unixSeconds(at), type: side, rpi };
}

function candles({ state, fields }: Call) {
  const { tape } = marketOf(state, fields.text('market'));
  const found = candlesOf(tape, {
    interval: fields.text('interval') ?? '',
    start: fields.integer('start'),
    end: fields.integer('end'),
    limit: fields.integer('limit') ?? 0,
    now: state.clock.now() / 1000,
  });
  return wrapped(found.map(candleRow));
}

/** The order on the wire: open, close, high, low. */
function candleRow({ time, open, close, high, low, stock, money }: Candle) {
  return [time, open, close, high, low, stock, money];
}
