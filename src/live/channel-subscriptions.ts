// The subscriptions of one channel on one connection: routes its pushes to the followers of each key.
import type { Observable } from 'rxjs';
import { tryOr } from '../errors/index.js';
import type { Link, LinkUser } from './connection/index.js';
import {
  everyKey,
  type ChannelDefinition,
  type Follower,
  type Interruption,
  type KeySubscriptions,
  type LiveItem,
} from './define-channel.js';
import { SubscriptionList } from './subscription-list.js';

/** Reports what the exchange has responded to the subscription of a key. */
export type ReportKey = (key: string, result: 'subscribed' | 'refused') => void;

interface Followed<Item> {
  readonly follower: Follower<Item>;
  readonly list: SubscriptionList;
  readonly release: () => void;
  /** By `performance.now()`; `undefined` until the subscription is confirmed. */
  heardAt: number | undefined;
  silentAt: number;
}

/** A second silence within this time: the connection may be the reason, if no other key of the channel was heard. */
const silenceWindowMs = 60_000;
/** A market that stays silent must not cost the other channels their connection again and again. */
const minReplacementMs = 300_000;

export class ChannelSubscriptions<Item> implements LinkUser, KeySubscriptions<Item> {
  readonly #link: Link;
  readonly #channel: ChannelDefinition<Item>;
  readonly #random: () => number;
  readonly #reportKey: ReportKey;
  readonly #followed = new Map<string, Followed<Item>>();
  readonly itemStreams = new Map<string, Observable<LiveItem<Item>>>();
  /** Every subscription that the exchange has or will have: one, or one for each key. */
  readonly #lists = new Map<string, SubscriptionList>();
  #replacedAt = Number.NEGATIVE_INFINITY;

  constructor(link: Link, channel: ChannelDefinition<Item>, random: () => number, reportKey: ReportKey) {
    this.#link = link;
    this.#channel = channel;
    this.#random = random;
    this.#reportKey = reportKey;
    link.add(this);
  }

  get update(): string {
    return this.#channel.update;
  }

  follow(key: string, follower: Follower<Item>): () => void {
    const list = this.#listOf(key);
    const followed: Followed<Item> = {
      ...{ follower, list },
      release: this.#link.retain(),
      ...{ heardAt: undefined, silentAt: Number.NEGATIVE_INFINITY },
    };
    this.#followed.set(key, followed);
    list.add(key);
    return () => {
      if (this.#followed.get(key) !== followed) return;
      this.#followed.delete(key);
      // First, so that a connection that nobody needs closes without further requests.
      followed.release();
      list.remove(key);
    };
  }

  renew(key: string): void {
    this.#followed.get(key)?.list.renew(key);
  }

  onOpen(): void {
    for (const list of this.#lists.values()) list.onOpen();
  }

  onDown(): void {
    for (const list of this.#lists.values()) list.onDown();
    this.#interruptAll('reconnect');
  }

  onPush(params: unknown): void {
    // A channel may be a user's own: its `read` may throw.
    const items = tryOr(() => this.#channel.read(params), undefined);
    if (items === undefined) {
      this.#onUnreadable(params);
      return;
    }
    for (const { key, item } of items) {
      this.#give(this.#followed.get(key), item, key);
      if (key !== everyKey) this.#give(this.#followed.get(everyKey), item, key);
    }
  }

  onSecond(lateMs: number): void {
    const { silenceMs } = this.#channel;
    if (silenceMs === undefined) return;
    const now = performance.now();
    for (const followed of this.#followed.values()) if (followed.heardAt !== undefined) followed.heardAt += lateMs;
    const isHeard = ({ heardAt }: Followed<Item>) => heardAt !== undefined && now - heardAt < silenceMs;
    let isRepeated = false;
    for (const [key, followed] of this.#followed) {
      if (followed.heardAt === undefined || isHeard(followed)) continue;
      followed.heardAt = undefined;
      isRepeated ||= now - followed.silentAt < silenceWindowMs;
      followed.silentAt = now;
      followed.follower.onInterrupted('silence');
      followed.list.renew(key);
    }
    if (!isRepeated || [...this.#followed.values()].some(isHeard)) return;
    if (!this.#link.isSilentFor(silenceMs) && now - this.#replacedAt < minReplacementMs) return;
    this.#replacedAt = now;
    this.#link.replace();
  }

  #give(followed: Followed<Item> | undefined, item: Item, key: string): void {
    if (followed === undefined) return;
    if (followed.heardAt !== undefined) followed.heardAt = performance.now();
    followed.follower.onItem(item, key);
  }

  /** A push that names its market concerns no other market. */
  #onUnreadable(params: unknown): void {
    const named = this.#followed.get(textsIn(params).find((text) => this.#followed.has(text)) ?? everyKey);
    const concerned = named === undefined ? [...this.#followed.values()] : [named];
    for (const { follower } of concerned) follower.onInterrupted('unreadable');
    this.#link.countUnreadable();
  }

  #interruptAll(reason: Interruption): void {
    for (const followed of this.#followed.values()) {
      followed.heardAt = undefined;
      followed.follower.onInterrupted(reason);
    }
  }

  #listOf(key: string): SubscriptionList {
    const name = this.#channel.keys === 'each' ? key : '';
    const known = this.#lists.get(name);
    if (known !== undefined) return known;
    const list = new SubscriptionList(
      this.#link,
      this.#channel,
      {
        onSubscribed: (subscribed) => {
          const followed = this.#followed.get(subscribed);
          if (followed === undefined) return;
          followed.heardAt = performance.now();
          this.#reportKey(subscribed, 'subscribed');
          followed.follower.onSubscribed();
        },
        onInterrupted: (interrupted) => {
          this.#followed.get(interrupted)?.follower.onInterrupted('reconnect');
        },
        onRefused: (refusedKey, refusal) => {
          const followed = this.#followed.get(refusedKey);
          if (followed === undefined) return;
          this.#followed.delete(refusedKey);
          followed.release();
          this.#reportKey(refusedKey, 'refused');
          followed.follower.onRefused(refusal);
        },
        onIdle: () => {
          this.#lists.delete(name);
        },
      },
      this.#random,
    );
    this.#lists.set(name, list);
    return list;
  }
}

/** The texts of a list, and of the list that is its first item. */
function textsIn(params: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(params) ? params : [];
  const inner: readonly unknown[] = Array.isArray(list[0]) ? list[0] : [];
  return [...list, ...inner].filter((value) => typeof value === 'string');
}
