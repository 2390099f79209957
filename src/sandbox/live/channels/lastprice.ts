// `lastprice`: the price of the last trade, when it has changed.
import { formatDecimal } from '../../../model/decimal.js';
import type { MarketView } from '../../engine/index.js';
import { MarketList, oneMarket, type Channel, type Subscription } from '../channel.js';
import type { Push } from '../envelope.js';
import type { LiveExchange } from '../live-exchange.js';

const everyMs = 1000;

export function lastpriceChannel(exchange: LiveExchange): Channel {
  return {
    name: 'lastprice',
    everyMs,
    queries: { lastprice_request: (params) => lastPrice(oneMarket(exchange, params)) },
    open: () => new LastpriceSubscription(exchange),
  };
}

class LastpriceSubscription implements Subscription {
  readonly #list: MarketList;
  /** The price that was sent, by market. */
  readonly #sent = new Map<string, string>();

  constructor(private readonly exchange: LiveExchange) {
    this.#list = new MarketList(exchange, { allowsAll: false });
  }

  subscribe(params: readonly unknown[]): Push[] {
    this.#list.replace(params);
    this.#sent.clear();
    return this.exchange.settings.sendsValuesAtOnce ? this.due() : [];
  }

  unsubscribe(): void {
    this.#list.clear();
  }

  due(): Push[] {
    return this.#list.views().flatMap((view) => {
      const { name } = view.listing;
      const price = lastPrice(view);
      if (this.#sent.get(name) === price) return [];
      this.#sent.set(name, price);
      return [{ channel: 'lastprice', market: name, params: [name, price] }];
    });
  }

  markets(): string[] {
    return this.#list.names();
  }
}

function lastPrice({ tape }: MarketView): string {
  return formatDecimal(tape.last.price);
}
