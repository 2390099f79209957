// What a channel is: data. Connections, subscriptions and gaps are the business of the live layer, and the same for all.
import type { Observable } from 'rxjs';
import type { LiveGap } from '../model/stream-gap.js';
import type { Link, Refusal } from './connection/index.js';

/** An item of a channel, and the market (or other key) that it belongs to. */
export interface ChannelItem<Item> {
  /** The key that its subscribers have given. */
  readonly key: string;
  readonly item: Item;
}

/** The definition that {@link defineChannel} takes. */
export interface ChannelDefinition<Item> {
  /** Name in events, gaps and errors, such as `trades`. */
  readonly name: string;
  /** The method that subscribes, such as `trades_subscribe`. */
  readonly subscribe: string;
  /** The method that unsubscribes, such as `trades_unsubscribe`. */
  readonly unsubscribe: string;
  /** The method of the channel's pushes, such as `trades_update`. */
  readonly update: string;
  /**
   * How the exchange takes several keys:
   * - `list`: one request with all keys replaces the last one.
   * - `each`: one request for each key; they add up.
   * - `connection`: a connection has one key.
   */
  readonly keys: 'list' | 'each' | 'connection';
  /** The parameters of a subscription to these keys. Default: the keys. */
  readonly params?: (keys: readonly string[]) => readonly unknown[];
  /** The parameters that end the subscription to these keys. Default: none, which ends the whole channel. */
  readonly unsubscribeParams?: (keys: readonly string[]) => readonly unknown[];
  /**
   * Reads the `params` of a push; `undefined` where they are unreadable. Must not throw. Its subscribers get each item
   * in the order of the list.
   */
  readonly read: (params: unknown) => readonly ChannelItem<Item>[] | undefined;
  /**
   * The maximum silence of a subscribed key, milliseconds: after it, its values are stale and it is subscribed again.
   * Leave it out for a channel that is silent while nothing changes. Default: no maximum.
   */
  readonly silenceMs?: number;
}

/** Why items may be missing. */
export type Interruption = 'reconnect' | 'silence' | 'unreadable';

/** What follows a key of a channel, such as the trades of a market. */
export interface Follower<Item> {
  /** The exchange has confirmed the subscription. Items may have come before. */
  onSubscribed(): void;
  onItem(item: Item, key: string): void;
  /** Items may be missing until the next confirmation. */
  onInterrupted(reason: Interruption): void;
  /** The exchange refuses the key. Nothing more is reported. */
  onRefused(refusal: Refusal): void;
}

/** The subscriptions of a channel on one connection. */
export interface KeySubscriptions<Item> {
  /** Follows a key, which must have no follower; returns the function that ends it. */
  follow(key: string, follower: Follower<Item>): () => void;
  /** Subscribes the key again. */
  renew(key: string): void;
  /** Streams of keys, for a channel whose items are emitted as they are. */
  readonly itemStreams: Map<string, Observable<LiveItem<Item>>>;
}

/** An item of {@link Live.channel}. Switch on `kind`. */
export type LiveItem<Item> =
  | {
      /** Discriminates the items. */
      readonly kind: 'item';
      /** The key that it belongs to, such as a market. */
      readonly key: string;
      /** The item as the channel's `read` has made it. */
      readonly item: Item;
    }
  | LiveGap;

/** A channel that {@link defineChannel} has made. */
export interface Channel<Item> extends ChannelDefinition<Item> {
  /**
   * The subscriptions of the channel on a connection; made when the channel is first used there.
   *
   * @internal
   */
  on(link: Link, make: () => KeySubscriptions<Item>): KeySubscriptions<Item>;
}

/**
 * Defines a channel that the package lacks: pass it to `exchange.live.channel`.
 *
 * @example
 * ```ts
 * import { defineChannel } from 'exchange-rx';
 *
 * // Pushes ["BTC_USDT", "60000"].
 * const lastPrice = defineChannel<string>({
 *   name: 'lastPrice',
 *   subscribe: 'lastprice_subscribe',
 *   unsubscribe: 'lastprice_unsubscribe',
 *   update: 'lastprice_update',
 *   keys: 'list',
 *   read: (params) => (Array.isArray(params) ? [{ key: String(params[0]), item: String(params[1]) }] : undefined),
 * });
 * ```
 */
export function defineChannel<Item>(definition: ChannelDefinition<Item>): Channel<Item> {
  const byLink = new WeakMap<Link, KeySubscriptions<Item>>();
  return {
    ...definition,
    on(link, make) {
      const known = byLink.get(link);
      if (known !== undefined) return known;
      const made = make();
      byLink.set(link, made);
      return made;
    },
  };
}

/** The key that stands for all markets, where a channel has such a subscription. */
export const everyKey = '*';
