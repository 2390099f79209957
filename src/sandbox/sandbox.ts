// The embedded exchange: its parts put together.
import { decimal, formatDecimal } from '../model/decimal.js';
import { createClock } from './clock.js';
import { check, checkNames, checkPaths, given } from './check.js';
import { Engine } from './engine/engine.js';
import { EngineTime } from './engine/engine-time.js';
import { defaultMarkets, listMarket } from './engine/listing.js';
import { createApp } from './http/app.js';
import { readBody } from './http/body.js';
import { ConnectionFault, Faults } from './http/faults.js';
import { defaultLimits, RateLimits } from './http/rate-limits.js';
import { createKey, type Key } from './keys.js';
import { Books, type Balances, type RequestSeen, type Wallet } from './ledger.js';
import { listenOn, type Respond } from './listen.js';
import { createMiningAccounts, createSubAccounts } from './lists.js';
import { OAuth } from './oauth.js';
import { createRandom } from './random.js';
import { Journal, Retention } from './retention.js';
import type { Sandbox, SandboxOptions } from './sandbox-api.js';
import type { World } from './world.js';

const plenty: Readonly<Record<Wallet, Balances>> = {
  main: { BTC: '2.5', USDT: '25000.75', XLM: '36.48' },
  trade: { BTC: '100', ETH: '1000', LTC: '1000', USDT: '10000000' },
  collateral: { USDT: '1000000' },
};

