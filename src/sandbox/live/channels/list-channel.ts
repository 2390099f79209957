// Channels whose subscription is a list of markets, which each request replaces.
import type { MarketView } from '../../engine/index.js';
import { MarketList, type Channel, type MarketListRules, type Subscription } from '../channel.js';
import type { Push } from '../envelope.js';
import type { LiveExchange } from '../live-exchange.js';

interface ListChannel {
  readonly name: string;
  readonly everyMs: number;
  readonly queries?: Channel['queries'];
  readonly valuesOf: (view: MarketView) => readonly unknown[];
  /** Whether values are sent at once, where the exchange does so. */
  readonly startsAtOnce: boolean;
  readonly sendsChangesOnly?: boolean;
  /** Default: lists of listed markets. An empty list that is allowed is every market; its values are one message. */
  readonly list?: MarketListRules;
}

export function listChannel(exchange: LiveExchange, rules: ListChannel): Channel {
  const { name, everyMs, queries = {} } = rules;
  return { name, everyMs, queries, open: () => new ListSubscription(exchange, rules) };
}

class ListSubscription implements Subscription {
  readonly #list: MarketList;
  readonly #sent = new Map<string, string>();

  constructor(
    private readonly exchange: LiveExchange,
    private readonly rules: ListChannel,
  ) {
    this.#list = new MarketList(exchange, rules.list ?? { allowsAll: false });
  }

  subscribe(params: readonly unknown[]): readonly Push[] {
    this.#list.replace(params);
    this.#sent.clear();
    return this.rules.startsAtOnce && this.exchange.behavior.sendsValuesAtOnce ? this.due() : [];
  }

  unsubscribe(): void {
    this.#list.clear();
  }

  due(): readonly Push[] {
    const { name: channel, valuesOf, sendsChangesOnly = false } = this.rules;
    const values = this.#list.views().map((view) => ({ market: view.listing.name, params: valuesOf(view) }));
    if (this.#list.isAll) return [{ channel, params: values.map(({ params }) => params) }];
    return values
      .filter(({ market, params }) => !sendsChangesOnly || this.#isChange(market, JSON.stringify(params)))
      .map((one) => ({ channel, ...one }));
  }

  markets(): string[] {
    return this.#list.names();
  }

  #isChange(market: string, text: string): boolean {
    if (this.#sent.get(market) === text) return false;
    this.#sent.set(market, text);
    return true;
  }
}
