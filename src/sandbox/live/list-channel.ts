// Channels whose subscription is a list of markets, which a request replaces, or adds to.
import type { AccountEvent, MarketView } from '../engine/index.js';
import { oneMarket, type ChannelRules, type Subscription } from './channel.js';
import { invalidArgument, unknownMarket, type LiveRejection, type Push } from './envelope.js';
import type { LiveExchange } from './live-exchange.js';

interface MarketListRules {
  readonly allowsAll: boolean;
  /** Whether the list can have a market; another one is an invalid argument. Default: every listed market. */
  readonly accepts?: (view: MarketView | undefined) => boolean;
  /** Whether a request names one market at most, also to unsubscribe. Default false. */
  readonly isSingle?: boolean;
  /** Whether a request adds to the list. Default false. */
  readonly adds?: boolean;
}

interface ListChannel<Sent> extends Omit<ChannelRules, 'open'> {
  /** Default: the whole account, of which a list is an invalid argument. */
  readonly list?: MarketListRules;
  /** The list of a request, and the events that it wants of its markets. Default: the parameters are the markets. */
  readonly read?: (params: readonly unknown[]) => {
    readonly markets: readonly unknown[];
    readonly wants?: (event: AccountEvent) => boolean;
  };
  /** The parameters of the message about an event; `undefined` for an event of another channel. Default: none has one. */
  readonly paramsOf?: (event: AccountEvent) => Push['params'] | undefined;
  /**
   * The parameters of the message that is due of a market, and what is to be known of it at the next one.
   *
   * @param sent `undefined` before the first message
   * @param isFirst whether the market was just subscribed to
   */
  readonly next?: (view: MarketView, sent: Sent | undefined, isFirst: boolean) => Next<Sent> | undefined;
  /** The messages of all markets together, instead of one by one. */
  readonly due?: (list: MarketList) => readonly Push[];
  readonly startsAtOnce?: boolean;
}

interface Next<Sent> {
  readonly params: readonly unknown[];
  readonly sent?: Sent;
}

export function listChannel<Sent>(exchange: LiveExchange, rules: ListChannel<Sent>): ChannelRules {
  return { ...rules, open: () => new ListSubscription(exchange, rules) };
}

class ListSubscription<Sent> implements Subscription {
  readonly #list: MarketList;
  #sent = new Map<string, Sent | undefined>();
  #wants: (event: AccountEvent) => boolean = () => true;

  constructor(
    exchange: LiveExchange,
    private readonly rules: ListChannel<Sent>,
  ) {
    this.#list = new MarketList(exchange, rules.list ?? { allowsAll: true });
  }

  subscribe(params: readonly unknown[]): readonly Push[] {
    const { list, read, startsAtOnce = false } = this.rules;
    const { markets, wants = () => true } = read?.(params) ?? { markets: params };
    if (list === undefined && markets.length > 0) throw invalidArgument();
    const first = this.#list.take(markets);
    this.#wants = wants;
    const before = this.#sent;
    if (list?.adds !== true) this.#sent = new Map();
    return startsAtOnce ? this.#due(first, before) : [];
  }

  unsubscribe(params: readonly unknown[]): void {
    this.#list.drop(params);
    if (this.#list.isEmpty) this.#sent.clear();
  }

  due(): readonly Push[] {
    return this.#list.isEmpty ? [] : this.#due(this.#list.views());
  }

  pushesOf(event: AccountEvent): readonly Push[] {
    const { market } = event;
    const params = this.rules.paramsOf?.(event);
    if (params === undefined || !this.#list.includes(market) || !this.#wants(event)) return [];
    return [{ market, params }];
  }

  markets(): string[] {
    return this.#list.names();
  }

  /** @param before of markets that were just subscribed to: what was sent of them until then */
  #due(views: readonly MarketView[], before?: ReadonlyMap<string, Sent | undefined>): readonly Push[] {
    const { next, due } = this.rules;
    if (due !== undefined) return due(this.#list);
    return views.flatMap((view) => {
      const { name: market } = view.listing;
      const message = next?.(view, (before ?? this.#sent).get(market), before !== undefined);
      if (message === undefined) return [];
      this.#sent.set(market, message.sent);
      return [{ market, params: message.params }];
    });
  }
}

class MarketList {
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

  take(params: readonly unknown[]): MarketView[] {
    const { allowsAll, isSingle = false, adds = false } = this.rules;
    const names = [...new Set(params.map(textOf))];
    if ((names.length === 0 && !allowsAll) || (isSingle && params.length > 1)) throw invalidArgument();
    for (const [index, name] of names.entries()) {
      const rejection = this.#rejectionOf(name);
      if (rejection === undefined) continue;
      const { refusedList } = this.exchange.behavior;
      if (refusedList !== 'whole' && !isSingle) this.#names = refusedList === 'empty' ? [] : names.slice(0, index);
      throw rejection;
    }
    if (names.length === 0) this.#names = 'all';
    else if (!adds) this.#names = names;
    else if (this.#names !== 'all') this.#names = [...new Set([...this.#names, ...names])];
    return names.length === 0 ? this.views() : names.map((name) => this.exchange.market(name));
  }

  drop(params: readonly unknown[]): void {
    if (this.rules.isSingle !== true || params.length === 0) {
      this.#names = [];
      return;
    }
    const { name } = oneMarket(this.exchange, params).listing;
    if (this.#names !== 'all') this.#names = this.#names.filter((other) => other !== name);
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
