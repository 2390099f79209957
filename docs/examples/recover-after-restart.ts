// Survives a crash at any moment: each client_order_id is in a journal on disk before its order is sent. After a
// restart, the program looks up the orders without a result, and places no other order before it knows their results.
import { createExchange, isExchangeError, isUndecided, type Order } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { catchError, concat, concatMap, defer, from, map, of, tap, type Observable } from 'rxjs';

const { EXCHANGE_BASE_URL: baseUrl, EXCHANGE_API_KEY: apiKey, EXCHANGE_API_SECRET: apiSecret } = process.env;
const exchange = createExchange(
  baseUrl !== undefined && apiKey !== undefined && apiSecret !== undefined
    ? { baseUrl, credentials: { apiKey, apiSecret } }
    : createSandbox().clientOptions(),
);
const market = 'BTC_USDT';
const endpoint = 'spot.placeStockMarketOrder';

type State = 'placing' | 'placed' | 'not placed';

const path = process.argv[2] ?? 'orders.jsonl';
const journal = openSync(path, 'a+');

// On disk when it returns. A line break comes first, so that a line that a crash cut off spoils no other.
function record(client_order_id: string, state: State): void {
  writeSync(journal, `\n${JSON.stringify({ client_order_id, state })}`);
  fsyncSync(journal);
}

// The last state of each order. A line that was cut off was never acted upon: its order was not sent.
function readJournal(): Map<string, State> {
  const states = new Map<string, State>();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (!line.endsWith('}')) continue;
    const { client_order_id, state } = JSON.parse(line) as { client_order_id: string; state: State };
    states.set(client_order_id, state);
  }
  return states;
}

// Records the result of an order. An order whose outcome is unknown stays 'placing', and ends the program.
function settle(client_order_id: string, order$: Observable<Order>): Observable<string> {
  return order$.pipe(
    map(({ deal_stock, deal_money }): State => {
      console.log(client_order_id, 'placed:', deal_stock, 'for', deal_money);
      return 'placed';
    }),
    catchError((error: unknown) => {
      if (!isExchangeError(error) || isUndecided(error)) throw error;
      console.log(client_order_id, 'not placed:', error.message);
      return of<State>('not placed');
    }),
    tap((state) => record(client_order_id, state)),
  );
}

const find = (client_order_id: string) => exchange.orders.find({ market, client_order_id, endpoint });

const recovery$ = defer(() => {
  const pending = [...readJournal()].filter(([, state]) => state === 'placing');
  return from(pending).pipe(concatMap(([id]) => settle(id, find(id))));
});

const strategy$ = from(['0.01', '0.02', '0.03']).pipe(
  concatMap((amount) => {
    const order$ = exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount });
    record(order$.client_order_id, 'placing'); // before the subscription, which sends the order
    return settle(order$.client_order_id, order$);
  }),
);

concat(recovery$, strategy$).subscribe({
  error: (error: unknown) => {
    console.error('stopped: the outcome of an order is unknown.', error);
    process.exitCode = 1;
  },
});
