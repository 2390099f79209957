import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { regionErrorCodes } from '../error-codes.js';
import { publicRateLimits } from '../rate-limits.js';

const futuresMarketFields = {
  /** The market, such as `BTC_PERP`. */
  ticker_id: t.text,
  /** The base currency. */
  stock_currency: t.optionalText,
  /** The quote currency. */
  money_currency: t.optionalText,
  /** Price of the last trade, quote currency. */
  last_price: t.optionalDecimal,
  /** Mark price, quote currency. */
  mark_price: t.optionalDecimal,
  /** Index price, quote currency. */
  index_price: t.optionalDecimal,
  /** Name of the index. */
  index_name: t.optionalText,
  /** Currency of the index. */
  index_currency: t.optionalText,
  /** Highest price of a buy order, quote currency. */
  bid: t.optionalDecimal,
  /** Lowest price of a sell order, quote currency. */
  ask: t.optionalDecimal,
  /** Highest price of the last 24 h, quote currency. */
  high: t.optionalDecimal,
  /** Lowest price of the last 24 h, quote currency. */
  low: t.optionalDecimal,
  /** Traded in the last 24 h, base currency. */
  stock_volume: t.optionalDecimal,
  /** Traded in the last 24 h, quote currency. */
  money_volume: t.optionalDecimal,
  /** Open contracts, base currency. */
  open_interest: t.optionalDecimal,
  /** `Perpetual`. */
  product_type: t.optionalEnum(['Perpetual']),
  /**
   * Forecast of the next funding rate, which changes until it is charged. As the exchange writes it: its documentation
   * does not say whether in percent.
   */
  funding_rate: t.optionalDecimal,
  /** Maximum funding rate, in the same unit. */
  funding_cap: t.optionalDecimal,
  /** Minimum funding rate, in the same unit. */
  funding_floor: t.optionalDecimal,
  /** Time of the next funding, Unix **milliseconds** in a string: all other times are seconds. */
  next_funding_rate_timestamp: t.optionalText,
  /** Minutes from one funding to the next. */
  funding_interval_minutes: t.optionalNumber,
  /** Maximum value of a position by leverage, quote currency: `{ "100": "50000" }`. */
  brackets: t.optional(t.mapOf(t.decimalText)),
  /** Maximum leverage. */
  max_leverage: t.optionalNumber,
};

/** A futures market. Unknown fields are kept. */
export interface FuturesMarket extends t.RecordOf<typeof futuresMarketFields> {}

/**
 * Lists the futures markets with their prices, funding rate and leverage. `next_funding_rate_timestamp` is in
 * milliseconds, unlike every other time of the exchange. The exchange refreshes prices every second.
 *
 * @example
 * ```ts
 * exchange.public.futuresMarkets().subscribe((markets) => {
 *   for (const { ticker_id, funding_rate, max_leverage } of markets) console.log(ticker_id, funding_rate, max_leverage);
 * });
 * ```
 */
export const futuresMarkets: Endpoint<NoParams, FuturesMarket[]> = defineEndpoint({
  name: 'public.futuresMarkets',
  method: 'GET',
  path: '/api/v4/public/futures',
  rateLimit: publicRateLimits,
  safety: 'read',
  response: t.listOf(t.record(futuresMarketFields)),
  envelope: true,
  errorCodes: regionErrorCodes,
});
