// The options of a sandbox.
import * as v from 'valibot';
import * as c from './check.js';
import { isRecord } from '../model/map.js';
import type { Exchange, Recording } from '../recording/index.js';
import { marketFields, type QueueModel, type SandboxMarketOptions } from './engine/index.js';
import { combinedLimits, limitFields, routes, type SandboxRateLimit } from './http/index.js';
import type { Balances, Wallet } from './ledger.js';
import type { MarketFees, RunOptions } from './replay/index.js';

/** An account of the sandbox. */
export interface SandboxAccountOptions {
  /** Name of the account in `clientOptions`, `account` and the ledger. */
  readonly name: string;
  /** Balances by wallet and asset. Default: large balances of BTC, ETH, LTC and USDT. */
  readonly balances?: Readonly<Partial<Record<Wallet, Balances>>>;
}

/** Options of {@link createSandbox}. */
export interface SandboxOptions {
  /** Seed of prices, keys and identifiers. The same seed gives the same values. Default 1. */
  readonly seed?: number;
  /**
   * `real`: the machine's time. `manual`: the time changes only with `clock.advance(ms)`. Default `real`.
   */
  readonly clock?: 'real' | 'manual';
  /** Interval between two moves of a price, milliseconds. Default 250. */
  readonly tickMs?: number;
  /**
   * Maximum move of a price per tick, as a share of the price, from 0 to 1. Default 0.0004. With 0, prices are constant,
   * and only the accounts trade.
   */
  readonly volatility?: number;
  /**
   * Days of candles and trades of each market before the sandbox begins, from 0 to 31. The last trade has the price at
   * which the market begins. Made from the seed when they are read. Default 7; with a `volatility` of 0 there are none.
   */
  readonly history?: number;
  /**
   * A recording that `openRecording` has opened. Its markets take the place of the sandbox's own: their books, trades and
   * messages are those of the recording, on whose time {@link Sandbox.run} runs a program. The options `markets`,
   * `clock`, `tickMs`, `volatility` and `history` have no effect then.
   */
  readonly replay?: Recording;
  /**
   * A client, whose live books and trades are those of this sandbox: paper trading. The markets are those of `markets`, by
   * their names; rules and fees are read from the exchange. Nothing is signed: the client needs no credentials. The
   * sandbox follows from now on, on connections of its own, until {@link Sandbox.close}.
   *
   * A market is closed until its first snapshot, and from each gap to the next one: {@link SandboxMarket.status$}, which
   * fails with the error that ends the following, such as {@link LiveRefusedError} for a market that the exchange does not
   * list. The options `tickMs`, `volatility` and `history` have no effect then; `clock` is the real one.
   */
  readonly follow?: Exchange;
  /** How orders meet recorded or followed books and trades. */
  readonly matching?: MatchingOptions;
  /** The markets; one named `BTC_PERP` is a perpetual. Default: BTC_USDT and ETH_USDT, which trade on collateral, too, and LTC_USDT, which does not. */
  readonly markets?: readonly SandboxMarketOptions[];
  /** How long an order is missing from the history after its end, milliseconds. Default 0. */
  readonly historyLagMs?: number;
  /**
   * Minimum time for which ended orders (in the history, too), executions, balance changes and requests are kept,
   * milliseconds by the sandbox's clock. A record is forgotten at the next request after twice this time. Open orders
   * are always kept.
   *
   * Must be greater than `historyLagMs`, or `createSandbox` throws. Set it higher than the time for which your client
   * looks up an order, because a forgotten order looks like one that was never placed. Default: everything is kept, so
   * that a test can count it.
   */
  readonly retentionMs?: number;
  /**
   * Rate limits that replace the exchange's, by the path of an endpoint, or for several together: `public` (all public
   * endpoints), `mainAccount` (`main-account/*`) and `orders` (the open orders and `trade-account/*`). A request counts
   * in the limit of its endpoint, and in the combined limit of its path.
   */
  readonly limits?: Readonly<Record<string, SandboxRateLimit>>;
  /** The accounts; each has its own API key. Default: one account, named `main`. */
  readonly accounts?: readonly SandboxAccountOptions[];
  /** Number of sub-accounts of each of the accounts. Default 40. */
  readonly subAccountCount?: number;
  /** Number of mining accounts of each of the accounts. Default 35. */
  readonly miningAccountCount?: number;
  /**
   * Paths of routes that ignore `client_order_id`, like an unknown field; `true` for all routes. Orders placed there
   * have no client order ID in responses, lists and the history, and a list filtered by one shows every order. Default:
   * none.
   */
  readonly ignoreClientOrderIds?: readonly string[] | true;
  /**
   * Where the exchange's behavior is unknown, the sandbox is as inconvenient as the published interface allows;
   * docs/testing-your-bot.md lists how. The seed, an integer of 0 or more, chooses among several such behaviors. Default:
   * the behavior that most clients expect.
   */
  readonly unkindSeed?: number;
}

