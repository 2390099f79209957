// ccxt, the client library that many bots use, on a served sandbox. The benchmark installs it in a folder of its own.
import { createSandbox, type LedgerOrder, type SandboxOptions } from 'exchange-rx/sandbox';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';

const folder = 'test/bench/performance/contenders/ccxt';
const require = createRequire(new URL(`../../${folder}/package.json`, import.meta.url));

/** Parameters for ccxt, or a record of it that a test compares field by field. */
type Fields = Readonly<Record<string, unknown>>;

type OrderParameters = [symbol: string, type: string, side: string, amount?: number, price?: number, params?: Fields];

export type UnifiedOrder = Fields & { readonly id: string };

/** What the tests use of ccxt's class for the exchange. */
export interface Ccxt {
  readonly has: Readonly<Record<string, boolean | 'emulated' | undefined>>;
  readonly urls: Record<string, unknown>;
  loadMarkets(): Promise<Readonly<Record<string, Fields>>>;
  createOrder(...order: OrderParameters): Promise<UnifiedOrder>;
  editOrder(id: string | number, ...order: OrderParameters): Promise<UnifiedOrder>;
  cancelOrder(id: string, symbol: string): Promise<UnifiedOrder>;
  fetchOrder(id: string, symbol: string): Promise<UnifiedOrder>;
  fetchOpenOrders(symbol?: string, since?: number, limit?: number): Promise<readonly UnifiedOrder[]>;
  fetchClosedOrders(symbol?: string): Promise<readonly UnifiedOrder[]>;
  fetchOrders(symbol?: string): Promise<readonly UnifiedOrder[]>;
  /** Any other unified method, by its name. */
  readonly [method: string]: unknown;
}

type Library = { readonly default: { readonly version: string; readonly whitebit: new (options: object) => Ccxt } };

const isInstalled = existsSync(new URL(`../../${folder}/node_modules/ccxt`, import.meta.url));
if (!isInstalled) {
  const install = `npm ci --prefix ${folder}`;
  if (process.env['CI'] === 'true') throw new Error(`ccxt is not installed. ${install}`);
  console.warn(`Skipped: the tests with another client library need ccxt. ${install}`);
}

const library = isInstalled
  ? ((await import(pathToFileURL(require.resolve('ccxt')).href)) as Library).default
  : undefined;

/** ccxt's class for the exchange, and the version of ccxt; `undefined` where ccxt is not installed. */
export const whitebit = library?.whitebit;
export const ccxtVersion = library?.version;

export const hasCcxt = whitebit !== undefined;

export const spot = 'BTC/USDT';
export const swap = 'BTC/USDT:USDT';

const markets = [
  { name: 'BTC_USDT', price: '60000' },
  { name: 'BTC_PERP', price: '60000' },
  { name: 'LTC_USDT', price: '80', isCollateral: false },
];

export type Served = Awaited<ReturnType<typeof serve>>;

/** A served sandbox, and ccxt with its address and an account's key: nothing else of ccxt is changed. */
export async function serve(options: SandboxOptions = {}, keys: Fields = {}) {
  if (whitebit === undefined) throw new Error('ccxt is not installed');
  const sandbox = createSandbox({ clock: 'manual', volatility: 0, markets, ...options });
  const server = await sandbox.listen();
  onTestFinished(() => server.close());
  const { apiKey, apiSecret: secret } = server.clientOptions().credentials;
  const ccxt = new whitebit({ apiKey, secret, ...keys });
  ccxt.urls['api'] = readdressed(ccxt.urls['api'], server.baseUrl);
  return {
    sandbox,
    ccxt,
    /** Calls a unified method by its name. */
    call: async (method: string, ...parameters: readonly unknown[]) => {
      const unified = ccxt[method];
      if (typeof unified !== 'function') throw new Error(`ccxt has no method ${method}`);
      const result: unknown = await unified.apply(ccxt, parameters);
      return result;
    },
    ledgerOrder: (id: string): LedgerOrder => {
      const order = sandbox.ledger.orders.find(({ order_id }) => String(order_id) === id);
      if (order === undefined) throw new Error(`the ledger has no order ${id}`);
      return order;
    },
  };
}

/** The addresses of every version of the API, at the sandbox. */
function readdressed(urls: unknown, baseUrl: string): unknown {
  if (typeof urls === 'string') return baseUrl + new URL(urls).pathname;
  if (typeof urls !== 'object' || urls === null) return urls;
  return Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, readdressed(url, baseUrl)]));
}
