// A bot that buys below a moving average and sells above it, one order at a time, while the exchange is up.
import {
  createExchange,
  filled,
  isExchangeError,
  isUndecided,
  midPrice,
  pauseWhileDown,
  watchHealth,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, EMPTY, exhaustMap, filter, map, scan, take } from 'rxjs';

// For the real exchange: { baseUrl, credentials, checkOrders: true }.
const exchange = createExchange({ ...createSandbox().clientOptions(), checkOrders: true });
const market = 'BTC_USDT';

// The price between the best bid and the best ask, as the exchange pushes it.
const price$ = exchange.live.orderBook({ market, limit: 1 }).pipe(
  filter(({ status }) => status === 'live'), // not while the book may be outdated
  map((book) => Number(midPrice(book) ?? 0)),
  filter((price) => price > 0), // not while a side is empty
);
const start = { price: 60_000, average: 60_000 };
const intent$ = price$.pipe(
  scan(({ average }, price) => ({ price, average: average + (price - average) / 10 }), start),
  filter(({ price, average }) => Math.abs(price - average) > 1),
  map(({ price, average }) =>
    price < average
      ? ({ side: 'buy', price: (price * 1.001).toFixed(2) } as const)
      : ({ side: 'sell', price: (price * 0.999).toFixed(2) } as const),
  ),
);

const fill$ = intent$.pipe(
  pauseWhileDown(watchHealth(exchange), { keep: 'latest' }),
  exhaustMap((intent) =>
    exchange.spot.placeLimitOrder({ market, amount: '0.01', ioc: true, ...intent }, { validForMs: 500 }).pipe(
      catchError((error: unknown) => {
        if (!isExchangeError(error) || isUndecided(error)) throw error; // the order may exist: stop
        console.warn(error.message); // the order does not exist: go on
        return EMPTY;
      }),
      filled(exchange), // follows the order to its end, by the live connection
    ),
  ),
);

fill$
  .pipe(take(5))
  .subscribe(({ order, amount, averagePrice }) => console.log(order.side, amount, 'at', averagePrice ?? '-'));
