// The exchange of the soak test: a sandbox in a process of its own. It counts every window, and responds 429 to the first
// request above a limit.
import { createSandbox } from 'exchange-rx/sandbox';
import { givenOptions, sendToParent } from '../support/children.js';

export interface ExchangeOptions {
  /** One key per client, because nonces belong to a key. */
  readonly accounts: readonly string[];
}

export interface ExchangeOpened {
  readonly clients: readonly {
    readonly baseUrl: string;
    readonly credentials: { readonly apiKey: string; readonly apiSecret: string };
  }[];
}

export interface ExchangeReport {
  readonly stockMarket: GroupReport;
  readonly public: GroupReport;
  /** The number of orders in the ledger, and of distinct identifiers among them. */
  readonly orders: number;
  readonly identifiers: number;
}

export interface GroupReport {
  readonly largestWindow: number;
  readonly rateLimited: number;
  /** When the first accepted request arrived, Unix ms. */
  readonly since: number;
  /** The number of accepted requests in each second since then. */
  readonly bySecond: readonly number[];
}

const { accounts } = givenOptions() as ExchangeOptions;
const sandbox = createSandbox({
  volatility: 0,
  accounts: accounts.map((name) => ({ name, balances: { trade: { USDT: '1000000000', BTC: '1000000' } } })),
});
const server = await sandbox.listen();

function reportOf(rateLimit: string, path: string): GroupReport {
  const seen = sandbox.ledger.requests.filter((request) => request.path.startsWith(path));
  const accepted = seen.filter(({ status }) => status !== 429);
  const since = accepted[0]?.at ?? 0;
  const seconds = Math.ceil(((accepted.at(-1)?.at ?? 0) - since + 1) / 1000);
  const bySecond = Array.from({ length: seconds }, () => 0);
  for (const { at } of accepted) {
    const second = Math.floor((at - since) / 1000);
    bySecond[second] = (bySecond[second] ?? 0) + 1;
  }
  return {
    largestWindow: sandbox.ledger.maxRequestsInWindow(rateLimit),
    rateLimited: seen.length - accepted.length,
    since,
    bySecond,
  };
}

process.on('message', () => {
  const { orders } = sandbox.ledger;
  const report: ExchangeReport = {
    stockMarket: reportOf('/api/v4/order/stock_market', '/api/v4/order/stock_market'),
    public: reportOf('public', '/api/v4/public/'),
    orders: orders.length,
    identifiers: new Set(orders.map(({ client_order_id }) => client_order_id)).size,
  };
  sendToParent(report);
});
process.on('disconnect', () => process.exit());

const opened: ExchangeOpened = { clients: accounts.map((account) => server.clientOptions(account)) };
sendToParent(opened);
