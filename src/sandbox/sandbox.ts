// The embedded exchange: its parts put together, and the hands by which a test moves it.
import { decimal, formatDecimal } from '../model/decimal.js';
import { createClock, type SandboxClock } from './clock.js';
import { Engine, type StopOrder } from './engine/engine.js';
import { defaultMarkets, listMarket, type Depth, type SandboxMarketOptions } from './engine/listing.js';
import { createApp } from './http/app.js';
import type { Dialect } from './http/dialect.js';
import { Outages, type Outage } from './http/outages.js';
import { defaultLimits, RateLimits, type SandboxLimit, type SandboxLimitGroup } from './http/rate-limits.js';
import { createKey, type Key } from './keys.js';
import { Books, type Balances, type Ledger, type LedgerOrder, type RequestSeen, type Wallet } from './ledger.js';
import { listenOn } from './listen.js';
import { createMiningAccounts, createSubAccounts } from './lists.js';
import { OAuth, type OAuthClient } from './oauth.js';
import { createRandom } from './random.js';

/** An account to open in the sandbox. */
export interface SandboxAccountOptions {
  readonly name: string;
  /** Balances by wallet and asset. Default: plenty of BTC, ETH, LTC and USDT. */
  readonly balances?: Readonly<Partial<Record<Wallet, Balances>>>;
}

export interface SandboxOptions {
  /**
   * `live` (default): the names, statuses and short forms of the live exchange, which drops fields that it does not know. `spec`: those of its
   * description.
   */
  readonly dialect?: Dialect;
  /** The same seed gives the same prices, keys and identifiers. Default 1. */
  readonly seed?: number;
  /** `real` (default): prices move with the time of day. `manual`: time stands still until `clock.advance(ms)`. */
  readonly clock?: 'real' | 'manual';
  /** How often prices move, milliseconds. Default 250. */
  readonly tickMs?: number;
  /** The greatest relative step of a price at each tick; 0 stands still. Default 0.0004. */
  readonly volatility?: number;
  /** Default: BTC_USDT and ETH_USDT, which trade on collateral too, and LTC_USDT, which does not. */
  readonly markets?: readonly SandboxMarketOptions[];
  /** Limits that replace the exchange's, by group. */
  readonly limits?: Readonly<Partial<Record<SandboxLimitGroup, SandboxLimit>>>;
  /** Default: one, named `main`. */
  readonly accounts?: readonly SandboxAccountOptions[];
}

/** What `createExchange()` needs to talk to the sandbox. */
export interface SandboxClientOptions {
  readonly baseUrl: string;
  readonly credentials: { readonly apiKey: string; readonly apiSecret: string };
}

/** The hands on one account. */
export interface SandboxAccount {
  readonly name: string;
  deposit(asset: string, amount: string, wallet: Wallet): void;
  /** Switches its key off, or on again. */
  enableKey(enabled: boolean): void;
  /** Restricts its key to these paths; `undefined` lifts the restriction. */
  restrictKey(paths: readonly string[] | undefined): void;
  /** Takes the products behind these paths from the account. */
  withdrawProducts(paths: readonly string[]): void;
  setHedgeMode(enabled: boolean): void;
}

/** The hands on one market. */
export interface SandboxMarket {
  /** The price that the sandbox's own offers lie around. */
  price(): string;
  /** Moves the price; stop orders and resting orders that it reaches are executed. */
  setPrice(price: string): void;
  /** Replaces what the sandbox offers on either side. */
  setDepth(depth: Depth): void;
  setTradesEnabled(enabled: boolean): void;
}

/** A sandbox that is served on a port of 127.0.0.1. */
export interface SandboxServer {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  readonly port: number;
  /** What `createExchange()` needs to talk to it. */
  clientOptions(account?: string): SandboxClientOptions;
  /** Stops serving and closes every connection. */
  close(): Promise<void>;
}

/** An exchange in process, for tests, demos and trying things out. It holds no timer and no handle; {@link Sandbox.listen} does, until closed. */
export interface Sandbox {
  /** The address that {@link Sandbox.fetch} answers for. */
  readonly baseUrl: string;
  /** Answers a request as the exchange would. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  readonly clock: SandboxClock;
  /** Everything that happened, exactly. */
  readonly ledger: Ledger;
  /** The application that OAuth tokens are for, with its first refresh token. */
  readonly oauthClient: OAuthClient;
  /** What `createExchange()` needs to talk to it in process. `account` by name, default the first. */
  clientOptions(account?: string): SandboxClientOptions & { readonly fetch: Sandbox['fetch'] };
  /** Serves it on a port of 127.0.0.1; by default a free one. */
  listen(port?: number): Promise<SandboxServer>;
  account(name?: string): SandboxAccount;
  market(name: string): SandboxMarket;
  /** Answers the next requests with 503. */
  unavailable(outage: Outage): void;
  /** Puts in a stop order: no endpoint of the spec makes one. */
  placeStopOrder(account: string, order: StopOrder): LedgerOrder;
}

