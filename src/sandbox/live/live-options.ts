// How the real-time interface behaves where nothing is published about it, and its times and limits.
import type { SandboxRateLimit } from '../http/index.js';

/** Options of the sandbox's real-time interface. Where the exchange's behavior is unknown, an option selects one. */
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
   * How many states of order books `ledger.live.bookAt` knows, of all markets together: the newest ones that clients
   * were sent. A state of a book of 120 levels takes about 15 KB. Default 1000.
   */
  readonly keptBooks?: number;
  /**
   * What a second `bookTicker_subscribe` does: `add` adds its market, `replace` drops the other markets. Default `add`.
   */
  readonly bookTicker?: 'add' | 'replace';
  /**
   * What a list with an unknown market leaves of the subscription. `whole`: the former list. `partial`: the markets
   * before the unknown one. `empty`: nothing. Default `whole`.
   */
  readonly refusedList?: 'whole' | 'partial' | 'empty';
  /** Whether the first values of a subscription come `before` or `after` its response. Default `after`. */
  readonly firstPush?: 'before' | 'after';
  /** Whether `lastprice`, `market` and `marketToday` send their values at once after a subscription. Default true. */
  readonly valuesAtOnce?: boolean;
  /** Whether the empty side of an order book is an empty list (`list`) or `absent` in a snapshot. Default `list`. */
  readonly emptySide?: 'list' | 'absent';
  /**
   * Whether a level that leaves the subscribed part of the order book is removed by an amount of 0. Without it, clients
   * must truncate their books. Default true.
   */
  readonly windowRemovals?: boolean;
  /** What `depth_subscribe` without its fourth parameter does to the other markets: `add` keeps them. Default `replace`. */
  readonly omittedMulti?: 'add' | 'replace';
  /**
   * Which trades `trades_request` returns for an ID above 0: those up to this ID (`until`), or newer ones (`after`).
   * Default `until`.
   */
  readonly tradesRequest?: 'until' | 'after';
  /** Whether the streams of a delisted market fall `silent`, or a `depth` stream goes on with an `empty` book. Default `silent`. */
  readonly delisted?: 'silent' | 'empty';
  /** Whether an empty list of `ordersPending` or `ordersExecuted` is `rejected`, or is every market (`all`). Default `rejected`. */
  readonly emptyOrderList?: 'rejected' | 'all';
  /** How long a token authorizes connections, milliseconds. Default 60000. */
  readonly tokenLifeMs?: number;
  /** Whether a token authorizes one connection (`once`) or any number (`often`). Default `once`. */
  readonly tokenUse?: 'once' | 'often';
  /** The code that rejects `authorize` with an unknown, expired or used token: 1, 6 or 11. Default 1. */
  readonly invalidTokenCode?: 1 | 6 | 11;
}

/** Options with their defaults. */
export type LiveSettings = Required<SandboxLiveOptions>;

const defaults: LiveSettings = {
  keepaliveMs: 10_000,
  idleMs: 60_000,
  requestLimit: { limit: 12_000, windowMs: 10_000 },
  connectionLimit: { limit: 1000, windowMs: 60_000 },
  keptBooks: 1000,
  bookTicker: 'add',
  refusedList: 'whole',
  firstPush: 'after',
  valuesAtOnce: true,
  emptySide: 'list',
  windowRemovals: true,
  omittedMulti: 'replace',
  tradesRequest: 'until',
  delisted: 'silent',
  emptyOrderList: 'rejected',
  tokenLifeMs: 60_000,
  tokenUse: 'once',
  invalidTokenCode: 1,
};

export function liveSettings(options: SandboxLiveOptions = {}): LiveSettings {
  return { ...defaults, ...options };
}
