import * as v from 'valibot';
import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { marketName, type ParamsOf } from '../fields.js';

const marketFeeFields = {
  /** Fee of a taker, percent: `"0.1"` is 0.1 %. */
  taker: t.decimalText,
  /** Fee of a maker, percent. */
  maker: t.decimalText,
};

/** The account's own fees on one market. Unknown fields are kept. */
export interface MarketFee extends t.RecordOf<typeof marketFeeFields> {}

/** Published as an object; clients read a pair, whose first fee is the taker's. */
const marketFeeSchema: v.GenericSchema<unknown, MarketFee> = v.pipe(
  v.unknown(),
  v.transform((fee): unknown => (Array.isArray(fee) ? { taker: fee[0] as unknown, maker: fee[1] as unknown } : fee)),
  t.record(marketFeeFields),
);

const tradingFeesFields = {
  /** Fee of a taker on spot markets, percent: `"0.1"` is 0.1 %. */
  taker: t.decimalText,
  /** Fee of a maker on spot markets, percent. */
  maker: t.decimalText,
  /** Fee of a taker on futures markets, percent. */
  futures_taker: t.optionalDecimal,
  /** Fee of a maker on futures markets, percent. */
  futures_maker: t.optionalDecimal,
  /** Percent that is added to `maker` for retail price improvement orders. Absent where they are not enabled. */
  rpi_maker_fee_premium: t.optionalDecimal,
  /** Percent that is added to `futures_maker` for retail price improvement orders. Absent where they are not enabled. */
  futures_rpi_maker_fee_premium: t.optionalDecimal,
  /** Markets on which the account has fees of its own: `{ BTC_USDT: { taker: "0.05", maker: "0.01" } }`. */
  custom_fee: t.optional<Record<string, MarketFee>>(t.mapOf(marketFeeSchema)),
  /** Absent when the fees could be read. */
  error: t.optionalText,
};

/** The fees of the account's trades. Unknown fields are kept. */
export interface TradingFees extends t.RecordOf<typeof tradingFeesFields> {}

/**
 * Reads the fees of the account's trades, in percent: `"0.1"` is 0.1 %. A market of `custom_fee` has the fees that it
 * states, every other market those of `taker` and `maker`, or of `futures_taker` and `futures_maker`. Fees of deposits
 * and withdrawals are those of `public.assetFees`.
 *
 * @example
 * ```ts
 * exchange.spot.fees().subscribe((fees) => {
 *   const { taker, maker } = fees.custom_fee?.['BTC_USDT'] ?? fees;
 *   console.log(`taker ${taker} %, maker ${maker} %`);
 * });
 * ```
 */
export const fees: Endpoint<NoParams, TradingFees> = defineEndpoint({
  name: 'spot.fees',
  path: '/api/v4/market/fee',
  safety: 'read',
  // The exchange ignores its parameter `market`.
  response: t.record(tradingFeesFields),
});

const feesOfFields = {
  ...marketFeeFields,
  /** Percent that is added to `maker` for retail price improvement orders. Absent where they are not enabled. */
  rpi_maker_fee_premium: t.optionalDecimal,
  /** The same of a futures market. */
  futures_rpi_maker_fee_premium: t.optionalDecimal,
  /** Absent when the fees could be read. */
  error: t.optionalText,
};

/** The fees of the account's trades on one market. Unknown fields are kept. */
export interface FeesOfMarket extends t.RecordOf<typeof feesOfFields> {}

const feesOfParams = {
  /** The market: spot, margin or futures. */
  market: marketName,
};

/** Parameters of {@link feesOf}. */
export interface FeesOfParams extends ParamsOf<typeof feesOfParams> {}

/**
 * Reads the fees of the account's trades on one market, in percent.
 *
 * They are the market's own, the account's where they are lower, or
 * those of `custom_fee`. The fee of a maker may be negative.
 *
 * @example
 * ```ts
 * exchange.spot.feesOf({ market: 'BTC_USDT' }).subscribe(({ taker, maker }) => console.log(taker, maker));
 * ```
 */
export const feesOf: Endpoint<FeesOfParams, FeesOfMarket> = defineEndpoint({
  name: 'spot.feesOf',
  path: '/api/v4/market/fee/single',
  safety: 'read',
  request: v.strictObject(feesOfParams),
  response: t.record(feesOfFields),
});
