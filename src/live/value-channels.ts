// Channels whose values replace each other, such as prices: as data, and as members of `exchange.live`.
import { merge, type Observable } from 'rxjs';
import { optionsOf, parse, type Rule } from '../errors/index.js';
import { everyKey, type Channel, type KeySubscriptions, type NamedMarkets, type ValueChannel } from './channel.js';
import * as channels from './channels/index.js';
import { someMarkets } from './market-rules.js';
import { stateStream, type LiveStatus } from './state-stream.js';

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

const paramsRules: Readonly<Record<NamedMarkets, Rule<AnyMarketsParams>>> = {
  required: optionsOf<MarketsParams>({ markets: someMarkets }, ['markets']),
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
