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
  followers: readonly Follower<Item>[];
  /** What it needs until it ends. */
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
      if (followed.followers.length > 0) return;
      // First, so that an unused connection closes without further requests.
      followed.needs.unsubscribe();
      // A subscriber that comes back inside of an error follows the key before this one has ended.
      if (this.#followed.get(key) !== followed) return;
      this.#followed.delete(key);
      this.#setStale(key, followed, false);
      this.#listOf(key).remove(key);
    };
  }

  #begin(key: string): Followed<Item> {
    // For each key: a subscriber that comes back inside of an error is not concerned by it, on any channel.
    const needs = this.#link.failures$.subscribe((error) => {
      this.#refuse(key, error);
    });
    needs.add(this.#link.retain());
    const followed: Followed<Item> = {
      ...{ followers: [], needs, heardAt: undefined, silentAt: Number.NEGATIVE_INFINITY, isStale: false },
    };
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
    for (const [key, followed] of this.#followed) {
      if (followed.heardAt !== undefined) this.#setStale(key, followed, true);
      interrupt(followed, 'reconnect');
    }
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
    for (const [key, followed] of this.#followed) {
      if (followed.heardAt === undefined || isHeard(followed)) continue;
      isRepeated ||= now - followed.silentAt < silenceWindowMs;
      followed.silentAt = now;
      this.#setStale(key, followed, true);
      interrupt(followed, 'silence');
      this.renew(key);
    }
    if (!isRepeated || now - this.#replacedAt < minReplacementMs || [...this.#followed.values()].some(isHeard)) return;
    this.#replacedAt = now;
    this.#link.replace();
  }

  onSubscribed(key: string): void {
    const followed = this.#followed.get(key);
    if (followed === undefined) return;
    followed.heardAt = performance.now();
    if (this.#channel.silenceMs === undefined) this.#setStale(key, followed, false);
    for (const follower of followed.followers) follower.onSubscribed();
  }

  onInterrupted(key: string): void {
    const followed = this.#followed.get(key);
    if (followed === undefined) return;
    this.#setStale(key, followed, true);
    interrupt(followed, 'reconnect');
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
    this.#followed.delete(key);
    this.#setStale(key, followed, false);
    this.#listOf(key).remove(key);
    followed.needs.unsubscribe();
    for (const follower of followed.followers) follower.onRefused(error);
  }

  #deliver(key: string, one: PushItem<Item>): void {
    const followed = this.#followed.get(key);
    if (followed === undefined) return;
    if (one.key !== undefined && followed.heardAt !== undefined) followed.heardAt = performance.now();
    if ('item' in one) {
      if (followed.isStale) this.#setStale(key, followed, false);
      for (const follower of followed.followers) follower.onItem(one.item);
    } else for (const follower of followed.followers) follower.onInterrupted('unreadable');
  }

  #setStale(key: string, followed: Followed<Item>, isStale: boolean): void {
    if (followed.isStale === isStale) return;
    followed.isStale = isStale;
    this.#reportStale(key, isStale);
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

function interrupt<Item>(followed: Followed<Item>, reason: Interruption): void {
  followed.heardAt = undefined;
  for (const follower of followed.followers) follower.onInterrupted(reason);
}
