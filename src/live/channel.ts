// What a channel is: data. Connections, subscriptions and gaps are the business of the live layer, and the same for all.
import type { Subscriber } from 'rxjs';

/**
 * A part of a push, and the key that its subscribers have given, such as the market. What is unreadable without a key
 * concerns every subscriber of the channel.
 */
export type PushItem<Item> =
  { readonly key: string; readonly item: Item } | { readonly key?: string; readonly unreadable: true };

/** A channel of the exchange's live connection. */
export interface Channel<Item> {
  /** Name in events and gaps, such as `trades`. */
  readonly name: string;
  /** The stream of its subscribers, in errors. Default: `live.NAME`, and of the account `live.my.NAME`. */
  readonly stream?: string;
  /** The prefix of its methods: `depth` of `depth_subscribe`, `depth_unsubscribe` and `depth_update`. */
  readonly method: string;
  /**
   * How the exchange takes several keys:
   * - `list`: one request with all keys replaces the last one.
   * - `each`: one request for each key; they add up.
   *
   * Default: `list`.
   */
  readonly keys?: 'list' | 'each';
  /** The parameters of a subscription to these keys. Default: the keys. */
  readonly params?: (keys: readonly string[]) => readonly unknown[];
  /** The parameters that end the subscription to these keys. Default: none, which ends the whole channel. */
  readonly unsubscribeParams?: (keys: readonly string[]) => readonly unknown[];
  /**
   * Reads the `params` of a push; `undefined`: all of it is unreadable. Subscribers get each item in the order of the
   * list. A number that a double would round is the string of its digits.
   */
  readonly read: (params: unknown) => readonly PushItem<Item>[] | undefined;
  /**
   * The maximum silence of a subscribed key, milliseconds, 1000 or more: after it, its values are stale and it is
   * subscribed again. Left out of a channel that is silent while nothing changes. Default: no maximum.
   */
  readonly silenceMs?: number;
  /** Whether the channel is of the account: it is subscribed on an authorized connection. Default false. */
  readonly isPrivate?: boolean;
  /** Of values that replace each other: whether a value is older than the last one, or says the same. Default: never. */
  isOld?(value: Item, last: Item): boolean;
}

/** Why items may be missing. `sequence`: a push does not continue the ones before. */
export type Interruption = 'reconnect' | 'silence' | 'unreadable' | 'sequence';

export interface Follower<Item> {
  /** Gets the error when the exchange refuses the key, or the connection. Nothing more is reported after it. */
  readonly subscriber: Pick<Subscriber<unknown>, 'error'>;
  /** The exchange has confirmed the subscription. Items may have come before. */
  onSubscribed(): void;
  onItem(item: Item): void;
  /** Items may be missing: until the next confirmation or, of an unreadable push, those of the push. */
  onInterrupted(reason: Interruption): void;
}

export interface KeySubscriptions<Item> {
  /**
   * Follows a key; returns the function that ends it. All followers of a key share its subscription: one that comes when
   * it is confirmed is told so at once.
   */
  follow(key: string, follower: Follower<Item>): () => void;
  /** Subscribes the key again: the exchange starts with a new snapshot. */
  renew(key: string): void;
}

/** The key that stands for all markets, where a channel has such a subscription. */
export const everyKey = '*';
