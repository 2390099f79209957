// The price of a market that plays back trades: each one moves the price when it is due, and nothing else does.
import type { PlayedTrade } from '../market-data/index.js';
import type { PriceStep, PriceWalk } from './price-walk.js';

export class Feed {
  #played = 0;

  constructor(
    private readonly walk: PriceWalk,
    private readonly trades: readonly PlayedTrade[],
  ) {}

  get isOver(): boolean {
    return this.#played === this.trades.length;
  }

  /** The trades due by `now` (Unix milliseconds). Take each step before requesting the next one. */
  *steps(now: number): Generator<PriceStep, undefined> {
    for (;;) {
      const trade = this.trades[this.#played];
      if (trade === undefined || trade.at > now) return undefined;
      yield {
        at: trade.at,
        trade,
        take: () => {
          this.#played += 1;
          this.walk.set(trade.price);
        },
      };
    }
  }
}
