// The initial state of the exchange, from the options of a sandbox.
import { decimal } from '../model/decimal.js';
import { Books } from './books.js';
import { createClock, EngineTime } from './clock.js';
import { defaultMarkets, Engine, listMarket } from './engine/index.js';
import { InjectedFaults } from './faults/index.js';
import { HistoryLag } from './history-lag.js';
import { combinedLimits, type ExchangeState, RateLimiter, routes as builtInRoutes } from './http/index.js';
import { createKey, type Key } from './keys.js';
import type { Balances, LedgerRequest, Wallet } from './ledger.js';
import { LiveExchange, LiveFaults, LiveRecord, LiveServer, type LiveState } from './live/index.js';
import { createRandom } from './random.js';
import { Journal, Retention } from './retention.js';
import { createMiningAccounts, createSubAccounts } from './sample-accounts.js';
import type { SandboxOptions } from './sandbox-options.js';
import { LiveTokens, OAuth } from './tokens.js';
import { behaviorOf } from './unkind.js';

/** The state with what the HTTP side does not use. */
export interface SandboxState extends ExchangeState {
  readonly live: LiveState & { readonly server: LiveServer };
  readonly retention: Retention;
}

const defaultBalances: Readonly<Record<Wallet, Balances>> = {
  main: { BTC: '2.5', USDT: '25000.75', XLM: '36.48' },
  trade: { BTC: '100', ETH: '1000', LTC: '1000', USDT: '10000000' },
  collateral: { USDT: '1000000' },
};
const defaultLimit = { limit: 10_000, windowMs: 10_000 };

export function createState(options: SandboxOptions): SandboxState {
  const { seed = 1, tickMs = 250, volatility = 0.0004, history = 7, markets = defaultMarkets } = options;
  const { limits = {}, historyLagMs = 0, retentionMs = Number.POSITIVE_INFINITY } = options;
  if (!(retentionMs > historyLagMs))
    throw new Error(`createSandbox: retentionMs ${retentionMs} must be greater than historyLagMs (${historyLagMs})`);

  const clock = createClock(options.clock ?? 'real');
  const now = () => clock.now();
  const random = createRandom(seed);
  const time = new EngineTime(clock);
  const books = new Books(() => time.now());
  const engine = new Engine({ time, books, listings: markets.map(listMarket), seed, tickMs, volatility, history });
  const routes = new Map(builtInRoutes.map((route) => [route.path, route]));
  const limitOf = (name: string) =>
    limits[name] ?? combinedLimits.get(name) ?? routes.get(name)?.rateLimit ?? defaultLimit;
  const exchange: ExchangeState = {
    ...{ clock, engine, books },
    behavior: behaviorOf(options.unkindSeed),
    history: new HistoryLag(now, historyLagMs),
    ignoreClientOrderIds: options.ignoreClientOrderIds ?? [],
    // Their order decides which key and which identifier a seed gives.
    registry: {
      keys: openAccounts(options, books, random),
      oauth: new OAuth(now, random),
      subAccounts: createSubAccounts(random, options.subAccountCount ?? 40),
      liveTokens: new LiveTokens(now, random),
      miningAccounts: createMiningAccounts(clock.now(), options.miningAccountCount ?? 35),
    },
    gateway: {
      routes,
      rateLimiter: new RateLimiter(limitOf),
      faults: new InjectedFaults(),
      requests: new Journal<LedgerRequest>(),
      isInMaintenance: false,
    },
  };
  const record = new LiveRecord(now);
  const live = { state: exchange, exchange: new LiveExchange(exchange), record, faults: new LiveFaults() };
  return Object.assign(exchange, {
    live: { ...live, server: new LiveServer(live) },
    retention: new Retention(retentionMs, (before) => {
      engine.forget(before);
      for (const journal of [books.changes, exchange.gateway.requests, record.requests, record.orderEvents])
        journal.forget(before);
    }),
  });
}

function openAccounts(
  { accounts = [{ name: 'main' }] }: SandboxOptions,
  books: Books,
  random: () => number,
): ReadonlyMap<string, Key> {
  const keys = new Map<string, Key>();
  for (const { name, balances = defaultBalances } of accounts) {
    const key = createKey(name, random);
    keys.set(key.apiKey, key);
    for (const wallet of ['main', 'trade', 'collateral'] as const) {
      for (const [asset, amount] of Object.entries(balances[wallet] ?? {}))
        books.change(name, wallet, asset, decimal(amount), 'deposit');
    }
  }
  return keys;
}
