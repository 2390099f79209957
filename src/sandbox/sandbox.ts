// The embedded exchange: its parts put together.
import { decimal, formatDecimal } from '../model/decimal.js';
import { createClock } from './clock.js';
import { Engine } from './engine/engine.js';
import { defaultMarkets, listMarket } from './engine/listing.js';
import { createApp } from './http/app.js';
import { ConnectionFault, Faults } from './http/faults.js';
import { defaultLimits, RateLimits } from './http/rate-limits.js';
import { createKey, type Key } from './keys.js';
import { Books, type Balances, type RequestSeen, type Wallet } from './ledger.js';
import { listenOn } from './listen.js';
import { createMiningAccounts, createSubAccounts } from './lists.js';
import { OAuth } from './oauth.js';
import { createRandom } from './random.js';
import { Journal, Retention } from './retention.js';
import type { Sandbox, SandboxOptions } from './sandbox-api.js';

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
  const { dialect = 'live', seed = 1, tickMs = 250, volatility = 0.0004, markets = defaultMarkets, historyLagMs = 0 } = options;
  const { retentionMs = Number.POSITIVE_INFINITY } = options;
  // Also false for what is no number.
  if (options.retentionMs !== undefined && !(retentionMs > historyLagMs)) {
    throw new Error(`retentionMs must be more than historyLagMs, ${historyLagMs}: ${retentionMs}`);
  }
  const { subAccounts: subAccountCount = 40, miningAccounts: miningAccountCount = 35 } = options;
  const clock = createClock(options.clock ?? 'real');
  const random = createRandom(seed);
  const books = new Books(() => clock.now());
  const keys = new Map<string, Key>();
  const requests = new Journal<RequestSeen>();
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
  const faults = new Faults();
  const oauth = new OAuth(clock, random);
  const subAccounts = createSubAccounts(random, subAccountCount);
  const miningAccounts = createMiningAccounts(clock.now(), miningAccountCount);
  const retention = new Retention(retentionMs, (before) => {
    engine.forget(before);
    books.changes.forget(before);
    requests.forget(before);
  });
  const app = createApp({ dialect, clock, engine, books, keys, subAccounts, miningAccounts, oauth, rateLimits, faults, historyLagMs, requests });
  const answer: typeof app = (request) => {
    retention.look(clock.now());
    return app(request);
  };
  const baseUrl = 'https://exchange.sandbox.test';
  const fetch: Sandbox['fetch'] = async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      request.signal.addEventListener('abort', () => {
        reject(new DOMException('This operation was aborted', 'AbortError'));
      });
    });
    try {
      return await Promise.race([answer(request), aborted]);
    } catch (error) {
      throw error instanceof ConnectionFault ? new TypeError('fetch failed', { cause: error }) : error;
    }
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
        return [...books.changes.entries];
      },
      get requests() {
        return [...requests.entries];
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
      faults.add({ kind: 'status', ...outage });
    },
    fault(fault) {
      faults.add(fault);
    },
    faultsAtRandom(random) {
      faults.atRandom(random);
    },
    placeStopOrder: (account, order) => engine.placeStop(keyOf(account).account, order),
  };
}
