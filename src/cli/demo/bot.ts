// The bot of the demo: buys below the average of its recent prices and sells above it, several times a second. Every
// eighth order is a quote far from the market, which it cancels.
import {
  catchError,
  interval,
  map,
  mergeMap,
  mergeScan,
  of,
  startWith,
  takeUntil,
  throwError,
  type Observable,
} from 'rxjs';
import { isExchangeError } from '../../errors/index.js';
import type { Exchange } from '../../exchange.js';
import { decimal } from '../../model/decimal.js';
import { isFilled, type Order, type OrderSide } from '../../model/order.js';

const market = 'BTC_USDT';
const everyMs = 120;
const averagedPrices = 12;
/** One in this many orders is a quote. */
const quoteEvery = 8;

/** Result of one decision. */
export type Trade =
  { readonly kind: 'order' | 'quote'; readonly order: Order } | { readonly kind: 'failure'; readonly message: string };

export interface BotState {
  readonly trades: readonly Trade[];
  /** Average prices of its fills, oldest first. */
  readonly prices: readonly number[];
}

const idle: BotState = { trades: [], prices: [] };

/** Trades until `stop$` emits, one decision at a time. An order in flight at that time is awaited. */
export function trade(exchange: Exchange, stop$: Observable<unknown>): Observable<BotState> {
  return interval(everyMs).pipe(
    takeUntil(stop$),
    mergeScan((state, turn) => decide(exchange, state, turn).pipe(map((result) => withResult(state, result))), idle, 1),
    startWith(idle),
  );
}

function decide(exchange: Exchange, { prices }: BotState, turn: number): Observable<Trade> {
  return turn % quoteEvery === quoteEvery - 1 ? quote(exchange) : marketOrder(exchange, sideFor(prices, turn));
}

function withResult({ trades, prices }: BotState, result: Trade): BotState {
  const price = result.kind === 'order' && isFilled(result.order) ? priceOf(result.order) : undefined;
  return { trades: [...trades, result], prices: price === undefined ? prices : [...prices, price] };
}

/** Buys below the average. Until there are enough prices for an average, sides alternate. */
function sideFor(prices: readonly number[], turn: number): OrderSide {
  const recent = prices.slice(-averagedPrices);
  const last = recent.at(-1);
  if (last === undefined || recent.length < averagedPrices) return turn % 2 === 0 ? 'buy' : 'sell';
  const average = recent.reduce((sum, price) => sum + price, 0) / recent.length;
  return last < average ? 'buy' : 'sell';
}

/** One order even when its response is lost: the client looks it up before it sends it again. */
function marketOrder({ spot }: Exchange, side: OrderSide): Observable<Trade> {
  return spot.placeStockMarketOrder({ market, side, amount: '0.01' }).pipe(
    map((order): Trade => ({ kind: 'order', order })),
    catchError(toFailure),
  );
}

/** A post-only bid far below the market, canceled immediately. */
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

function priceOf({ deal_money, deal_stock }: Order): number | undefined {
  if (deal_money === undefined || deal_stock === undefined) return undefined;
  return decimal(deal_money).dividedBy(deal_stock).toNumber();
}
