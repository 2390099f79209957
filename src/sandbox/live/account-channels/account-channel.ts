// Channels of an account whose subscription is a list of markets, which each request replaces.
import type { AccountEvent } from '../../engine/index.js';
import { MarketList, tickMs, type Channel, type MarketListRules, type Subscription } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';
import type { LiveExchange } from '../live-exchange.js';

interface SubscriptionRequest {
  readonly markets: readonly unknown[];
  /** The events that it wants of these markets. Default: all. */
  readonly wants?: (event: AccountEvent) => boolean;
}

interface AccountChannel extends Pick<Channel, 'name'>, Partial<Pick<Channel, 'everyMs' | 'queries'>> {
  /** Default: the whole account, of which a list is an invalid argument. */
  readonly list?: MarketListRules;
  /** Default: the parameters are the markets. Throws a rejection. */
  readonly read?: (params: readonly unknown[]) => SubscriptionRequest;
  /** The parameters of the message about an event; `undefined` for an event of another channel. Default: none has one. */
  readonly paramsOf?: (event: AccountEvent) => Push['params'] | undefined;
  /** The parameters of a message that is due. Default: none is. */
  readonly due?: (list: MarketList) => Push['params'];
  /** Whether the first message is due at once. Default false. */
  readonly startsAtOnce?: boolean;
}

export function accountChannel(exchange: LiveExchange, rules: AccountChannel): Channel {
  const { name, everyMs = tickMs, queries = {} } = rules;
  return { name, everyMs, queries, open: () => new AccountSubscription(exchange, rules) };
}

class AccountSubscription implements Subscription {
  readonly #list: MarketList;
  #wants: (event: AccountEvent) => boolean = () => true;

  constructor(
    exchange: LiveExchange,
    private readonly rules: AccountChannel,
  ) {
    this.#list = new MarketList(exchange, rules.list ?? { allowsAll: true });
  }

  /** What happened before is not sent. */
  subscribe(params: readonly unknown[]): readonly Push[] {
    const { list, read = (markets: readonly unknown[]) => ({ markets }), startsAtOnce = false } = this.rules;
    const { markets, wants = () => true }: SubscriptionRequest = read(params);
    if (list === undefined && markets.length > 0) throw invalidArgument();
    this.#list.replace(markets);
    this.#wants = wants;
    return startsAtOnce ? this.due() : [];
  }

  unsubscribe(): void {
    this.#list.clear();
  }

  due(): readonly Push[] {
    const { name: channel, due } = this.rules;
    return due === undefined || this.#list.isEmpty ? [] : [{ channel, params: due(this.#list) }];
  }

  pushesOf(event: AccountEvent): readonly Push[] {
    const { market } = event;
    const params = this.rules.paramsOf?.(event);
    if (params === undefined || !this.#list.includes(market) || !this.#wants(event)) return [];
    return [{ channel: this.rules.name, market, params }];
  }

  markets(): string[] {
    return this.#list.names();
  }
}