/** Of requests that no key signed, every program of the machine can send any number in the time that they are kept. */
const minUnsignedRequests = 50_000;

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
  check('createSandbox', given.options, options);
  checkNames(
    'createSandbox: markets',
    (options.markets ?? []).map(({ name }) => name),
  );
  checkNames(
    'createSandbox: accounts',
    (options.accounts ?? []).map(({ name }) => name),
  );
  const {
    dialect = 'live',
    seed = 1,
    tickMs = 250,
    volatility = 0.0004,
    markets = defaultMarkets,
    historyLagMs = 0,
  } = options;
  const {
    retentionMs = Number.POSITIVE_INFINITY,
    conditionalListing = false,
    dropIdentifiers = [],
    dateOffsetMs = 0,
  } = options;
  if (!(retentionMs > historyLagMs))
    throw new Error(`createSandbox: retentionMs ${retentionMs} must be more than historyLagMs, ${historyLagMs}`);
  const { subAccounts: subAccountCount = 40, miningAccounts: miningAccountCount = 35 } = options;
  const clock = createClock(options.clock ?? 'real');
  const random = createRandom(seed);
  const time = new EngineTime(clock);
  const books = new Books(() => time.now());
  const keys = new Map<string, Key>();
  const isUnsigned = ({ account }: RequestSeen) => account === undefined;
  const requests = new Journal<RequestSeen>(
    retentionMs === Number.POSITIVE_INFINITY ? undefined : { includes: isUnsigned, count: minUnsignedRequests },
  );
  const engine = new Engine({ time, books, listings: markets.map(listMarket), seed, tickMs, volatility });

  for (const { name, balances = plenty } of options.accounts ?? [{ name: 'main' }]) {
    const key = createKey(name, random);
    keys.set(key.apiKey, key);
    for (const wallet of ['main', 'trade', 'collateral'] as const) {
      for (const [asset, amount] of Object.entries(balances[wallet] ?? {}))
        books.change(name, wallet, asset, decimal(amount), 'deposit');
    }
  }
  const keyOf = (account?: string): Key => {
    const key = [...keys.values()].find((known) => account === undefined || known.account === account);
    if (key === undefined) throw new Error(`the sandbox has no account ${account ?? ''}`);
    return key;
  };
  let clients = 0;
  const retryOfNextClient = () => {
    clients += 1;
    return { random: createRandom(seed + clients) };
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
  const world: World = {
    ...{
      dialect,
      clock,
      engine,
      books,
      keys,
      subAccounts,
      miningAccounts,
      oauth,
      rateLimits,
      faults,
      historyLagMs,
      requests,
    },
    ...{ conditionalListing, dropIdentifiers, dateOffsetMs, random: createRandom(seed) },
  };
  const app = createApp(world);
  const knownPaths = (where: string, paths: readonly string[] = []) => {
    checkPaths(where, app.paths(), paths);
  };
  knownPaths('createSandbox: dropIdentifiers', dropIdentifiers === true ? [] : dropIdentifiers);
  const settle = () => {
    engine.advance();
  };
  clock.settleWith(settle);
  const answer: Respond = (request, body) => {
    retention.look(clock.now());
    return app.answer(request, body);
  };
  const baseUrl = 'https://exchange.sandbox.test';
  const fetch: Sandbox['fetch'] = async (input, init) => {
    const request = new Request(input, init);
    // The caller's own: that of the Request follows it only until the Request is garbage.
    const signal = init?.signal ?? (input instanceof Request ? input.signal : request.signal);
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(new DOMException('This operation was aborted', 'AbortError'));
      });
    });
    try {
      return await Promise.race([readBody(request).then((body) => answer(request, body)), aborted]);
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
        settle();
        return engine.orders.map((order) => order.view());
      },
      get fills() {
        settle();
        return [...engine.fills];
      },
      get balanceChanges() {
        settle();
        return [...books.changes.entries];
      },
      get requests() {
        return [...requests.entries];
      },
      balances(account) {
        const { account: name } = keyOf(account);
        settle();
        return {
          main: books.wallet(name, 'main'),
          trade: books.wallet(name, 'trade'),
          collateral: books.wallet(name, 'collateral'),
        };
      },
      largestWindow(group) {
        const groups = [...Object.keys(defaultLimits), ...app.paths()];
        if (!groups.includes(group))
          throw new Error(`ledger.largestWindow: the sandbox has no limit "${group}"; it has ${groups.join(', ')}`);
        return rateLimits.largestWindow(group);
      },
    },
    clientOptions: (account) => ({ baseUrl, credentials: credentialsOf(account), retry: retryOfNextClient(), fetch }),
    async listen(portOrOptions = {}) {
      const options = typeof portOrOptions === 'number' ? { port: portOrOptions } : portOrOptions;
      check('sandbox.listen', given.listening, options);
      const listening = await listenOn(answer, options);
      return {
        ...listening,
        clientOptions: (account) => ({
          baseUrl: listening.baseUrl,
          credentials: credentialsOf(account),
          retry: retryOfNextClient(),
        }),
      };
    },
    account(name) {
      const key = keyOf(name);
      return {
        name: key.account,
        deposit(asset, amount, wallet) {
          check('account.deposit', given.deposit, { asset, amount, wallet });
          books.change(key.account, wallet, asset, decimal(amount), 'deposit');
        },
        enableKey(enabled) {
          check('account.enableKey', given.enabled, { enabled });
          key.enabled = enabled;
        },
        restrictKey(paths) {
          check('account.restrictKey', given.paths, { paths });
          knownPaths('account.restrictKey', paths);
          key.paths = paths;
        },
        revokePaths(paths) {
          check('account.revokePaths', given.paths, { paths });
          knownPaths('account.revokePaths', paths);
          key.lacking = paths;
        },
        setHedgeMode(enabled) {
          check('account.setHedgeMode', given.enabled, { enabled });
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
          check('market.setPrice', given.price, { price });
          engine.setPrice(name, decimal(price));
        },
        setDepth(depth) {
          check('market.setDepth', given.depth, depth);
          book.depth = depth;
        },
        setTradesEnabled(enabled) {
          check('market.setTradesEnabled', given.enabled, { enabled });
          book.tradesEnabled = enabled;
        },
      };
    },
    unavailable(outage) {
      check('sandbox.unavailable', given.outage, outage);
      knownPaths('sandbox.unavailable', pathsOf(outage));
      faults.add({ kind: 'status', ...outage });
    },
    fault(fault) {
      check('sandbox.fault', given.fault, fault);
      knownPaths('sandbox.fault', pathsOf(fault));
      faults.add(fault);
    },
    pendingFaults: () => faults.pending,
    assertNoPendingFaults() {
      const pending = faults.pending.map(
        ({ kind, path = 'any path', times = 1, left }) => `${kind} at ${path} (${left} of ${times} left)`,
      );
      if (pending.length > 0)
        throw new Error(`sandbox.assertNoPendingFaults: these faults met no request: ${pending.join(', ')}`);
    },
    randomFaults(random) {
      check('sandbox.randomFaults', given.randomFaults, random);
      knownPaths('sandbox.randomFaults', random?.paths);
      faults.atRandom(random);
    },
    setDateOffset(ms) {
      check('sandbox.setDateOffset', given.dateOffset, { ms });
      world.dateOffsetMs = ms;
    },
    route(route) {
      check('sandbox.route', given.route, route);
      app.add(route);
    },
    placeStopOrder(account, order) {
      check('sandbox.placeStopOrder', given.stopOrder, order);
      return engine.placeStop(keyOf(account).account, order);
    },
  };
}

function pathsOf({ path }: { readonly path?: string }): readonly string[] {
  return path === undefined ? [] : [path];
}
