// The bot of the demo: buys below the average of the market's recent prices and sells above it, several times a second.
// Every eighth order is a quote far from the market, which it cancels. Without a current order book it does nothing.
import {
  catchError,
  exhaustMap,
  filter,
  interval,
  map,
  mergeMap,
  of,
  scan,
  startWith,
  takeUntil,
  throwError,
  withLatestFrom,
  type Observable,
} from 'rxjs';
import { isExchangeError } from '../../errors/index.js';
import type { Exchange } from '../../exchange.js';
import type { LiveOrderBook } from '../../live/index.js';
import type { Order, OrderSide } from '../../model/order.js';

export const market = 'BTC_USDT';
const everyMs = 120;
const averagedPrices = 12;
const quoteEvery = 8;

export type Trade =
  { readonly kind: 'order' | 'quote'; readonly order: Order } | { readonly kind: 'failure'; readonly message: string };

export interface BotState {
  readonly trades: readonly Trade[];
  readonly prices: readonly number[];
}

const idle: BotState = { trades: [], prices: [] };

/**
 * Trades until `stop$` emits, one decision at a time: while an order is in flight, or looked up, none is made. An order
 * in flight at the end is awaited.
 */
export function trade(
  exchange: Exchange,
  book$: Observable<LiveOrderBook | undefined>,
  stop$: Observable<unknown>,
): Observable<BotState> {
  const prices$ = book$.pipe(map(priceOf), scan(withPrice, []));
  return interval(everyMs).pipe(
    withLatestFrom(prices$),
    takeUntil(stop$),
    filter(([, prices]) => prices.length > 0),
    // Its own count: ticks of the interval are dropped while a decision runs, and quotes would be with them.
    exhaustMap(([, prices], turn) => decide(exchange, prices, turn).pipe(map((result) => ({ result, prices })))),
    scan(({ trades }, { result, prices }): BotState => ({ trades: [...trades, result], prices }), idle),
    startWith(idle),
  );
}

function priceOf(book: LiveOrderBook | undefined): number | undefined {
  const [bid, ask] = [book?.bids[0], book?.asks[0]];
  if (book?.status !== 'live' || bid === undefined || ask === undefined) return undefined;
  return (Number(bid[0]) + Number(ask[0])) / 2;
}

/** Without a current price there is no average, either. */
function withPrice(prices: readonly number[], price: number | undefined): readonly number[] {
  return price === undefined ? [] : [...prices, price].slice(-averagedPrices);
}

function decide(exchange: Exchange, prices: readonly number[], turn: number): Observable<Trade> {
  return turn % quoteEvery === quoteEvery - 1 ? quote(exchange) : marketOrder(exchange, sideFor(prices, turn));
}

function sideFor(prices: readonly number[], turn: number): OrderSide {
  const last = prices.at(-1);
  if (last === undefined || prices.length < averagedPrices) return turn % 2 === 0 ? 'buy' : 'sell';
  const average = prices.reduce((sum, price) => sum + price, 0) / prices.length;
  return last < average ? 'buy' : 'sell';
}

function marketOrder({ spot }: Exchange, side: OrderSide): Observable<Trade> {
  return spot.placeStockMarketOrder({ market, side, amount: '0.01' }).pipe(
    map((order): Trade => ({ kind: 'order', order })),
    catchError(toFailure),
  );
}

function quote({ collateral, orders }: Exchange): Observable<Trade> {
  return collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '30000', postOnly: true }).pipe(
    mergeMap(({ order_id }) => orders.cancel({ market, order_id })),
    map((order): Trade => ({ kind: 'quote', order })),
    catchError(toFailure),
  );
}

function toFailure(error: unknown): Observable<Trade> {
  return isExchangeError(error) ? of({ kind: 'failure', message: error.message }) : throwError(() => error);
}
