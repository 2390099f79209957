// Market data: tickers, order books, trades and candles, all from the same book and the same tape; and the perpetuals
// with their funding rates.
import { candleIntervals } from '../../../model/candle.js';
import { apiErrorCodes, type FieldErrors } from '../../../model/error-body.js';
import { unixSeconds } from '../../clock.js';
import { bracketsOf, fundingFixedBeforeMs, fundingIntervalMs, maxFundingRate, priceStep } from '../../engine/index.js';
import type { FundingSettlement, MarketView } from '../../engine/index.js';
import { candlesOf, rowsOf, type Candle, type MarketTrade, type PricedAmount } from '../../market-data/index.js';
import { invalid, malformed, type Rejection } from '../../rejection.js';
import { per10s } from '../rate-limiter.js';
import { jsonResponse, open, type ExchangeState, type Call } from '../route.js';
import { assetProfile } from './assets.js';

const maxRows = 100;
const maxTrades = 100;
/** The depth shows the offers that are at most this share away from the last price. */
const depthShare = 0.02;

const integer = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER } as const;
const time = { type: 'integer' } as const;
const maxLevel = 10;

type Errors = (errors: FieldErrors) => Response;

/** Published for the order book: 422, and the errors by field without code and message. */
const bareErrors: Errors = (errors) => jsonResponse(422, errors);

/** Published for the funding history: 422, with texts instead of lists, except for the market. */
const textErrors: Errors = ({ market, ...others }) => {
  const texts = Object.fromEntries(Object.entries(others).map(([field, messages]) => [field, messages.join(' ')]));
  return jsonResponse(422, { ...(market === undefined ? {} : { market }), ...texts });
};

/** Published for wrapped responses: 200, with the errors as the message, and with this result. */
function wrappedErrors(result: null | readonly []): Errors {
  return (message) => jsonResponse(200, { success: false, message, result });
}

function wrapped(result: unknown) {
  return { success: true, message: null, result };
}

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
      level: { ...integer, default: 0 },
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
  open('/api/v4/public/collateral/markets', collateralMarkets),
  open('/api/v4/public/futures', futures),
  open('/api/v4/public/funding-history/{market}', fundingHistory, {
    errors: textErrors,
    fields: {
      ...{ startDate: time, endDate: time },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 100 },
      offset: { ...time, maximum: 1_000_000, default: 0 },
    },
  }),
];

export function marketOf({ engine }: ExchangeState, name: string | undefined, message?: string): MarketView {
  const view = engine.views().find(({ listing }) => listing.name === name);
  if (view === undefined) throw unavailable(message);
  return view;
}

function unavailable(message = 'Market is not available.'): Rejection {
  return invalid(422, apiErrorCodes.market, 'market', message);
}

/** The market that a list is filtered by, if any; rejects an unknown one. */
export function listedMarket({ state, fields }: Call, message?: string): string | undefined {
  const market = fields.optionalMarket();
  return market === undefined ? undefined : marketOf(state, market, message).listing.name;
}

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
  const view = marketOf(state, fields.text('market'));
  const { stock: volume, money: deal, ...day } = view.tape.day(state.clock.now());
  return wrapped({ ...bestOf(view), ...day, volume, deal });
}

function bestOf({ price, asks, bids }: MarketView) {
  return { bid: bids()[0]?.price ?? price, ask: asks()[0]?.price ?? price };
}

/** The best offers of each side, at most `limit`; with each level, offers of a ten times wider price step together. */
function orderBook({ state, request, fields }: Call) {
  const view = marketOf(state, request.params['market']);
  const wanted = fields.integer('limit') ?? 0;
  const level = Math.min(Math.max(fields.integer('level') ?? 0, 0), maxLevel);
  const step = priceStep(view.listing).shiftedBy(level);
  return bookOf(state, view, { step, limit: wanted === 0 ? maxRows : wanted });
}

function depth({ state, request }: Call) {
  const view = marketOf(state, request.params['market']);
  const last = view.tape.last.price;
  const isNear = ({ price }: PricedAmount) => price.minus(last).abs().isLessThanOrEqualTo(last.times(depthShare));
  const near = { ...view, asks: () => view.asks().filter(isNear), bids: () => view.bids().filter(isNear) };
  return bookOf(state, near, { step: priceStep(view.listing), limit: Number.POSITIVE_INFINITY });
}

type Rows = Omit<Parameters<typeof rowsOf>[1], 'side'>;

function bookOf({ clock }: ExchangeState, { listing, asks, bids }: MarketView, rows: Rows) {
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

function collateralMarkets({ state }: Call) {
  return wrapped(state.engine.views().flatMap(({ listing }) => (listing.isCollateral ? [listing.name] : [])));
}

function futures({ state }: Call) {
  return wrapped(state.engine.views().flatMap((view) => futuresRecord(state, view)));
}

function futuresRecord({ clock }: ExchangeState, view: MarketView) {
  const { listing, tape, price, perpetual } = view;
  if (perpetual === undefined) return [];
  const { stock, money, last, high, low } = tape.day(clock.now());
  const { openInterest: open_interest, indexPrice: index_price, fundingRate: funding_rate, nextFundingAt } = perpetual;
  return [
    {
      ...{ ticker_id: listing.name, stock_currency: listing.stock, money_currency: listing.money, last_price: last },
      ...{ stock_volume: stock, money_volume: money, ...bestOf(view), high, low, product_type: 'Perpetual' },
      ...{ open_interest, index_price, mark_price: price, index_name: listing.stock, index_currency: listing.money },
      ...{ funding_rate, funding_cap: maxFundingRate, funding_floor: maxFundingRate.negated() },
      // The only time of the API that is a string of milliseconds.
      next_funding_rate_timestamp: String(nextFundingAt),
      ...{ brackets: Object.fromEntries(bracketsOf(listing)), max_leverage: listing.maxLeverage },
      funding_interval_minutes: fundingIntervalMs / 60_000,
    },
  ];
}

function fundingHistory({ state, request, fields }: Call) {
  const { listing, perpetual } = marketOf(state, request.params['market']);
  if (perpetual === undefined) throw unavailable();
  const { from, to, has } = fields.period();
  if (to <= from) throw malformed('endDate', 'The endDate must be after startDate.');
  const found = perpetual.settlements.filter(({ at }) => has(at / 1000)).reverse();
  return fields.page(found).records.map((one) => settlementRecord(listing.name, one));
}

export function settlementRecord(market: string, { at, rate, price }: FundingSettlement) {
  const rateCalculatedTime = String((at - fundingFixedBeforeMs) / 1000);
  return { market, fundingTime: String(at / 1000), fundingRate: rate, settlementPrice: price, rateCalculatedTime };
}
