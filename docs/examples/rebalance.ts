// Holds half of the portfolio's value in BTC, and trades the difference when it exceeds one percent.
import { createExchange, roundAmount, type Market, type Order } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { from, map, mergeMap, mergeScan, of, tap, type Observable } from 'rxjs';

const sandbox = createSandbox({ volatility: 0 });
const exchange = createExchange(sandbox.clientOptions());
const market = 'BTC_USDT';

interface Holdings {
  readonly stock: number;
  readonly money: number;
}

// The holdings follow from executions, never from what was requested.
function afterOrder({ stock, money }: Holdings, { side, deal_stock, deal_money, deal_fee }: Order): Holdings {
  const sign = side === 'buy' ? 1 : -1;
  return { stock: stock + sign * Number(deal_stock), money: money - sign * Number(deal_money) - Number(deal_fee) };
}

function rebalance(rules: Market, holdings: Holdings, price: number): Observable<Holdings> {
  const total = holdings.stock * price + holdings.money;
  const missing = total / 2 - holdings.stock * price;
  if (Math.abs(missing) < total * 0.01) return of(holdings);
  const amount = roundAmount(rules, Math.abs(missing) / price);
  return exchange.spot
    .placeStockMarketOrder({ market, side: missing > 0 ? 'buy' : 'sell', amount })
    .pipe(map((order) => afterOrder(holdings, order)));
}

const price$ = from(['60000', '60100', '66000', '54000']).pipe(
  tap((price) => sandbox.market(market).setPrice(price)), // your feed
  map((price) => Number(price)),
);

exchange.public
  .markets()
  .pipe(
    mergeMap((markets) => markets.filter(({ name }) => name === market)),
    // Concurrency 1: each decision uses the result of the order before it. A lost response delays the next decision by
    // up to 30 s, because the order is looked up first.
    mergeMap((rules) =>
      price$.pipe(mergeScan((holdings, price) => rebalance(rules, holdings, price), { stock: 1, money: 60_000 }, 1)),
    ),
  )
  .subscribe(({ stock, money }) => console.log(stock.toFixed(4), 'BTC and', money.toFixed(0), 'USDT'));
