// The initial state of the exchange, from the options of a sandbox.
import { decimal } from '../model/decimal.js';
import { Books, walletNames } from './books.js';
import { createClock, EngineTime, RecordedClock, type Clock } from './clock.js';
import { defaultMarkets, Engine, listMarket } from './engine/index.js';
import { InjectedFaults } from './faults/index.js';
import { HistoryLag } from './history-lag.js';
import { combinedLimits, defaultLimit, type ExchangeState, RateLimiter, routes as builtIn } from './http/index.js';
import { createKey, type Key } from './keys.js';
import type { Balances, LedgerRequest, Wallet } from './ledger.js';
import { LiveExchange, LiveFaults, LiveRecord, LiveServer, type LiveState } from './live/index.js';
import { liveLines, recordedChannels } from '../recording/index.js';
import { createRandom } from './random.js';
import { sampleRecords } from './records.js';
import { Journal, Retention } from './retention.js';
import { Follow, listingOf, recordedChannel, RecordedExchange, type RecordedExchangeParts } from './replay/index.js';
import type { SandboxAccountOptions, SandboxOptions } from './sandbox-options.js';
import { liveTokens, OAuth, OneTimeTokens } from './tokens.js';
import { behaviorOf } from './unkind.js';
import { Wallets } from './wallets.js';

export type SandboxState = ReturnType<typeof createState>;

const defaultAccounts: readonly SandboxAccountOptions[] = [{ name: 'main' }];
const defaultBalances: Readonly<Record<Wallet, Balances>> = {
  main: { BTC: '2.5', USDT: '25000.75', XLM: '36.48' },
  trade: { BTC: '100', ETH: '1000', LTC: '1000', USDT: '10000000' },
  collateral: { USDT: '1000000' },
};
/** The round trip of a request where none was measured. */
const defaultLatencyMs = 150;

export function createState(options: SandboxOptions) {
  const { replay, follow, matching = {} } = options;
  const { seed = 1, tickMs = 250, accounts = defaultAccounts, limits = {}, ignoreClientOrderIds = [] } = options;
  const { historyLagMs = 0, retentionMs = Number.POSITIVE_INFINITY } = options;
  if (!(retentionMs > historyLagMs))
    throw new Error(`createSandbox: retentionMs ${retentionMs} must be greater than historyLagMs (${historyLagMs})`);
  const named = options.markets ?? defaultMarkets;
  const recordedMarkets = replay?.markets ?? (follow && named.map(({ name }) => name));
  const markets = recordedMarkets?.flatMap((name) => listingOf({ name }, matching.fees ?? {}) ?? []) ?? named;
  const { volatility = 0.0004, history = 7 } = recordedMarkets === undefined ? options : { volatility: 0, history: 0 };

  const clock = replay === undefined ? createClock(options.clock ?? 'real') : new RecordedClock(replay.from);
  const now = () => clock.now();
  const random = createRandom(seed);
  const time = new EngineTime(clock);
  const books = new Books(() => time.now());
  const engine = new Engine({ time, books, listings: markets.map(listMarket), seed, tickMs, volatility, history });
  const routes = new Map(builtIn.map((route) => [route.path, route]));
  const limitOf = (name: string) =>
    limits[name] ?? combinedLimits.get(name) ?? routes.get(name)?.rateLimit ?? defaultLimit;
  // Their order decides which key and which identifier a seed gives.
  const keys = openAccounts(accounts, books, random);
  const oauth = new OAuth(now, random, accounts[0]?.name ?? '');
  const records = sampleRecords(accounts, options, now(), random);
  // A seed of its own, so that keys and identifiers stay those of the seed.
  const randomRecords = createRandom(seed ^ 0x5eed);
  const exchange: ExchangeState = {
    ...{ clock, engine, books, keys, oauth, records, random: randomRecords, behavior: behaviorOf(options.unkindSeed) },
    wallets: new Wallets(clock, engine, books, records, randomRecords),
    liveTokens: new OneTimeTokens(now, random, liveTokens),
    history: new HistoryLag(now, historyLagMs),
    ignoreClientOrderIds,
    gateway: {
      routes,
      rateLimiter: new RateLimiter(limitOf),
      faults: new InjectedFaults(),
      requests: new Journal<LedgerRequest>(),
      isInMaintenance: false,
    },
  };
  const record = new LiveRecord(now);
  const liveExchange = new LiveExchange(exchange);
  const live: LiveState = {
    ...{ state: exchange, exchange: liveExchange, record, faults: new LiveFaults() },
    recordedChannel: (channel) =>
      recordedMarkets ? recordedChannel(channel, replay?.channels ?? recordedChannels, liveExchange) : channel,
  };
  const server = new LiveServer(live);
  return Object.assign(exchange, {
    live: { ...live, server },
    recorded: recordedMarkets && recordedOf(options, { engine, live: server, now, markets: recordedMarkets }, clock),
    retention: new Retention(retentionMs, (before) => {
      engine.forget(before);
      const ofAccounts = Object.values(records).filter((one) => one instanceof Journal);
      const others = [books.changes, exchange.gateway.requests, record.requests, record.orderEvents];
      for (const journal of [...ofAccounts, ...others]) journal.forget(before);
    }),
  });
}

function recordedOf(
  { replay, follow, matching = {} }: SandboxOptions,
  parts: Omit<RecordedExchangeParts, 'model' | 'fees'>,
  clock: Clock,
) {
  const { queue: model = 'pessimistic', latencyMs = replay?.medianPingMs ?? defaultLatencyMs, fees = {} } = matching;
  const exchange = new RecordedExchange({ ...parts, model, fees });
  const lines = { markets: parts.markets, channels: recordedChannels };
  return {
    exchange,
    latencyMs: Math.max(1, latencyMs),
    replay: replay && clock instanceof RecordedClock ? { exchange, recording: replay, clock } : undefined,
    follow: follow && new Follow(exchange, liveLines(follow, lines), clock),
  };
}

function openAccounts(accounts: readonly SandboxAccountOptions[], books: Books, random: () => number) {
  const keys = new Map<string, Key>();
  for (const { name, balances = defaultBalances } of accounts) {
    const key = createKey(name, random);
    keys.set(key.apiKey, key);
    for (const wallet of walletNames) {
      for (const [asset, amount] of Object.entries(balances[wallet] ?? {}))
        books.change(name, wallet, asset, decimal(amount), 'deposit');
    }
  }
  return keys;
}
