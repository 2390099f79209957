// A bot: while the exchange is up it buys what is cheap and sells what is dear, at most one order at a time.
import { createExchange, isExchangeError, isFilled, isUndecided, pauseWhileDown, watchHealth } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { catchError, EMPTY, exhaustMap, filter, interval, map, scan, take } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange({ ...sandbox.clientOptions(), checkOrders: true });
const market = 'BTC_USDT';

// Prices come from your feed. The average moves slowly after them.
const price$ = interval(50).pipe(map(() => Number(sandbox.market(market).price())));
const signal$ = price$.pipe(
  scan(({ average }, price) => ({ price, average: average + (price - average) / 10 }), { price: 60_000, average: 60_000 }),
  filter(({ price, average }) => Math.abs(price - average) > 1),
  map(({ price, average }) => (price < average ? 'buy' : 'sell')),
);

const order$ = signal$.pipe(
  pauseWhileDown(watchHealth(exchange), { keep: 'latest' }),
  exhaustMap((side) =>
    exchange.spot.placeStockMarketOrder({ market, side, amount: '0.01' }, { validForMs: 500 }).pipe(
      catchError((error: unknown) => {
        if (!isExchangeError(error) || isUndecided(error)) throw error; // stop, and look: see docs/orders.md
        console.warn(error.message); // nothing was placed
        return EMPTY;
      }),
    ),
  ),
);

order$.pipe(take(5)).subscribe((order) => console.log(order.side, order.deal_stock, 'for', order.deal_money, isFilled(order)));
