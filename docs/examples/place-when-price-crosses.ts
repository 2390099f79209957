// Buys once, when the price falls through a threshold. A price that starts below the threshold triggers nothing.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { delay, filter, map, mergeMap, pairwise, take } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';
const threshold = 59_000;

const price$ = exchange.live.orderBook({ market, limit: 1 }).pipe(
  filter(({ status }) => status === 'live'), // not while the book may be outdated
  map((book) => Number(book.bids[0]?.[0])),
  filter((price) => price > 0), // not while there are no bids
);
price$.pipe(take(1), delay(200)).subscribe(() => sandbox.market(market).setPrice('58990')); // the market falls

price$
  .pipe(
    pairwise(),
    filter(([before, now]) => before >= threshold && now < threshold),
    take(1), // before the order: one crossing, one order
    mergeMap(() => exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01' })),
  )
  .subscribe((order) => console.log('bought', order.deal_stock, 'for', order.deal_money));
