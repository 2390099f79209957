import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { type Candle, candleIntervals, candleSchema } from '../../model/candle.js';
import { listOf } from '../../model/tolerant.js';
import { boundedInteger, marketName, oneOf, type ParamsOf, rule, unixSeconds } from '../fields.js';
import { tighterRateLimits } from '../rate-limits.js';

const params = {
  /** The pair, `BASE_QUOTE`. */
  market: marketName,
  /** Only candles from this time on, Unix seconds. */
  start: v.exactOptional(unixSeconds),
  /** Only candles up to this time, Unix seconds. Not before `start`. */
  end: v.exactOptional(unixSeconds),
  /**
   * The interval of a candle. `1M` is a month.
   *
   * @default 1h
   */
  interval: v.exactOptional(oneOf(candleIntervals)),
  /**
   * Maximum number of candles, 1 to 1440.
   *
   * @default 1440
   */
  limit: v.exactOptional(boundedInteger(1, 1440)),
};

const request = v.pipe(
  v.strictObject(params),
  rule('end', ({ start, end }) => start === undefined || end === undefined || end >= start, 'must not be before start'),
);

/** Parameters of {@link candles}. */
export interface CandlesParams extends ParamsOf<typeof params> {}

/**
 * Lists the candles of a market, in the order of the exchange. A candle is an object with `open`, `high`, `low` and
 * `close` by name: the exchange sends a list in the order open, **close, high, low**. The live exchange lists closed
 * candles only.
 *
 * @example
 * ```ts
 * exchange.public.candles({ market: 'BTC_USDT', interval: '1m', limit: 5 }).subscribe((candles) => {
 *   for (const { time, open, close } of candles) console.log(new Date(time * 1000), open, close);
 * });
 * ```
 */
export const candles: Endpoint<CandlesParams, Candle[]> = defineEndpoint({
  name: 'public.candles',
  method: 'GET',
  path: '/api/v1/public/kline',
  rateLimit: tighterRateLimits(1000),
  safety: 'read',
  request,
  response: listOf(candleSchema),
  envelope: true,
  errorCodes: [
    { field: 'market', reason: 'market' },
    ...['start', 'end', 'interval', 'limit'].map((field) => ({ field, reason: 'validation' }) as const),
  ],
});
