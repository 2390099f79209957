// What a channel is: data. Connections, subscriptions and gaps are the business of the live layer, and the same for all.
import type { Observable } from 'rxjs';
import { aFunction, anything, numberFrom, oneOf, optionsOf, parse, rule, trueOrFalse } from '../errors/index.js';
import { isRecord } from '../model/map.js';
import type { LiveGap } from '../model/stream-gap.js';
import type { Link, Refusal } from './connection/index.js';

/** An item of a channel, and the market (or other key) that it belongs to. */
export interface ChannelItem<Item> {
  /** The key that its subscribers have given. */
  readonly key: string;
  readonly item: Item;
}

/** A part of a push that could not be read. */
export interface UnreadableItem {
  /** The key that it belongs to: it concerns the subscribers of this key. Left out: every subscriber of the channel. */
  readonly key?: string;
  /** Discriminates it from an item. */
  readonly unreadable: true;
}

/** What a push is made of. */
export type PushItem<Item> = ChannelItem<Item> | UnreadableItem;

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
  /** The parameters of a subscription to these keys: a list that JSON can hold. Default: the keys. */
  readonly params?: (keys: readonly string[]) => readonly unknown[];
  /** The parameters that end the subscription to these keys. Default: none, which ends the whole channel. */
  readonly unsubscribeParams?: (keys: readonly string[]) => readonly unknown[];
  /**
   * Reads the `params` of a push. Subscribers get each item in the order of the list. A part that is unreadable is an
   * {@link UnreadableItem}; `undefined`: the whole push is. A number that a double would round is the string of its
   * digits.
   */
  readonly read: (params: unknown) => readonly PushItem<Item>[] | undefined;
  /**
   * The maximum silence of a subscribed key, milliseconds, 1000 or more: after it, its values are stale and it is
   * subscribed again. Leave it out for a channel that is silent while nothing changes. Default: no maximum.
   */
  readonly silenceMs?: number;
  /**
   * Whether the channel is of the account: it is subscribed on an authorized connection. Requires the client's
   * `credentials`. Default false.
   */
  readonly isPrivate?: boolean;
}

/** Why items may be missing. */
export type Interruption = 'reconnect' | 'silence' | 'unreadable';

/** What follows a key of a channel, such as the trades of a market. */
export interface Follower<Item> {
  /** Whether an item replaces the ones before: an old item is dropped while a newer one is certain to follow. */
  readonly isState?: boolean;
  /** The exchange has confirmed the subscription. Items may have come before. */
  onSubscribed(): void;
  onItem(item: Item, key: string): void;
  /**
   * Items may be missing: until the next confirmation or, of an unreadable push, those of the push.
   *
   * @param key the market of the push, where the follower follows all markets and one of them is concerned
   */
  onInterrupted(reason: Interruption, key?: string): void;
  /** The exchange refuses the key. Nothing more is reported. */
  onRefused(refusal: Refusal): void;
}

/** The items of a key, which its subscribers share. */
export interface ItemStream<Item> {
  readonly items$: Observable<LiveItem<Item>>;
  subscribers: number;
}

/** The subscriptions of a channel on one connection. */
export interface KeySubscriptions<Item> {
  /** Follows a key, which must have no follower; returns the function that ends it. */
  follow(key: string, follower: Follower<Item>): () => void;
  /** Subscribes the key again. */
  renew(key: string): void;
  /** Streams of keys that have subscribers, for a channel whose items are emitted as they are. */
  readonly itemStreams: Map<string, ItemStream<Item>>;
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
 * Defines a channel that the package lacks: pass it to `exchange.live.channel`. Define it once: a connection has one
 * channel for each method. Throws {@link RequestError} for an invalid definition.
 *
 * @example
 * ```ts
 * import { defineChannel } from 'exchange-rx';
 *
 * // Pushes ["BTC_USDT", "0.2"].
 * const volatility = defineChannel<string>({
 *   name: 'volatility',
 *   subscribe: 'volatility_subscribe',
 *   unsubscribe: 'volatility_unsubscribe',
 *   update: 'volatility_update',
 *   keys: 'list',
 *   read: (params) => (Array.isArray(params) ? [{ key: String(params[0]), item: String(params[1]) }] : undefined),
 * });
 * ```
 */
export function defineChannel<Item>(definition: ChannelDefinition<Item>): Channel<Item> {
  parse('defineChannel', channelFields, definition);
  const { params = (keys) => keys, unsubscribeParams = () => [] } = definition;
  const byLink = new WeakMap<Link, KeySubscriptions<Item>>();
  return {
    ...definition,
    params: (keys) => wireParams(params(keys)),
    unsubscribeParams: (keys) => wireParams(unsubscribeParams(keys)),
    on(link, make) {
      const known = byLink.get(link);
      if (known !== undefined) return known;
      const made = make();
      byLink.set(link, made);
      return made;
    },
  };
}

/** A text that is not empty. */
export const aName = rule<string>((value) => typeof value === 'string' && value !== '', 'must be a text');

/** A channel may be defined by the fields of another one. */
const channelFields = optionsOf<Channel<unknown>>(
  {
    ...{ name: aName, subscribe: aName, unsubscribe: aName, update: aName },
    keys: oneOf('list', 'each', 'connection'),
    ...{ params: aFunction(), unsubscribeParams: aFunction(), read: aFunction() },
    // Silence is checked each second.
    silenceMs: numberFrom(1000),
    isPrivate: trueOrFalse,
    on: anything(),
  },
  ['name', 'subscribe', 'unsubscribe', 'update', 'keys', 'read'],
);

/** A copy of the list as the wire carries it. Throws for what a user's function returns instead. */
export function wireParams(params: unknown): readonly unknown[] {
  const copy: unknown = Array.isArray(params) ? JSON.parse(JSON.stringify(params)) : undefined;
  if (!Array.isArray(copy)) throw new TypeError('the parameters must be an array');
  return copy;
}

const isItem = (item: unknown) => isRecord(item) && (typeof item['key'] === 'string' || item['unreadable'] === true);

/** What a push is made of. */
export function readPush<Item>(
  channel: Pick<ChannelDefinition<Item>, 'read'>,
  params: unknown,
): readonly PushItem<Item>[] {
  try {
    const items = channel.read(params);
    if (items?.every(isItem) === true) return items;
  } catch {
    // A user's `read` threw, or returned no list.
  }
  return [{ unreadable: true }];
}

/** The key that stands for all markets, where a channel has such a subscription. */
export const everyKey = '*';
