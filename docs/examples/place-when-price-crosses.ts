// Buys once, when the price falls through a threshold. That it crosses counts, not that it is below.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { filter, firstValueFrom, interval, map, mergeMap, pairwise, take } from 'rxjs';

const sandbox = createSandbox();
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';
const threshold = 59_000;
const price$ = interval(20).pipe(map(() => Number(sandbox.market(market).price()))); // your feed
setTimeout(() => {
  sandbox.market(market).setPrice('58990');
}, 200);

const order = await firstValueFrom(
  price$.pipe(
    pairwise(),
    filter(([before, now]) => before >= threshold && now < threshold),
    take(1), // one crossing, one order: `firstValueFrom` alone would leave as soon as there is one
    mergeMap(() => exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01' })),
  ),
);
console.log('bought', order.deal_stock, 'for', order.deal_money);
