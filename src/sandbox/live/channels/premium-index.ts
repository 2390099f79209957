// `premiumIndex`: mark price, index price and funding rate of perpetuals, twice a second.
import { formatDecimal } from '../../../model/decimal.js';
import type { MarketView } from '../../engine/index.js';
import { secondsOf } from '../book-history.js';
import { MarketList, type Channel, type Subscription } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';
import type { LiveExchange } from '../live-exchange.js';

const everyMs = 500;

export function premiumIndexChannel(exchange: LiveExchange): Channel {
  return { name: 'premiumIndex', everyMs, queries: {}, open: () => new PremiumIndexSubscription(exchange) };
}

class PremiumIndexSubscription implements Subscription {
  readonly #list: MarketList;

  constructor(private readonly exchange: LiveExchange) {
    this.#list = new MarketList(exchange, {
      allowsAll: true,
      rejection: (_, view) => (view?.perpetual === undefined ? invalidArgument() : undefined),
    });
  }

  subscribe(params: readonly unknown[]): Push[] {
    this.#list.replace(params);
    return [];
  }

  unsubscribe(): void {
    this.#list.clear();
  }

  /** All perpetuals are one message; named ones are a message each, without the outer list. */
  due(): Push[] {
    const views = this.#list.views();
    const channel = 'premiumIndex';
    if (this.#list.isAll)
      return [
        {
          channel,
          params: views.flatMap((view) => {
            const record = this.#record(view);
            return record === undefined ? [] : [record];
          }),
        },
      ];
    return views.flatMap((view) => {
      const params = this.#record(view);
      return params === undefined ? [] : [{ channel, market: view.listing.name, params }];
    });
  }

  markets(): string[] {
    return this.#list.names();
  }

  #record({ listing, price, perpetual }: MarketView): unknown[] | undefined {
    if (perpetual === undefined) return undefined;
    const { indexPrice, fundingRate, nextFundingAt } = perpetual;
    const values = [price, indexPrice, fundingRate].map(formatDecimal);
    // Milliseconds, unlike every other time of the interface.
    return [listing.name, ...values, nextFundingAt, secondsOf(this.exchange.now())];
  }
}
