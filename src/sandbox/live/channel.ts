// What a channel is: its queries, and the subscription of one connection.
import type { AccountEvent, MarketView } from '../engine/index.js';
import type { ExchangeState } from '../http/index.js';
import { invalidArgument, type Push } from './envelope.js';
import type { LiveExchange } from './live-exchange.js';

export interface Channel {
  readonly name: string;
  /** The interval at which subscriptions are read, milliseconds: a multiple of {@link tickMs}. Default: that. */
  readonly everyMs?: number;
  /** By the end of the method: `request` for `depth_request`. A query throws a rejection. */
  readonly queries?: Readonly<Record<string, (params: readonly unknown[]) => unknown>>;
  readonly open: () => Subscription;
}

export type ChannelRules = Omit<Channel, 'name'>;

export interface Subscription {
  /** Changes the subscription; returns what is sent at once. Throws a rejection. */
  subscribe(params: readonly unknown[]): readonly Push[];
  unsubscribe(params: readonly unknown[]): void;
  due(): readonly Push[];
  /** Of a channel of events: the messages about one. Must not use the engine, which is in the middle of the event. */
  pushesOf?(event: AccountEvent): readonly Push[];
  /** Of a recorded channel: whether a recorded message of the market is passed on. */
  passes?(market: string, isSnapshot: boolean): boolean;
  /** The subscribed markets; every market for values that are of none. */
  markets(): readonly string[];
}

export interface LiveAccount {
  readonly exchange: LiveExchange;
  readonly state: Pick<ExchangeState, 'engine' | 'books' | 'wallets' | 'history'>;
  readonly name: string;
}

export const tickMs = 100;

export function oneMarket(exchange: LiveExchange, params: readonly unknown[]): MarketView {
  const [name] = params;
  if (params.length !== 1 || typeof name !== 'string') throw invalidArgument();
  return exchange.market(name);
}

export function isIntegerFrom(min: number, value: unknown, max = Number.MAX_SAFE_INTEGER): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;
}
