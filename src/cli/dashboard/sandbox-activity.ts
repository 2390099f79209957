// Activity on the embedded exchange, for a dashboard without another exchange: two positions, orders that rest, quotes
// around the price, and small trades.
import {
  concatMap,
  defer,
  EMPTY,
  exhaustMap,
  filter,
  forkJoin,
  from,
  ignoreElements,
  interval,
  merge,
  mergeMap,
  repeat,
  retry,
  take,
  timer,
  type Observable,
} from 'rxjs';
import type { Exchange } from '../../exchange.js';
import type { SandboxOptions } from '../../sandbox/index.js';
import { untilRefused } from './parts/freshness.js';

export const sandboxOptions = {
  volatility: 0.00006,
  markets: [
    { name: 'BTC_USDT', price: '60000', depth: { levels: 100, step: 0.00003, size: '0.5' } },
    { name: 'BTC_PERP', price: '60000', stockPrec: 4, moneyPrec: 1 },
    { name: 'ETH_USDT', price: '3000', stockPrec: 5, minAmount: '0.001' },
    { name: 'ETH_PERP', price: '3000', stockPrec: 3, minAmount: '0.001' },
    { name: 'SOL_USDT', price: '140', stockPrec: 3, minAmount: '0.01', moneyPrec: 3 },
    { name: 'XRP_USDT', price: '0.58', stockPrec: 2, minAmount: '1', moneyPrec: 5 },
    { name: 'LTC_USDT', price: '71', stockPrec: 4, minAmount: '0.01' },
    { name: 'XLM_USDT', price: '0.094', stockPrec: 1, minAmount: '1', moneyPrec: 6 },
    { name: 'DOGE_USDT', price: '0.124', stockPrec: 1, minAmount: '1', moneyPrec: 5 },
  ],
  accounts: [
    {
      name: 'main',
      balances: {
        main: { USDT: '25073.5', XLM: '15975.2118' },
        trade: { USDT: '57807.84', BTC: '0.7312', ETH: '4.0249' },
        collateral: { USDT: '12664.85' },
      },
    },
  ],
} satisfies SandboxOptions;

const market = 'BTC_USDT';
const tradeEveryMs = 4000;
/** A page that plans to cancel everything meets the same orders when it is confirmed. */
const quoteForMs = 20_000;
const [quoteDistance, gridDistances] = [0.0004, [0.003, 0.006, 0.012]];

export function sandboxActivity(exchange: Exchange): Observable<never> {
  const { collateral, spot } = exchange;
  // An order whose outcome stays unknown is not retried: another one is placed while no position is open.
  const position = (order: { readonly market: string; readonly side: 'buy' | 'sell'; readonly amount: string }) =>
    collateral.openPositions({ market: order.market }).pipe(
      mergeMap(({ length }) => (length === 0 ? collateral.placeMarketOrder(order) : EMPTY)),
      retry({ count: 10, delay: 2000 }),
      untilRefused(),
    );
  const positions$ = merge(
    position({ market: 'BTC_PERP', side: 'buy', amount: '0.25' }),
    position({ market: 'ETH_PERP', side: 'sell', amount: '3.2' }),
  );
  const grid$ = midOf(exchange).pipe(
    mergeMap((mid) => from(gridDistances.map((distance) => (mid * (1 - distance)).toFixed(2)))),
    concatMap((price) => spot.placeLimitOrder({ market, side: 'buy', amount: '0.25', price })),
    untilRefused(),
  );
  const quotes$ = defer(() => quote(exchange)).pipe(untilRefused(), repeat({ delay: 1000 }));
  const trades$ = interval(tradeEveryMs).pipe(
    exhaustMap((turn) =>
      spot
        .placeStockMarketOrder({ market, side: turn % 2 === 0 ? 'buy' : 'sell', amount: amounts[turn % 5] ?? '0.01' })
        .pipe(untilRefused()),
    ),
  );
  return merge(positions$, grid$, quotes$, trades$).pipe(ignoreElements());
}

const amounts = ['0.0131', '0.004', '0.0262', '0.0087', '0.0175'];

function quote(exchange: Exchange): Observable<unknown> {
  const { orders, spot } = exchange;
  return midOf(exchange).pipe(
    mergeMap((mid) => {
      const priceAt = (share: number) => (mid * (1 + share)).toFixed(2);
      return forkJoin([
        spot.placeLimitOrder({ market, side: 'buy', amount: '0.04', price: priceAt(-quoteDistance) }),
        spot.placeLimitOrder({ market, side: 'sell', amount: '0.1', price: priceAt(quoteDistance) }),
      ]);
    }),
    mergeMap((placed) =>
      timer(quoteForMs).pipe(
        // One that was filled, or canceled by the page, is not open any more.
        mergeMap(() => orders.open({ market }).pipe(retry({ count: 10, delay: 2000 }))),
        mergeMap((open) => open.filter((order) => placed.some(({ order_id }) => order_id === order.order_id))),
        mergeMap(({ order_id }) => orders.cancel({ market, order_id }).pipe(untilRefused())),
      ),
    ),
  );
}

function midOf({ live }: Exchange): Observable<number> {
  return live.orderBook({ market, limit: 1 }).pipe(
    mergeMap(({ bids: [bid], asks: [ask] }) =>
      bid === undefined || ask === undefined ? EMPTY : [(Number(bid[0]) + Number(ask[0])) / 2],
    ),
    filter((mid) => mid > 0),
    take(1),
  );
}
