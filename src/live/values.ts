// Channels whose values replace each other, such as prices: the last value, and whether it is still true. As members of
// `exchange.live`.
import { defer, map, merge, Observable, of, share, switchMap, tap, timer, type MonoTypeOperatorFunction } from 'rxjs';
import { LiveRefusedError, optionsOf, parse, type AnyExchangeError, type Rule } from '../errors/index.js';
import { everyKey, type Channel, type KeySubscriptions, type NamedMarkets, type ValueChannel } from './channel.js';
import * as channels from './channels/index.js';
import type { Refusal } from './connection/index.js';
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

/**
 * Makes the error that ends the stream of a market, or of a channel without markets, that the exchange refuses.
 *
 * @param name name of the channel
 */
export function refusedBy(name: string) {
  return (key: string | undefined, { code, message, error }: Refusal): AnyExchangeError =>
    error ?? new LiveRefusedError(name, code, message, key);
}

/** How a stream of values is made of the items of a channel. */
export interface ValueSource<Value extends object> {
  /** Name in errors, such as `live.lastPrice`. */
  readonly name: string;
  readonly subscriptions: KeySubscriptions<Value>;
  /** Whether a value is older than the last one, or says the same. */
  readonly isOld?: (value: Value, last: Value) => boolean;
}

/** Markets of the key of all: far more than the exchange has. */
const maxMarkets = 10_000;

/** The values of a key. Subscribers share one subscription; a late one gets the last value of each market at once. */
export function stateStream<Value extends object>(
  { name, subscriptions, isOld = () => false }: ValueSource<Value>,
  key: string,
): Observable<Value & LiveStatus> {
  /** The last values of the subscription, by market: the key of all markets has many. */
  let current: ReadonlyMap<string, Value & LiveStatus> = new Map();
  const later$ = new Observable<Value & LiveStatus>((subscriber) => {
    const last = new Map<string, Value & LiveStatus>();
    current = last;
    const end = subscriptions.follow(key, {
      onSubscribed: () => undefined,
      onItem(value, market) {
        const before = last.get(market);
        if (before?.status === 'live' && isOld(value, before)) return;
        if (before === undefined && last.size >= maxMarkets) return;
        const next: Value & LiveStatus = { ...value, market, status: 'live', receivedAt: Date.now() };
        last.set(market, next);
        subscriber.next(next);
      },
      onInterrupted(_, only) {
        for (const [market, value] of last) {
          if (value.status === 'stale' || (only ?? market) !== market) continue;
          const stale: Value & LiveStatus = { ...value, status: 'stale' };
          last.set(market, stale);
          subscriber.next(stale);
        }
      },
      onRefused(refusal) {
        last.clear();
        subscriber.error(refusedBy(name)(key, refusal));
      },
    });
    return () => {
      end();
      last.clear();
    };
  }).pipe(share());
  return new Observable((subscriber) => {
    for (const value of [...current.values()]) subscriber.next(value);
    return subscriber.closed ? undefined : later$.subscribe(subscriber);
  });
}

/** Parameters of a channel of several markets. */
export interface MarketsParams {
  /** The markets, `BASE_QUOTE`: at least one. */
  readonly markets: readonly string[];
}

/** Parameters of a channel of several markets, or of all of them. */
export interface AnyMarketsParams {
  /**
   * The markets, `BASE_QUOTE`: at least one.
   *
   * @default all markets of the channel
   */
  readonly markets?: readonly string[];
}

/** The channels of a registry as members of `exchange.live`. */
type BoundChannels<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends ValueChannel<infer Item>
    ? (params: MarketsParams) => Observable<Item & LiveStatus>
    : Group[Name] extends ValueChannel<infer Item, 'optional'>
      ? (params?: AnyMarketsParams) => Observable<Item & LiveStatus>
      : never;
};

/** The members of `exchange.live` whose values replace each other. */
export interface LiveValues extends BoundChannels<typeof channels> {}

/** Makes the subscriptions of a channel of a client. */
type SubscriptionsOf = <Item>(channel: Channel<Item>) => KeySubscriptions<Item>;

/** Makes the member of `exchange.live` for each channel. */
export function bindValues(subscriptionsOf: SubscriptionsOf): LiveValues {
  return bind(channels, subscriptionsOf);
}

type AnyChannels = Readonly<Record<string, ValueChannel<object, NamedMarkets>>>;

function bind<Group extends AnyChannels>(group: Group, subscriptionsOf: SubscriptionsOf): BoundChannels<Group>;
function bind(group: AnyChannels, subscriptionsOf: SubscriptionsOf) {
  return Object.fromEntries(Object.entries(group).map(([name, channel]) => [name, valuesOf(channel, subscriptionsOf)]));
}

export const marketsParams = optionsOf<MarketsParams>({ markets: someMarkets }, ['markets']);
const paramsRules: Readonly<Record<NamedMarkets, Rule<AnyMarketsParams>>> = {
  required: marketsParams,
  optional: optionsOf<AnyMarketsParams>({ markets: someMarkets }),
};

function valuesOf<Item extends object>(
  channel: ValueChannel<Item, NamedMarkets>,
  subscriptionsOf: SubscriptionsOf,
): (params?: AnyMarketsParams) => Observable<Item & LiveStatus> {
  const name = `live.${channel.name}`;
  const source = {
    name,
    subscriptions: subscriptionsOf(channel),
    isOld: (value: Item, last: Item) => channel.isOld?.(value, last) === true,
  };
  const streamOf = cached((key: string) => stateStream(source, key));
  return (params = {}) => {
    const { markets = [everyKey] } = parse(name, paramsRules[channel.markets], params);
    return merge(...unique(markets).map(streamOf));
  };
}

/** Makes a value for each key once. */
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
