// Channel `trades`: every trade of a market.
import { liveTradeSchema, type LiveTrade } from '../../model/live-trade.js';
import type { Channel } from '../channel.js';
import { listIn, marketReader, readBy } from './read.js';

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
