// Shuts down on SIGTERM or SIGINT: places no new orders, waits for the orders in flight, cancels its open orders, and
// exits. A second signal ends the process at once.
import { ApiError, createExchange, placeEach, unreadableIn } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import {
  catchError,
  concat,
  count,
  defer,
  fromEvent,
  map,
  merge,
  mergeMap,
  of,
  repeat,
  take,
  takeUntil,
  takeWhile,
  tap,
  timer,
} from 'rxjs';

const { EXCHANGE_BASE_URL: baseUrl, EXCHANGE_API_KEY: apiKey, EXCHANGE_API_SECRET: apiSecret } = process.env;
const isDemonstration = baseUrl === undefined || apiKey === undefined || apiSecret === undefined;
const exchange = createExchange(
  isDemonstration ? createSandbox().clientOptions() : { baseUrl, credentials: { apiKey, apiSecret } },
);
if (isDemonstration) setTimeout(() => process.kill(process.pid, 'SIGTERM'), 1000);

const market = 'BTC_USDT';
const own = `quoter-${Date.now()}-`;

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

const stop$ = merge(fromEvent(process, 'SIGTERM'), fromEvent(process, 'SIGINT')).pipe(
  take(1), // removes the handlers
  tap(() => console.log('stopping')),
);

const quotes$ = timer(0, 200).pipe(
  takeUntil(stop$), // before placeEach, which then waits for the orders in flight
  map((round) => ({ client_order_id: `${own}${round}`, price: String(50_000 + round) })),
  placeEach((quote) => exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.001', ...quote })),
  tap(({ outcome, intent: { client_order_id } }) => {
    if (outcome === 'unknown') fail(`${client_order_id} may be open: look it up with orders.find`);
    else console.log(client_order_id, outcome);
  }),
);

const cancel = (order_id: number) =>
  exchange.orders.cancel({ market, order_id }).pipe(
    map(() => 'canceled'),
    catchError((error: unknown) => {
      if (error instanceof ApiError && error.reason === 'order-not-found') return of('filled before');
      throw error;
    }),
  );

// Reads the open orders again until a pass finds none of ours: a list has at most 100 orders.
const cancellation$ = defer(() => exchange.orders.open({ market, limit: 100 })).pipe(
  tap((orders) => {
    if (unreadableIn(orders) !== undefined) fail('an open order could not be read, and may stay open');
  }),
  mergeMap((orders) => orders.filter(({ client_order_id }) => client_order_id.startsWith(own))),
  mergeMap(({ order_id, client_order_id }) =>
    cancel(order_id).pipe(tap((result) => console.log(client_order_id, result))),
  ),
  count(),
  repeat(),
  takeWhile((canceled) => canceled > 0),
);

concat(quotes$, cancellation$).subscribe({
  error: (error: unknown) => fail(`orders may still be open: ${String(error)}`),
  complete: () => console.log('stopped'),
});
