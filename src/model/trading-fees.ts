// The fees of the account's trades, in percent.
import * as v from 'valibot';
import { mapOf, decimalText, optional, optionalDecimal, optionalText, record, type RecordOf } from './tolerant.js';

const marketFeeFields = {
  /** Fee of a taker, percent: `"0.1"` is 0.1 %. */
  taker: decimalText,
  /** Fee of a maker, percent. */
  maker: decimalText,
};

/** The account's own fees on one market. Unknown fields are kept. */
export interface MarketFee extends RecordOf<typeof marketFeeFields> {}

/** Published as an object; clients read a pair, whose first fee is the taker's. */
const marketFeeSchema: v.GenericSchema<unknown, MarketFee> = v.pipe(
  v.unknown(),
  v.transform((fee): unknown => (Array.isArray(fee) ? { taker: fee[0] as unknown, maker: fee[1] as unknown } : fee)),
  record(marketFeeFields),
);

const tradingFeesFields = {
  /** Fee of a taker on spot markets, percent: `"0.1"` is 0.1 %. */
  taker: decimalText,
  /** Fee of a maker on spot markets, percent. */
  maker: decimalText,
  /** Fee of a taker on futures markets, percent. */
  futures_taker: optionalDecimal,
  /** Fee of a maker on futures markets, percent. */
  futures_maker: optionalDecimal,
  /** Percent that is added to `maker` for retail price improvement orders. Absent where they are not enabled. */
  rpi_maker_fee_premium: optionalDecimal,
  /** Percent that is added to `futures_maker` for retail price improvement orders. Absent where they are not enabled. */
  futures_rpi_maker_fee_premium: optionalDecimal,
  /** Markets on which the account has fees of its own: `{ BTC_USDT: { taker: "0.05", maker: "0.01" } }`. */
  custom_fee: optional<v.GenericSchema<unknown, Record<string, MarketFee>>>(mapOf(marketFeeSchema)),
  /** Absent when the fees could be read. */
  error: optionalText,
};

/** The fees of the account's trades. Unknown fields are kept. */
export interface TradingFees extends RecordOf<typeof tradingFeesFields> {}

export const tradingFeesSchema: v.GenericSchema<unknown, TradingFees> = record(tradingFeesFields);