/** How orders meet recorded or followed books and trades. */
export interface MatchingOptions {
  /**
   * How an amount that left a price level without a trade is divided between those ahead of a resting order and those
   * behind it. `pessimistic`: all were behind, so that no order is filled earlier than it would have been.
   * `proportional`: evenly; some orders are filled too early, and fewer too late. Default `pessimistic`.
   */
  readonly queue?: QueueModel;
  /**
   * The round trip of a request, milliseconds, 1 or more: an order takes effect, and its response arrives, this long after
   * it was sent. Default: the median round trip in the recording, else 150, and 150 for `follow`.
   */
  readonly latencyMs?: number;
  /** Fees by market, percent. Default: those of the exchange's list of markets. */
  readonly fees?: Readonly<Record<string, MarketFees>>;
}

const matchingFields = {
  queue: v.optional(c.oneOf('pessimistic', 'proportional')),
  latencyMs: v.optional(c.numberFrom(1)),
  fees: v.optional(v.record(v.string(), c.fields({ maker: c.signed, taker: c.signed }))),
} satisfies c.ChecksOf<MatchingOptions>;

export const runRules = c.fields({
  seed: v.optional(c.integerFrom(0)),
  drainMs: v.optional(c.durationMs),
  strict: v.optional(c.flag),
} satisfies c.ChecksOf<RunOptions>);

const aRecording = c.rule<Recording>(
  (value) => isRecord(value) && Array.isArray(value['markets']) && Array.isArray(value['files']),
  'must be a recording that openRecording has opened',
);

const aClient = c.rule<Exchange>(
  (value) => isRecord(value) && isRecord(value['live']) && typeof value['live']['tapped'] === 'function',
  'must be a client made by createExchange',
);

const balances = v.optional(v.record(v.string(), c.signed));

const accountFields = {
  name: c.text,
  balances: v.optional(c.fields({ main: balances, trade: balances, collateral: balances })),
} satisfies c.ChecksOf<SandboxAccountOptions>;

const limitNames = [...combinedLimits.keys(), ...routes.map((route) => route.path)];
const limit = v.optional(c.fields(limitFields));

export const optionRules = c.fields({
  seed: v.optional(c.integerFrom(0)),
  clock: v.optional(c.oneOf('real', 'manual')),
  tickMs: v.optional(c.numberFrom(1)),
  volatility: v.optional(c.numberFrom(0, 1)),
  history: v.optional(c.integerFrom(0, 31)),
  replay: v.optional(aRecording),
  follow: v.optional(aClient),
  matching: v.optional(c.fields(matchingFields)),
  markets: v.optional(c.nonEmptyList(c.fields(marketFields))),
  historyLagMs: v.optional(c.durationMs),
  retentionMs: v.optional(c.rule<number>((value) => c.isNumber(value) && value > 0, 'must be a number above 0')),
  limits: v.optional(c.fields(Object.fromEntries(limitNames.map((name) => [name, limit])))),
  accounts: v.optional(c.nonEmptyList(c.fields(accountFields))),
  subAccountCount: v.optional(c.integerFrom(0)),
  miningAccountCount: v.optional(c.integerFrom(0)),
  ignoreClientOrderIds: v.optional(
    v.union([v.literal(true), v.array(c.path)], ({ received }) => `${received} must be true, or an array of paths`),
  ),
  unkindSeed: v.optional(c.integerFrom(0)),
} satisfies c.ChecksOf<SandboxOptions>);
