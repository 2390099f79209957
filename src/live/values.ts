// Channels whose values replace each other, such as prices: the last value, and whether it is still true. As members of
// `exchange.live`.
import {
  defer,
  map,
  merge,
  Observable,
  of,
  ReplaySubject,
  share,
  switchMap,
  tap,
  timer,
  type MonoTypeOperatorFunction,
} from 'rxjs';
import { optionsOf, parse } from '../errors/index.js';
import type { Channel, KeySubscriptions } from './channel.js';
import * as channels from './channels/index.js';
import { someMarkets } from './markets.js';

/** What every value of a live state has. */
export interface LiveStatus {
  /** The market, `BASE_QUOTE`. */
  readonly market: string;
  /**
   * `live`: the value is the newest that the exchange has pushed. `stale`: the connection was lost, the subscription is
   * silent, or a newer value was unreadable. The next value is live again.
   */
  readonly status: 'live' | 'stale';
  /** When the value was received, Unix ms by this machine's clock. */
  readonly receivedAt: number;
}

/** The values of a market. Subscribers share one subscription; a late one gets the last value at once. */
export function stateStream<Value extends object>(
  channel: Channel<Value>,
  subscriptions: KeySubscriptions<Value>,
  market: string,
): Observable<Value & LiveStatus> {
  return new Observable<Value & LiveStatus>((subscriber) => {
    let last: (Value & LiveStatus) | undefined;
    const become = (next: Value & LiveStatus) => {
      last = next;
      subscriber.next(next);
    };
    return subscriptions.follow(market, {
      subscriber,
      onSubscribed: () => undefined,
      onItem(value) {
        if (last?.status === 'live' && channel.isOld?.(value, last) === true) return;
        become({ ...value, market, status: 'live', receivedAt: Date.now() });
      },
      onInterrupted() {
        if (last?.status === 'live') become({ ...last, status: 'stale' });
      },
    });
  }).pipe(share({ connector: () => new ReplaySubject(1) }));
}

/** Parameters of a channel of several markets. */
export interface MarketsParams {
  /** The markets, `BASE_QUOTE`: at least one. */
  readonly markets: readonly string[];
}

/** The channels of a registry as members of `exchange.live`. */
type BoundChannels<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends Channel<infer Item>
    ? (params: MarketsParams) => Observable<Item & LiveStatus>
    : never;
};

/** The members of `exchange.live` whose values replace each other. */
export interface LiveValues extends BoundChannels<typeof channels> {}

type SubscriptionsOf = <Item>(channel: Channel<Item>) => KeySubscriptions<Item>;

export function bindValues(subscriptionsOf: SubscriptionsOf): LiveValues;
export function bindValues(subscriptionsOf: SubscriptionsOf) {
  const all: Readonly<Record<string, Channel<object>>> = channels;
  return Object.fromEntries(Object.entries(all).map(([name, channel]) => [name, valuesOf(channel, subscriptionsOf)]));
}

export const marketsParams = optionsOf<MarketsParams>({ markets: someMarkets }, ['markets']);

function valuesOf<Item extends object>(channel: Channel<Item>, subscriptionsOf: SubscriptionsOf) {
  const subscriptions = subscriptionsOf(channel);
  const streamOf = cached((market: string) => stateStream(channel, subscriptions, market));
  return (params: MarketsParams) => {
    const { markets } = parse(`live.${channel.name}`, marketsParams, params);
    return merge(...unique(markets).map(streamOf));
  };
}

export function cached<Key extends string, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

export function unique(keys: readonly string[]): readonly string[] {
  return [...new Set(keys)];
}

/** At most one live value in this time, the newest; a stale one at once. */
export function valuesEvery<Value extends { readonly status: 'live' | 'stale' }>(
  everyMs: number,
): MonoTypeOperatorFunction<Value> {
  return (source) =>
    defer(() => {
      let dueAt = Number.NEGATIVE_INFINITY;
      return source.pipe(
        switchMap((value) => {
          const waitMs = value.status === 'stale' ? 0 : dueAt - performance.now();
          return waitMs > 0 ? timer(waitMs).pipe(map(() => value)) : of(value);
        }),
        tap(() => {
          dueAt = performance.now() + everyMs;
        }),
      );
    });
}
