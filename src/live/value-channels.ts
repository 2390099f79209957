// Channels whose values replace each other, such as prices: as data, and as members of `exchange.live`.
import { merge, type Observable } from 'rxjs';
import { optionsOf, parse, type Rule } from '../errors/index.js';
import { everyKey, type Channel, type KeySubscriptions, type NamedMarkets, type ValueChannel } from './channel.js';
import * as channels from './channels/index.js';
import { someMarkets } from './market-rules.js';
import { stateStream, type LiveStatus } from './state-stream.js';
import { refuseUnknown } from './unknown-market.js';

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

/** What the channels take from their client. */
interface ValuesContext {
  readonly subscriptionsOf: <Item>(channel: Channel<Item>) => KeySubscriptions<Item>;
  /** Looks up a market: fails with the refusal of one that the exchange does not have. */
  readonly lookUp: (market: string) => Observable<unknown>;
}

/** Makes the member of `exchange.live` for each channel. */
export function bindValues(context: ValuesContext): LiveValues {
  return bind(channels, context);
}

type AnyChannels = Readonly<Record<string, ValueChannel<object, NamedMarkets>>>;

function bind<Group extends AnyChannels>(group: Group, context: ValuesContext): BoundChannels<Group>;
function bind(group: AnyChannels, context: ValuesContext) {
  return Object.fromEntries(Object.entries(group).map(([name, channel]) => [name, valuesOf(channel, context)]));
}

const paramsRules: Readonly<Record<NamedMarkets, Rule<AnyMarketsParams>>> = {
  required: optionsOf<MarketsParams>({ markets: someMarkets }, ['markets']),
  optional: optionsOf<AnyMarketsParams>({ markets: someMarkets }),
};

function valuesOf<Item extends object>(
  channel: ValueChannel<Item, NamedMarkets>,
  { subscriptionsOf, lookUp }: ValuesContext,
): (params?: AnyMarketsParams) => Observable<Item & LiveStatus> {
  const name = `live.${channel.name}`;
  const source = {
    name,
    subscriptions: subscriptionsOf(channel),
    isOld: (value: Item, last: Item) => channel.isOld?.(value, last) === true,
  };
  const streamOf = cached((key: string) => {
    const value$ = stateStream(source, key);
    return channel.looksUpMarkets === true ? refuseUnknown(name, key, value$, () => lookUp(key)) : value$;
  });
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
