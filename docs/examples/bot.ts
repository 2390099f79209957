// A bot that buys below a moving average and sells above it, one order at a time, while the exchange is up.
import {
  createExchange,
  isExchangeError,
  isFilled,
  isUndecided,
  pauseWhileDown,
  watchHealth,
  watchOrderBook,
} from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, EMPTY, exhaustMap, filter, map, scan, take } from 'rxjs';

// For the real exchange: { baseUrl, credentials, checkOrders: true }.
const exchange = createExchange({ ...createSandbox().clientOptions(), checkOrders: true });
const market = 'BTC_USDT';

// The price between the best bid and the best ask, ten times a second.
const price$ = watchOrderBook(exchange, market, { limit: 1 }).pipe(
  filter(({ stale }) => !stale), // not while the book may be outdated
  map(({ book }) => (Number(book?.asks[0]?.[0]) + Number(book?.bids[0]?.[0])) / 2),
  filter((price) => price > 0), // not while a side is empty
);
const start = { price: 60_000, average: 60_000 };
const side$ = price$.pipe(
  scan(({ average }, price) => ({ price, average: average + (price - average) / 10 }), start),
  filter(({ price, average }) => Math.abs(price - average) > 1),
  map(({ price, average }) => (price < average ? 'buy' : 'sell')),
);

const order$ = side$.pipe(
  pauseWhileDown(watchHealth(exchange), { keep: 'latest' }),
  exhaustMap((side) =>
    exchange.spot.placeStockMarketOrder({ market, side, amount: '0.01' }, { validForMs: 500 }).pipe(
      catchError((error: unknown) => {
        if (!isExchangeError(error) || isUndecided(error)) throw error; // the order may exist: stop
        console.warn(error.message); // the order does not exist: go on
        return EMPTY;
      }),
    ),
  ),
);

order$
  .pipe(take(5))
  .subscribe((order) => console.log(order.side, order.deal_stock, 'for', order.deal_money, isFilled(order)));
