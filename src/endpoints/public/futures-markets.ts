import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import {
  listOf,
  decimalText,
  mapOf,
  optional,
  optionalDecimal,
  optionalEnum,
  optionalNumber,
  optionalText,
  record,
  text,
  type RecordOf,
} from '../../model/tolerant.js';
import { regionErrorCodes } from './error-codes.js';
import { publicRateLimits } from './rate-limit.js';

const futuresMarketFields = {
  /** The market, such as `BTC_PERP`. */
  ticker_id: text,
  /** The base currency. */
  stock_currency: optionalText,
  /** The quote currency. */
  money_currency: optionalText,
  /** Price of the last trade, quote currency. */
  last_price: optionalDecimal,
  /** Mark price, quote currency. */
  mark_price: optionalDecimal,
  /** Index price, quote currency. */
  index_price: optionalDecimal,
  /** Name of the index. */
  index_name: optionalText,
  /** Currency of the index. */
  index_currency: optionalText,
  /** Highest price of a buy order, quote currency. */
  bid: optionalDecimal,
  /** Lowest price of a sell order, quote currency. */
  ask: optionalDecimal,
  /** Highest price of the last 24 h, quote currency. */
  high: optionalDecimal,
  /** Lowest price of the last 24 h, quote currency. */
  low: optionalDecimal,
  /** Traded in the last 24 h, base currency. */
  stock_volume: optionalDecimal,
  /** Traded in the last 24 h, quote currency. */
  money_volume: optionalDecimal,
  /** Open contracts, base currency. */
  open_interest: optionalDecimal,
  /** `Perpetual`. */
  product_type: optionalEnum(['Perpetual']),
  /**
   * Forecast of the next funding rate, which changes until it is charged. As the exchange writes it: its documentation
   * does not say whether in percent.
   */
  funding_rate: optionalDecimal,
  /** Maximum funding rate, in the same unit. */
  funding_cap: optionalDecimal,
  /** Minimum funding rate, in the same unit. */
  funding_floor: optionalDecimal,
  /** Time of the next funding, Unix **milliseconds** in a string: all other times are seconds. */
  next_funding_rate_timestamp: optionalText,
  /** Minutes from one funding to the next. */
  funding_interval_minutes: optionalNumber,
  /** Maximum value of a position by leverage, quote currency: `{ "100": "50000" }`. */
  brackets: optional(mapOf(decimalText)),
  /** Maximum leverage. */
  max_leverage: optionalNumber,
};

/** A futures market. Unknown fields are kept. */
export interface FuturesMarket extends RecordOf<typeof futuresMarketFields> {}

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
  response: listOf(record(futuresMarketFields)),
  envelope: true,
  errorCodes: regionErrorCodes,
});
