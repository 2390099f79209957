// Survives a crash at any moment: each order is in a journal on disk before it is sent. After a restart, the program
// looks up the orders without an outcome, and places no other order before it knows their outcomes.
import { createExchange, OrderJournal, placeEach, recoverOrders } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { concat, from, tap } from 'rxjs';

const { EXCHANGE_BASE_URL: baseUrl, EXCHANGE_API_KEY: apiKey, EXCHANGE_API_SECRET: apiSecret } = process.env;
const exchange = createExchange(
  baseUrl !== undefined && apiKey !== undefined && apiSecret !== undefined
    ? { baseUrl, credentials: { apiKey, apiSecret } }
    : createSandbox().clientOptions(),
);
const journal = new OrderJournal(process.argv[2] ?? 'orders.jsonl');

const buy = (amount: string) =>
  journal.keep(exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy', amount }));
const strategy$ = from(['0.01', '0.02', '0.03']).pipe(placeEach(buy, { concurrency: 1 }));

concat(recoverOrders(exchange, journal), strategy$)
  .pipe(
    tap((result) => {
      if (result.outcome === 'unknown') throw result.error; // it stays in the journal: run the program again
      if (result.outcome !== 'placed') console.log('not placed:', result.error.message);
      else console.log(result.order.client_order_id, 'placed:', result.order.deal_stock, 'for', result.order.deal_money);
    }),
  )
  .subscribe({
    error: (error: unknown) => {
      console.error('stopped: the outcome of an order is unknown.', error);
      process.exitCode = 1;
    },
  });
