// Channels whose subscription is a list of markets, which each request replaces.
import type { AccountEvent, MarketView } from '../engine/index.js';
import { tickMs, type Channel, type Subscription } from './channel.js';
import { invalidArgument, unknownMarket, type LiveRejection, type Push } from './envelope.js';
import type { LiveExchange } from './live-exchange.js';

interface MarketListRules {
  /** Whether an empty list is every market. */
  readonly allowsAll: boolean;
  /** Whether the list can have a market; another one is an invalid argument. Default: every listed market. */
  readonly accepts?: (view: MarketView | undefined) => boolean;
}

interface ListChannel extends Pick<Channel, 'name'>, Partial<Pick<Channel, 'everyMs' | 'queries'>> {
  /** Default: the whole account, of which a list is an invalid argument. */
  readonly list?: MarketListRules;
  /** The list of a request, and the events that it wants of its markets. Default: the parameters are the markets. */
  readonly read?: (params: readonly unknown[]) => {
    readonly markets: readonly unknown[];
    readonly wants?: (event: AccountEvent) => boolean;
  };
  /** The parameters of the message about an event; `undefined` for an event of another channel. Default: none has one. */
  readonly paramsOf?: (event: AccountEvent) => Push['params'] | undefined;
  /** The messages that are due. Default: none is. */
  readonly due?: (list: MarketList) => readonly Omit<Push, 'channel'>[];
  /** Whether the first messages are due at once. Default false. */
  readonly startsAtOnce?: boolean;
  /** Whether a message is sent only when it differs from the last one of its market. Default false. */
  readonly sendsChangesOnly?: boolean;
}

export function listChannel(exchange: LiveExchange, rules: ListChannel): Channel {
  const { name, everyMs = tickMs, queries = {} } = rules;
  return { name, everyMs, queries, open: () => new ListSubscription(exchange, rules) };
}

class ListSubscription implements Subscription {
  readonly #list: MarketList;
  readonly #sent = new Map<unknown, string>();
  #wants: (event: AccountEvent) => boolean = () => true;

  constructor(
    exchange: LiveExchange,
    private readonly rules: ListChannel,
  ) {
    this.#list = new MarketList(exchange, rules.list ?? { allowsAll: true });
  }

  subscribe(params: readonly unknown[]): readonly Push[] {
    const { list, read, startsAtOnce = false } = this.rules;
    const { markets, wants = () => true } = read?.(params) ?? { markets: params };
    if (list === undefined && markets.length > 0) throw invalidArgument();
    this.#list.replace(markets);
    this.#wants = wants;
    this.#sent.clear();
    return startsAtOnce ? this.due() : [];
  }

  unsubscribe(): void {
    this.#list.clear();
  }

  due(): readonly Push[] {
    const { name: channel, due, sendsChangesOnly = false } = this.rules;
    if (due === undefined || this.#list.isEmpty) return [];
    const pushes = due(this.#list).map((one) => ({ channel, ...one }));
    return sendsChangesOnly ? pushes.filter((push) => this.#isChange(push)) : pushes;
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

  #isChange({ market, params }: Push): boolean {
    const text = JSON.stringify(params);
    const isChange = this.#sent.get(market) !== text;
    this.#sent.set(market, text);
    return isChange;
  }
}

export class MarketList {
  #names: readonly string[] | 'all' = [];

  constructor(
    private readonly exchange: LiveExchange,
    private readonly rules: MarketListRules,
  ) {}

  get isAll(): boolean {
    return this.#names === 'all';
  }

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  replace(params: readonly unknown[]): void {
    const names = [...new Set(params.map(textOf))];
    if (names.length === 0 && !this.rules.allowsAll) throw invalidArgument();
    for (const [index, name] of names.entries()) {
      const rejection = this.#rejectionOf(name);
      if (rejection === undefined) continue;
      const { refusedList } = this.exchange.behavior;
      if (refusedList !== 'whole') this.#names = refusedList === 'empty' ? [] : names.slice(0, index);
      throw rejection;
    }
    this.#names = names.length === 0 ? 'all' : names;
  }

  clear(): void {
    this.#names = [];
  }

  includes(market: string): boolean {
    return this.#names === 'all' || this.#names.includes(market);
  }

  views(): MarketView[] {
    if (this.#names !== 'all') return this.#names.flatMap((name) => this.exchange.find(name) ?? []);
    return this.exchange.markets().filter((view) => this.#rejectionOf(view.listing.name) === undefined);
  }

  names(): string[] {
    return this.views().map(({ listing }) => listing.name);
  }

  #rejectionOf(name: string): LiveRejection | undefined {
    const view = this.exchange.find(name);
    const { accepts } = this.rules;
    if (accepts !== undefined) return accepts(view) ? undefined : invalidArgument();
    return view === undefined ? unknownMarket(name) : undefined;
  }
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw invalidArgument();
  return value;
}
