// What a channel is: its queries, and the subscription of one connection.
import { invalidArgument, unknownMarket, type LiveRejection, type Push } from './envelope.js';
import type { LiveExchange } from './live-exchange.js';
import type { AccountEvent, MarketView } from '../engine/index.js';

export interface Channel {
  readonly name: string;
  /** The interval at which subscriptions are read, milliseconds: a multiple of {@link tickMs}. */
  readonly everyMs: number;
  /** By method. A query throws a rejection. */
  readonly queries: Readonly<Record<string, (params: readonly unknown[]) => unknown>>;
  readonly open: () => Subscription;
}

export interface Subscription {
  /** Changes the subscription; returns what is sent at once. Throws a rejection. */
  subscribe(params: readonly unknown[]): readonly Push[];
  unsubscribe(params: readonly unknown[]): void;
  due(): readonly Push[];
  /** Of a channel of events: the messages about one. Must not use the engine, which is in the middle of the event. */
  pushesOf?(event: AccountEvent): readonly Push[];
  /** The subscribed markets; every market for values that are of none. */
  markets(): readonly string[];
}

/** The interval in which the gateway sends changes, milliseconds. */
export const tickMs = 100;

/** The single market of a request with these parameters; throws a rejection. */
export function oneMarket(exchange: LiveExchange, params: readonly unknown[]): MarketView {
  const [name] = params;
  if (params.length !== 1 || typeof name !== 'string') throw invalidArgument();
  return exchange.market(name);
}

export interface MarketListRules {
  /** Whether an empty list is every market. */
  readonly allowsAll: boolean;
  /** Whether the list can have a market; another one is an invalid argument. Default: every listed market. */
  readonly accepts?: (view: MarketView | undefined) => boolean;
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
