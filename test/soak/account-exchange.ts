// The exchange of the soak test of an account: a sandbox in a process of its own, which cuts the connections and loses
// messages.
import { createSandbox, type LiveFault, type SandboxClientOptions } from 'exchange-rx/sandbox';
import { givenOptions, sendToParent } from '../support/children.js';
import { viewOfLedger } from '../support/account-view.js';
import { perpetual, spotMarket, tradedMarkets } from '../support/random-orders.js';

export interface AccountExchangeOptions {
  /** Between two cuts of every connection, milliseconds. */
  readonly cutEveryMs: number;
}

const { cutEveryMs } = givenOptions() as AccountExchangeOptions;
const sandbox = createSandbox({
  volatility: 0,
  markets: [
    { name: spotMarket, price: '60000', minAmount: '0.0001' },
    { name: perpetual, price: '60000', minAmount: '0.0001' },
  ],
});
const server = await sandbox.listen();

const losses: readonly LiveFault[] = [
  { kind: 'silent-loss', channel: 'deals' },
  { kind: 'silent-loss', channel: 'ordersPending' },
  { kind: 'silent-loss', channel: 'ordersExecuted' },
  { kind: 'history-lag', channel: 'deals', delayMs: 1500 },
];
const moving = setInterval(() => {
  const market = tradedMarkets[Math.floor(Math.random() * tradedMarkets.length)] ?? spotMarket;
  sandbox.market(market).setPrice(`${59_400 + Math.floor(Math.random() * 1200)}`);
}, 1000);
const losing = setInterval(() => {
  const loss = losses[Math.floor(Math.random() * losses.length)];
  if (loss !== undefined) sandbox.liveFault(loss);
}, 2000);
const cut = () => {
  sandbox.liveFault({ kind: 'cut' });
};
const cutting = setInterval(cut, cutEveryMs);

/** What the ledger has when the exchange is at rest. */
function reportOf({ orders, fills, live }: typeof sandbox.ledger) {
  return {
    account: viewOfLedger(sandbox.ledger),
    /** Every execution, and every order that has ended. */
    executions: fills.map(({ id, order_id }) => `${id}/${order_id}`),
    ended: orders.flatMap(({ order_id, ftime }) => (ftime === undefined ? [] : [order_id])),
    connections: live.connectionCount,
    open: live.openConnections,
  };
}
export type AccountExchangeReport = ReturnType<typeof reportOf>;

process.on('message', ({ isLastCut = false }: { readonly isLastCut?: boolean }) => {
  for (const timer of [moving, losing, cutting]) clearInterval(timer);
  if (isLastCut) cut();
  sendToParent(reportOf(sandbox.ledger));
});
process.on('disconnect', () => process.exit());

const opened: SandboxClientOptions = server.clientOptions();
sendToParent(opened);
