// The subscriptions of one channel on one connection: routes its pushes to the followers of each key.
import type { Subscription } from 'rxjs';
import { LiveRefusedError, type AnyExchangeError } from '../errors/index.js';
import type { Link, LinkUser, Refusal } from './connection/index.js';
import {
  everyKey,
  type Channel,
  type Follower,
  type Interruption,
  type KeySubscriptions,
  type PushItem,
} from './channel.js';
import type { KnownMarkets } from './markets.js';
import { SubscriptionList, type SubscriptionReport } from './subscription-list.js';

interface Followed<Item> {
  readonly key: string;
  followers: readonly Follower<Item>[];
  readonly needs: Subscription;
  /** By `performance.now()`; `undefined` until the subscription is confirmed. */
  heardAt: number | undefined;
  silentAt: number;
  /** Whether it was interrupted, and is not confirmed again; of a channel that is never silent, has not delivered again. */
  isStale: boolean;
}

export type ReportStale = (key: string, stale: boolean) => void;

/** A second silence within this time: the connection may be the reason, if no other key of the channel was heard. */
const silenceWindowMs = 60_000;
/** A market that stays silent must not cost the other channels their connection again and again. */
const minReplacementMs = 300_000;

export class ChannelSubscriptions<Item> implements LinkUser, KeySubscriptions<Item>, SubscriptionReport {
  readonly #link: Link;
  readonly #channel: Channel<Item>;
  readonly #markets: KnownMarkets;
  readonly #random: () => number;
  readonly #reportStale: ReportStale;
  readonly #followed = new Map<string, Followed<Item>>();
  /** Every subscription that the exchange has or will have: one, or one for each key. */
  readonly #lists = new Map<string, SubscriptionList>();
  #replacedAt = Number.NEGATIVE_INFINITY;

  constructor(
    link: Link,
    channel: Channel<Item>,
    markets: KnownMarkets,
    random: () => number,
    reportStale: ReportStale,
  ) {
    this.#link = link;
    this.#channel = channel;
    this.#markets = markets;
    this.#random = random;
    this.#reportStale = reportStale;
    link.add(this);
  }

  get update(): string {
    return `${this.#channel.method}_update`;
  }

  follow(key: string, follower: Follower<Item>): () => void {
    const followed = this.#followed.get(key) ?? this.#begin(key);
    followed.followers = [...followed.followers, follower];
    if (followed.heardAt !== undefined) follower.onSubscribed();
    return () => {
      followed.followers = followed.followers.filter((one) => one !== follower);
      if (followed.followers.length === 0) this.#end(followed);
    };
  }

