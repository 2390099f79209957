// The exchange of the soak test: a sandbox in a process of its own. It counts every window, and responds 429 to the first
// request above a limit.
import { createSandbox } from 'exchange-rx/sandbox';
import { givenOptions, sendToParent } from '../support/children.js';

export interface ExchangeOptions {
  /** One key per client, because nonces belong to a key. */
  readonly accounts: readonly string[];
}

const { accounts } = givenOptions() as ExchangeOptions;
const sandbox = createSandbox({
  volatility: 0,
  accounts: accounts.map((name) => ({ name, balances: { trade: { USDT: '1000000000', BTC: '1000000' } } })),
});
const server = await sandbox.listen();

/** What the exchange has accepted of a limit. */
function reportOf(rateLimit: string, path: string) {
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
    /** When the first accepted request arrived, Unix ms; and how many did in each second since then. */
    ...{ since, bySecond },
  };
}

/** What it has seen: of each limit, and how many orders with how many identifiers are in its ledger. */
function reportOfAll() {
  const { orders } = sandbox.ledger;
  return {
    stockMarket: reportOf('/api/v4/order/stock_market', '/api/v4/order/stock_market'),
    public: reportOf('public', '/api/v4/public/'),
    orders: orders.length,
    identifiers: new Set(orders.map(({ client_order_id }) => client_order_id)).size,
  };
}
export type ExchangeReport = ReturnType<typeof reportOfAll>;

process.on('message', () => {
  sendToParent(reportOfAll());
});
process.on('disconnect', () => process.exit());

const opened = { clients: accounts.map((account) => server.clientOptions(account)) };
export type ExchangeOpened = typeof opened;
sendToParent(opened);
