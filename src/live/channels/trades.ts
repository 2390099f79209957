// Channel `trades`: every trade of a market.
import type * as v from 'valibot';
import {
  decimalText,
  integer,
  number,
  optionalEnum,
  optionalFlag,
  record,
  type RecordOf,
} from '../../model/tolerant.js';
import type { Channel } from '../channel.js';
import { listIn, marketReader, readBy } from './read.js';

const liveTradeFields = {
  /** The exchange's number of the trade. */
  id: integer,
  /** Time of the trade, Unix seconds with fractions. */
  time: number,
  /** Price, quote currency. */
  price: decimalText,
  /** Amount, base currency. */
  amount: decimalText,
  /** Side of the taker. */
  type: optionalEnum(['buy', 'sell']),
  /** Whether the maker was a retail price improvement order. Absent in older messages. */
  rpi: optionalFlag,
};

/** A public trade, as the channel `trades` pushes it. Unknown fields are kept. */
export interface LiveTrade extends RecordOf<typeof liveTradeFields> {}

const liveTradeSchema: v.GenericSchema<unknown, LiveTrade> = record(liveTradeFields);

/** Trades of one push, oldest first, and how many of them were unreadable. */
export interface TradeBatch {
  readonly trades: readonly LiveTrade[];
  readonly unreadable: number;
}

function readBatch(value: unknown): TradeBatch | undefined {
  const list = listIn(value);
  if (list === undefined) return undefined;
  // The exchange lists the newest trade first.
  const trades = list.toReversed().flatMap((one) => readBy(liveTradeSchema, one) ?? []);
  if (trades.length === 0 && list.length > 0) return undefined;
  return { trades, unreadable: list.length - trades.length };
}

/** Each subscription replays up to 100 trades of every market of the list. */
export const trades: Channel<TradeBatch> = {
  name: 'trades',
  method: 'trades',
  read: marketReader(readBatch),
};
