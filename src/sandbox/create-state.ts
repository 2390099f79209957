// The initial state of the exchange, from the options of a sandbox.
import { decimal } from '../model/decimal.js';
import { Books } from './books.js';
import { createClock } from './clock.js';
import { defaultMarkets, Engine, EngineTime, listMarket } from './engine/index.js';
import { InjectedFaults } from './faults/index.js';
import { defaultLimits, type ExchangeState, RateLimiter } from './http/index.js';
import { HistoryLag } from './history-lag.js';
import { createKey, type Key } from './keys.js';
import type { Balances, LedgerRequest, Wallet } from './ledger.js';
import { LiveExchange, LiveFaults, LiveRecord, LiveServer } from './live/index.js';
import { LiveTokens, OAuth } from './tokens.js';
import { createRandom } from './random.js';
import { Journal, Retention } from './retention.js';
import { createMiningAccounts, createSubAccounts } from './sample-accounts.js';
import type { SandboxOptions } from './sandbox-api.js';
import { behaviorOf } from './unkind.js';

/** The state with what the HTTP side does not use. */
export interface SandboxState extends ExchangeState {
  readonly live: LiveState;
  readonly retention: Retention;
}

export interface LiveState {
  readonly server: LiveServer;
  readonly exchange: LiveExchange;
  readonly record: LiveRecord;
  readonly faults: LiveFaults;
}

const defaultBalances: Readonly<Record<Wallet, Balances>> = {
  main: { BTC: '2.5', USDT: '25000.75', XLM: '36.48' },
  trade: { BTC: '100', ETH: '1000', LTC: '1000', USDT: '10000000' },
  collateral: { USDT: '1000000' },
};

export function createState(options: SandboxOptions): SandboxState {
  const {
    seed = 1,
    tickMs = 250,
    volatility = 0.0004,
    history: historyDays = 7,
    markets = defaultMarkets,
    historyLagMs = 0,
    retentionMs = Number.POSITIVE_INFINITY,
    ignoreClientOrderIds = [],
  } = options;
  if (!(retentionMs > historyLagMs))
    throw new Error(`createSandbox: retentionMs ${retentionMs} must be greater than historyLagMs (${historyLagMs})`);

  const behavior = behaviorOf(options.unkindSeed);
  const clock = createClock(options.clock ?? 'real');
  const random = createRandom(seed);
  const time = new EngineTime(clock);
  const books = new Books(() => time.now());
  const requests = new Journal<LedgerRequest>();
  const engine = new Engine({
    time,
    books,
    listings: markets.map(listMarket),
    seed,
    tickMs,
    volatility,
    history: historyDays,
  });
  // The order of these calls decides which key and which identifier a seed gives.
  const keys = openAccounts(options, books, random);
  const oauth = new OAuth(() => clock.now(), random);
  const subAccounts = createSubAccounts(random, options.subAccountCount ?? 40);
  const history = new HistoryLag(() => clock.now(), historyLagMs);
  const liveExchange = new LiveExchange(engine, clock, behavior);
  const liveTokens = new LiveTokens(() => clock.now(), random);
  const liveRecord = new LiveRecord(() => clock.now());
  const liveFaults = new LiveFaults();
  const state: SandboxState = {
    clock,
    engine,
    books,
    registry: {
      ...{ keys, oauth, liveTokens, subAccounts },
      miningAccounts: createMiningAccounts(clock.now(), options.miningAccountCount ?? 35),
    },
    gateway: {
      rateLimiter: new RateLimiter({ ...defaultLimits, ...options.limits }),
      faults: new InjectedFaults(),
      requests,
      isInMaintenance: false,
    },
    lists: { history, ignoreClientOrderIds },
    behavior,
    live: {
      exchange: liveExchange,
      record: liveRecord,
      faults: liveFaults,
      server: new LiveServer({
        shared: { clock, exchange: liveExchange, record: liveRecord, faults: liveFaults, tokens: liveTokens },
        accounts: { engine, books, history },
        events: engine.accountEvents,
        isInMaintenance: () => state.gateway.isInMaintenance,
      }),
    },
    retention: new Retention(retentionMs, (before) => {
      engine.forget(before);
      books.changes.forget(before);
      requests.forget(before);
      liveRecord.requests.forget(before);
      liveRecord.orderEvents.forget(before);
    }),
  };
  return state;
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