  #begin(key: string): Followed<Item> {
    // For each key: a subscriber that comes back inside of an error is not concerned by it, on any channel.
    const needs = this.#link.needed$.subscribe((error) => {
      this.#refuse(key, error);
    });
    const silentAt = Number.NEGATIVE_INFINITY;
    const followed: Followed<Item> = { key, followers: [], needs, heardAt: undefined, silentAt, isStale: false };
    this.#followed.set(key, followed);
    needs.add(
      this.#markets.isListed(key).subscribe((isListed) => {
        if (isListed) this.#listOf(key).add(key);
        else this.#refuse(key, this.#refusedBy(key, { code: undefined, message: 'the exchange lists no such market' }));
      }),
    );
    return followed;
  }

  renew(key: string): void {
    this.#listOf(key).renew(key);
  }

  onOpen(): void {
    for (const list of this.#lists.values()) list.onOpen();
  }

  onDown(): void {
    for (const list of this.#lists.values()) list.onDown();
    for (const followed of this.#followed.values()) this.#interrupt(followed, 'reconnect');
  }

  onPush(params: unknown): void {
    for (const one of this.#channel.read(params) ?? [{ unreadable: true as const }]) {
      const { key } = one;
      if (key === undefined) for (const name of [...this.#followed.keys()]) this.#deliver(name, one);
      else {
        this.#deliver(key, one);
        if (key !== everyKey) this.#deliver(everyKey, one);
      }
    }
  }

  onSecond(): void {
    const { silenceMs } = this.#channel;
    if (silenceMs === undefined) return;
    const now = performance.now();
    const isHeard = ({ heardAt }: Followed<Item>) => heardAt !== undefined && now - heardAt < silenceMs;
    let isRepeated = false;
    for (const followed of this.#followed.values()) {
      if (followed.heardAt === undefined || isHeard(followed)) continue;
      isRepeated ||= now - followed.silentAt < silenceWindowMs;
      followed.silentAt = now;
      this.#interrupt(followed, 'silence');
      this.renew(followed.key);
    }
    if (!isRepeated || now - this.#replacedAt < minReplacementMs || [...this.#followed.values()].some(isHeard)) return;
    this.#replacedAt = now;
    this.#link.replace();
  }

  onSubscribed(key: string): void {
    const followed = this.#followed.get(key);
    if (followed === undefined) return;
    followed.heardAt = performance.now();
    if (this.#channel.silenceMs === undefined) this.#setStale(followed, false);
    for (const follower of followed.followers) follower.onSubscribed();
  }

  onInterrupted(key: string): void {
    const followed = this.#followed.get(key);
    if (followed === undefined) return;
    // Also without a confirmation since the last interruption: an item may have ended that.
    this.#setStale(followed, true);
    this.#interrupt(followed, 'reconnect');
  }

  onRefused(key: string, refusal: Refusal): void {
    this.#markets.refuse(key);
    this.#refuse(key, this.#refusedBy(key, refusal));
  }

  #refusedBy(key: string, { code, message }: Refusal): LiveRefusedError {
    const { name, isPrivate, stream = isPrivate === true ? `live.my.${name}` : `live.${name}` } = this.#channel;
    return new LiveRefusedError(stream, code, message, key === everyKey ? undefined : key);
  }

  #refuse(key: string, error: AnyExchangeError): void {
    const followed = this.#followed.get(key);
    if (followed === undefined) return;
    // First: a subscriber may subscribe again inside of its error.
    this.#end(followed);
    for (const { subscriber } of followed.followers) subscriber.error(error);
  }

  #end(followed: Followed<Item>): void {
    // First, so that an unused connection closes without further requests.
    followed.needs.unsubscribe();
    const { key } = followed;
    // A subscriber that came back inside of an error follows the key again.
    if (this.#followed.get(key) !== followed) return;
    this.#followed.delete(key);
    this.#setStale(followed, false);
    this.#listOf(key).remove(key);
  }

  #deliver(key: string, one: PushItem<Item>): void {
    const followed = this.#followed.get(key);
    if (followed === undefined) return;
    if (one.key !== undefined && followed.heardAt !== undefined) followed.heardAt = performance.now();
    if ('item' in one) {
      if (followed.isStale) this.#setStale(followed, false);
      for (const follower of followed.followers) follower.onItem(one.item);
    } else for (const follower of followed.followers) follower.onInterrupted('unreadable');
  }

  #interrupt(followed: Followed<Item>, reason: Interruption): void {
    if (followed.heardAt !== undefined) this.#setStale(followed, true);
    followed.heardAt = undefined;
    for (const follower of followed.followers) follower.onInterrupted(reason);
  }

  #setStale(followed: Followed<Item>, isStale: boolean): void {
    if (followed.isStale === isStale) return;
    followed.isStale = isStale;
    this.#reportStale(followed.key, isStale);
  }

  #listOf(key: string): SubscriptionList {
    const name = this.#channel.keys === 'each' ? key : '';
    const known = this.#lists.get(name);
    if (known !== undefined) return known;
    const list = new SubscriptionList(this.#link, this.#channel, this, this.#random);
    this.#lists.set(name, list);
    return list;
  }
}
