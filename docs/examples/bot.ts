// A bot that buys below a moving average and sells above it, one order at a time, while the exchange is up.
import { createExchange, filled, isExchangeError, isUndecided, pauseWhileDown, watchHealth } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, EMPTY, exhaustMap, filter, map, scan, take } from 'rxjs';

// For the real exchange: { baseUrl, credentials, checkOrders: true }.
const exchange = createExchange({ ...createSandbox().clientOptions(), checkOrders: true });
const market = 'BTC_USDT';

// The price between the best bid and the best ask, as the exchange pushes it.
const price$ = exchange.live.orderBook({ market, limit: 1 }).pipe(
  filter(({ status }) => status === 'live'), // not while the book may be outdated
  map(({ bids: [bid], asks: [ask] }) => (Number(bid?.[0]) + Number(ask?.[0])) / 2),
  filter((price) => price > 0), // not while a side is empty
);
const signal$ = price$.pipe(
  scan(({ average }, price) => ({ price, average: average + (price - average) / 10 }), { price: 0, average: 60_000 }),
  filter(({ price, average }) => Math.abs(price - average) > 1),
);

signal$
  .pipe(
    pauseWhileDown(watchHealth(exchange), { keep: 'latest' }),
    exhaustMap(({ price, average }) => {
      const side = price < average ? 'buy' : 'sell';
      const limit = (price * (side === 'buy' ? 1.001 : 0.999)).toFixed(2);
      return exchange.spot
        .placeLimitOrder({ market, side, amount: '0.01', price: limit, ioc: true }, { validForMs: 500 })
        .pipe(
          catchError((error) => {
            if (!isExchangeError(error) || isUndecided(error)) throw error; // the order may exist: stop
            console.warn(error.message); // the order does not exist: continue
            return EMPTY;
          }),
          filled(exchange), // follows the order to its end, by the live connection
        );
    }),
    take(5),
  )
  .subscribe(({ order, amount, averagePrice }) => console.log(order.side, amount, 'at', averagePrice ?? '-'));
