// The subscription to a channel of events: each event of the subscribed markets is one message.
import type { AccountEvent } from '../../engine/index.js';
import { MarketList, type Subscription } from '../channel.js';
import type { Push } from '../envelope.js';
import type { LiveExchange } from '../live-exchange.js';

export interface EventRequest {
  readonly markets: readonly unknown[];
  /** The events that it wants of these markets. Default: all. */
  readonly wants?: (event: AccountEvent) => boolean;
}

export interface EventRules {
  readonly channel: string;
  readonly allowsAll: boolean;
  /** Throws a rejection. */
  readonly read: (params: readonly unknown[]) => EventRequest;
  /** The parameters of the message about an event; `undefined` for an event of another channel. */
  readonly paramsOf: (event: AccountEvent) => readonly unknown[] | undefined;
}

export class EventSubscription implements Subscription {
  readonly #list: MarketList;
  #wants: (event: AccountEvent) => boolean = () => true;

  constructor(
    exchange: LiveExchange,
    private readonly rules: EventRules,
  ) {
    this.#list = new MarketList(exchange, { allowsAll: rules.allowsAll });
  }

  /** Replaces the list. What happened before is not sent. */
  subscribe(params: readonly unknown[]): Push[] {
    const { markets, wants = () => true } = this.rules.read(params);
    this.#list.replace(markets);
    this.#wants = wants;
    return [];
  }

  unsubscribe(): void {
    this.#list.clear();
  }

  due(): Push[] {
    return [];
  }

  pushesOf(event: AccountEvent): Push[] {
    const { market } = event;
    const params = this.rules.paramsOf(event);
    if (params === undefined || !this.#list.includes(market) || !this.#wants(event)) return [];
    return [{ channel: this.rules.channel, market, params }];
  }

  markets(): string[] {
    return this.#list.names();
  }
}
