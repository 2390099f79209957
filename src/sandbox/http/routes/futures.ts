// Markets on collateral: their list, the perpetuals, and the funding rates of a perpetual.
import { formatDecimal } from '../../../model/decimal.js';
import { apiErrorCodes } from '../../../model/error-body.js';
import {
  bracketsOf,
  fundingFixedBeforeMs,
  fundingIntervalMs,
  maxFundingRate,
  type MarketView,
} from '../../engine/index.js';
import { invalid } from '../../rejection.js';
import { marketOf, textErrors, unavailable, wrapped } from '../query.js';
import { open, per10s, type ExchangeState, type OpenCall } from '../route.js';

const rateLimit = per10s(2000);
const time = { type: 'integer', minimum: 0 } as const;

export const futuresRoutes = [
  open('/api/v4/public/collateral/markets', collateralMarkets, { rateLimit }),
  open('/api/v4/public/futures', futures, { rateLimit }),
  open('/api/v4/public/funding-history/{market}', fundingHistory, {
    rateLimit,
    errors: textErrors,
    fields: {
      ...{ startDate: time, endDate: time },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 100 },
      offset: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 },
    },
  }),
];

function collateralMarkets({ state }: OpenCall) {
  return wrapped(state.engine.views().flatMap(({ listing }) => (listing.isCollateral ? [listing.name] : [])));
}

function futures({ state }: OpenCall) {
  return wrapped(state.engine.views().flatMap((view) => futuresRecord(state, view)));
}

function futuresRecord({ clock }: ExchangeState, { listing, tape, price, asks, bids, perpetual }: MarketView) {
  if (perpetual === undefined) return [];
  const day = tape.day(clock.now());
  const text = (value = price) => formatDecimal(value);
  return [
    {
      ticker_id: listing.name,
      stock_currency: listing.stock,
      money_currency: listing.money,
      last_price: text(day.last),
      stock_volume: text(day.stock),
      money_volume: text(day.money),
      bid: text(bids()[0]?.price),
      ask: text(asks()[0]?.price),
      high: text(day.high),
      low: text(day.low),
      product_type: 'Perpetual',
      open_interest: text(perpetual.openInterest),
      index_price: text(perpetual.indexPrice),
      mark_price: text(price),
      index_name: listing.stock,
      index_currency: listing.money,
      funding_rate: text(perpetual.fundingRate),
      funding_cap: text(maxFundingRate),
      funding_floor: text(maxFundingRate.negated()),
      // The only time of the API that is a string of milliseconds.
      next_funding_rate_timestamp: String(perpetual.nextFundingAt),
      brackets: Object.fromEntries(bracketsOf(listing)),
      max_leverage: listing.maxLeverage,
      funding_interval_minutes: fundingIntervalMs / 60_000,
    },
  ];
}

/** The settlements, newest first. Dates are Unix seconds. */
function fundingHistory({ state, request, query }: OpenCall) {
  const { listing, perpetual } = marketOf(state, request.params['market']);
  if (perpetual === undefined) throw unavailable();
  const from = query.integer('startDate') ?? 0;
  const to = query.integer('endDate') ?? Number.POSITIVE_INFINITY;
  if (to <= from) throw invalid(422, apiErrorCodes.validation, 'endDate', 'The endDate must be after startDate.');
  const offset = query.integer('offset') ?? 0;
  return perpetual.settlements
    .filter(({ at }) => at >= from * 1000 && at <= to * 1000)
    .toReversed()
    .slice(offset, offset + (query.integer('limit') ?? 0))
    .map(({ at, rate, price }) => ({
      fundingTime: String(at / 1000),
      fundingRate: formatDecimal(rate),
      market: listing.name,
      settlementPrice: formatDecimal(price),
      rateCalculatedTime: String((at - fundingFixedBeforeMs) / 1000),
    }));
}
