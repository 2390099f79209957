// The market data of a second exchange, written from what the real one has published, and from nothing else: it imports
// neither the SDK nor the sandbox. Its tape has what nobody promised: numbers without an order, trades that are listed
// late, and responses from a cache that is behind.

export interface TapeTrade {
  readonly tradeID: number;
  /** Unix seconds. */
  readonly at: number;
  /** The trade is listed from this time on, Unix ms. */
  readonly listedAt: number;
}

/** What the tape does. Chances are from 0 to 1. */
export interface TapePremises {
  /** Returns numbers from 0 to 1. */
  readonly random: () => number;
  /** Maximum number of trades in a second. */
  readonly maxPerSecond: number;
  /** Chance that a trade is listed up to 3 s late. */
  readonly lateChance: number;
  /** Chance that a response is one of up to 3 s ago. */
  readonly cacheChance: number;
}

export interface ForeignTape {
  /** Every trade so far, in the order of execution. */
  readonly trades: readonly TapeTrade[];
  /** Trades for another second, which ends at this time, Unix ms. */
  trade(now: number): void;
  /** The response of `GET /api/v4/public/trades/{market}`: at most 100, the newest first. */
  list(now: number): readonly Readonly<Record<string, unknown>>[];
}

const pageSize = 100;
const maxDelayMs = 3000;

export function createForeignTape({ random, maxPerSecond, lateChance, cacheChance }: TapePremises): ForeignTape {
  const trades: TapeTrade[] = [];
  const used = new Set<number>();

  /** Numbers grow on average only: those of a second have no order. */
  function newNumber(now: number): number {
    for (;;) {
      const number = Math.floor(now / 1000) * 1000 + Math.floor(random() * 3000);
      if (!used.has(number)) {
        used.add(number);
        return number;
      }
    }
  }

  return {
    trades,
    trade(now) {
      const count = Math.floor(random() * (maxPerSecond + 1));
      for (let index = 0; index < count; index += 1) {
        const late = random() < lateChance ? random() * maxDelayMs : 0;
        trades.push({ tradeID: newNumber(now), at: Math.floor(now / 1000), listedAt: now + late });
      }
    },
    list(now) {
      const shownAt = random() < cacheChance ? now - random() * maxDelayMs : now;
      return trades
        .filter(({ listedAt }) => listedAt <= shownAt)
        .slice(-pageSize)
        .reverse()
        .map(({ tradeID, at }) => ({
          tradeID,
          price: '60000.1',
          quote_volume: '0.5',
          base_volume: '30000.05',
          trade_timestamp: at,
          type: tradeID % 2 === 0 ? 'buy' : 'sell',
        }));
    },
  };
}