const plenty: Readonly<Record<Wallet, Balances>> = {
  main: { BTC: '2.5', USDT: '25000.75', XLM: '36.48' },
  trade: { BTC: '100', ETH: '1000', LTC: '1000', USDT: '10000000' },
  collateral: { USDT: '1000000' },
};

/**
 * Opens an embedded exchange that behaves as the spec says.
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const sandbox = createSandbox({ seed: 7 });
 * const exchange = createExchange(sandbox.clientOptions());
 * exchange.public.ping().subscribe(() => console.log(sandbox.ledger.requests.length)); // 1
 * ```
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { dialect = 'live', seed = 1, tickMs = 250, volatility = 0.0004, markets = defaultMarkets } = options;
  const clock = createClock(options.clock ?? 'real');
  const random = createRandom(seed);
  const books = new Books(() => clock.now());
  const keys = new Map<string, Key>();
  const requests: RequestSeen[] = [];
  const engine = new Engine({ clock, books, listings: markets.map(listMarket), seed, tickMs, volatility });

  for (const { name, balances = plenty } of options.accounts ?? [{ name: 'main' }]) {
    const key = createKey(name, random);
    keys.set(key.apiKey, key);
    for (const wallet of ['main', 'trade', 'collateral'] as const) {
      for (const [asset, amount] of Object.entries(balances[wallet] ?? {})) books.change(name, wallet, asset, decimal(amount), 'deposit');
    }
  }
  const keyOf = (account?: string): Key => {
    const key = [...keys.values()].find((known) => account === undefined || known.account === account);
    if (key === undefined) throw new Error(`the sandbox has no account ${account ?? ''}`);
    return key;
  };
  const credentialsOf = (account?: string) => {
    const { apiKey, apiSecret } = keyOf(account);
    return { apiKey, apiSecret };
  };

  const rateLimits = new RateLimits({ ...defaultLimits, ...options.limits });
  const outages = new Outages();
  const oauth = new OAuth(clock, random);
  const subAccounts = createSubAccounts(random);
  const miningAccounts = createMiningAccounts(clock.now());
  const answer = createApp({ dialect, clock, engine, books, keys, subAccounts, miningAccounts, oauth, rateLimits, outages, requests });
  const baseUrl = 'https://exchange.sandbox.test';
  const fetch: Sandbox['fetch'] = async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    return answer(request);
  };

  return {
    baseUrl,
    fetch,
    clock,
    oauthClient: oauth.client,
    ledger: {
      get orders() {
        return engine.orders.map((order) => order.view());
      },
      get fills() {
        return [...engine.fills];
      },
      get balanceChanges() {
        return [...books.changes];
      },
      get requests() {
        return [...requests];
      },
      balances(account) {
        const { account: name } = keyOf(account);
        return { main: books.wallet(name, 'main'), trade: books.wallet(name, 'trade'), collateral: books.wallet(name, 'collateral') };
      },
      largestWindow: (group) => rateLimits.largestWindow(group),
    },
    clientOptions: (account) => ({ baseUrl, credentials: credentialsOf(account), fetch }),
    async listen(port = 0) {
      const listening = await listenOn(answer, port);
      return { ...listening, clientOptions: (account) => ({ baseUrl: listening.baseUrl, credentials: credentialsOf(account) }) };
    },
    account(name) {
      const key = keyOf(name);
      return {
        name: key.account,
        deposit(asset, amount, wallet) {
          books.change(key.account, wallet, asset, decimal(amount), 'deposit');
        },
        enableKey(enabled) {
          key.enabled = enabled;
        },
        restrictKey(paths) {
          key.paths = paths;
        },
        withdrawProducts(paths) {
          key.lacking = paths;
        },
        setHedgeMode(enabled) {
          engine.setHedgeMode(key.account, enabled);
        },
      };
    },
    market(name) {
      const book = engine.bookOf(name);
      return {
        price() {
          engine.advance();
          return formatDecimal(engine.price(name));
        },
        setPrice(price) {
          engine.setPrice(name, decimal(price));
        },
        setDepth(depth) {
          book.depth = depth;
        },
        setTradesEnabled(enabled) {
          book.tradesEnabled = enabled;
        },
      };
    },
    unavailable(outage) {
      outages.add(outage);
    },
    placeStopOrder: (account, order) => engine.placeStop(keyOf(account).account, order),
  };
}
