// Markets on collateral: their list, the perpetuals, and the funding rates of a perpetual.
import {
  bracketsOf,
  fundingFixedBeforeMs,
  fundingIntervalMs,
  maxFundingRate,
  type MarketView,
} from '../../engine/index.js';
import { malformed } from '../../rejection.js';
import { marketOf, textErrors, unavailable, wrapped } from '../query.js';
import { open, type ExchangeState, type Call } from '../route.js';

const time = { type: 'integer', minimum: 0 } as const;

export const futuresRoutes = [
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

function collateralMarkets({ state }: Call) {
  return wrapped(state.engine.views().flatMap(({ listing }) => (listing.isCollateral ? [listing.name] : [])));
}

function futures({ state }: Call) {
  return wrapped(state.engine.views().flatMap((view) => futuresRecord(state, view)));
}

function futuresRecord({ clock }: ExchangeState, { listing, tape, price, asks, bids, perpetual }: MarketView) {
  if (perpetual === undefined) return [];
  const { stock, money, last, high, low } = tape.day(clock.now());
  const { openInterest: open_interest, indexPrice: index_price, fundingRate: funding_rate, nextFundingAt } = perpetual;
  const [bid, ask] = [bids()[0]?.price ?? price, asks()[0]?.price ?? price];
  return [
    {
      ...{ ticker_id: listing.name, stock_currency: listing.stock, money_currency: listing.money, last_price: last },
      ...{ stock_volume: stock, money_volume: money, bid, ask, high, low, product_type: 'Perpetual', open_interest },
      ...{ index_price, mark_price: price, index_name: listing.stock, index_currency: listing.money, funding_rate },
      ...{ funding_cap: maxFundingRate, funding_floor: maxFundingRate.negated() },
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
  return fields.page(found).records.map(({ at, rate, price }) => ({
    ...{ fundingTime: String(at / 1000), fundingRate: rate, market: listing.name, settlementPrice: price },
    rateCalculatedTime: String((at - fundingFixedBeforeMs) / 1000),
  }));
}
