// The times and limits of the real-time interface, and its behavior where nothing is published about it.
import * as v from 'valibot';
import { fields, integerFrom } from '../check.js';
import { limitFields, type SandboxRateLimit } from '../http/index.js';

/** Options of the sandbox's real-time interface. */
export interface SandboxLiveOptions {
  /** How long after its last message a depth subscription gets a snapshot, milliseconds. Default 10000. */
  readonly keepaliveMs?: number;
  /** How long a client may send nothing before its connection ends, milliseconds. Default 60000. */
  readonly idleMs?: number;
  /** The requests that any window of one connection may hold. Default 12000 in 10 s. */
  readonly requestLimit?: SandboxRateLimit;
  /** The new connections that any window may hold; one more gets 429. Default 1000 in 60 s. */
  readonly connectionLimit?: SandboxRateLimit;
  /**
   * Where the exchange's behavior is unknown, the sandbox is as inconvenient as the published interface allows; docs/testing-your-bot.md
   * lists how. The seed, an integer of 0 or more, chooses among several such behaviors. Default: the behavior that most clients expect.
   */
  readonly unkindSeed?: number;
}

export const liveOptionFields = {
  keepaliveMs: v.optional(integerFrom(1), 10_000),
  idleMs: v.optional(integerFrom(1), 60_000),
  requestLimit: v.optional(fields(limitFields), { limit: 12_000, windowMs: 10_000 }),
  connectionLimit: v.optional(fields(limitFields), { limit: 1000, windowMs: 60_000 }),
  unkindSeed: v.optional(integerFrom(0)),
} satisfies Record<keyof SandboxLiveOptions, v.GenericSchema>;

/** Options with their defaults, and the behavior that they choose. */
export type LiveSettings = ReturnType<typeof liveSettings>;

const liveOptions = fields(liveOptionFields);

export function liveSettings(options: SandboxLiveOptions = {}) {
  const { unkindSeed, ...times } = v.parse(liveOptions, options);
  const choose = <const Value>(usual: Value, ...unkind: readonly Value[]): Value =>
    unkindSeed === undefined ? usual : (unkind[unkindSeed % unkind.length] ?? usual);
  return {
    ...times,
    /** What a list with an unknown market leaves of the subscription: `partial` leaves the markets before the unknown one. */
    refusedList: choose('whole', 'partial', 'empty'),
    /** The code that rejects `authorize` with an unknown, expired or used token. */
    invalidTokenCode: choose(1, 6, 11),
    /** Whether a second `bookTicker_subscribe` drops the other markets. */
    replacesBookTicker: choose(false, true),
    /** Whether the first values of a subscription come before its response. */
    pushesFirst: choose(false, true),
    /** Whether `lastprice`, `market` and `marketToday` send their values at once after a subscription. */
    sendsValuesAtOnce: choose(true, false),
    /** Whether a snapshot has no field for an empty side of the order book. */
    omitsEmptySide: choose(false, true),
    /** Whether a level that leaves the subscribed part of the order book is removed by an amount of 0. */
    removesBeyondWindow: choose(true, false),
    /** Whether `depth_subscribe` without its fourth parameter keeps the other markets. */
    addsDepth: choose(false, true),
    /** Which trades `trades_request` returns for an ID above 0: those up to this ID, or newer ones. */
    tradesRequest: choose('until', 'after'),
    /** Whether a `depth` stream of a delisted market goes on with an empty book. */
    emptiesDelisted: choose(false, true),
  };
}
