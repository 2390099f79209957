// The bot: buys below the average of its last prices and sells above it, a few times a second, and quotes far from the
// market now and then.
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
const averageOver = 12;
/** Every so many orders, a quote is placed and canceled instead. */
const quoteEvery = 8;

/** What came of one decision. */
export type Trade =
  { readonly kind: 'order' | 'quote'; readonly order: Order } | { readonly kind: 'failure'; readonly message: string };

/** What the bot has done so far. */
export interface BotState {
  readonly trades: readonly Trade[];
  /** Average prices of its fills, oldest first. */
  readonly prices: readonly number[];
}

const idle: BotState = { trades: [], prices: [] };

/** Trades until `stop$` emits, one decision after the other; what is on its way then is still followed to its end. */
export function trade(exchange: Exchange, stop$: Observable<unknown>): Observable<BotState> {
  return interval(everyMs).pipe(
    takeUntil(stop$),
    mergeScan((state, turn) => decide(exchange, state, turn).pipe(map((done) => after(state, done))), idle, 1),
    startWith(idle),
  );
}

function decide(exchange: Exchange, { prices }: BotState, turn: number): Observable<Trade> {
  return turn % quoteEvery === quoteEvery - 1 ? quote(exchange) : marketOrder(exchange, sideFor(prices, turn));
}

function after({ trades, prices }: BotState, done: Trade): BotState {
  const price = done.kind === 'order' && isFilled(done.order) ? priceOf(done.order) : undefined;
  return { trades: [...trades, done], prices: price === undefined ? prices : [...prices, price] };
}

/** Below the average is cheap. Without a trend yet, the sides take turns. */
function sideFor(prices: readonly number[], turn: number): OrderSide {
  const recent = prices.slice(-averageOver);
  const last = recent.at(-1);
  if (last === undefined || recent.length < averageOver) return turn % 2 === 0 ? 'buy' : 'sell';
  const average = recent.reduce((sum, price) => sum + price, 0) / recent.length;
  return last < average ? 'buy' : 'sell';
}

/** However its answer is lost, it is one order: the client looks for it before it sends anything again. */
function marketOrder({ spot }: Exchange, side: OrderSide): Observable<Trade> {
  return spot.placeStockMarketOrder({ market, side, amount: '0.01' }).pipe(
    map((order): Trade => ({ kind: 'order', order })),
    catchError(failed),
  );
}

/** A post-only bid far below the market, canceled at once. */
function quote({ collateral, orders }: Exchange): Observable<Trade> {
  return collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '30000', postOnly: true }).pipe(
    mergeMap(({ order_id }) => orders.cancel({ market, order_id })),
    map((order): Trade => ({ kind: 'quote', order })),
    catchError(failed),
  );
}

function failed(error: unknown): Observable<Trade> {
  return isExchangeError(error) ? of({ kind: 'failure', message: error.message }) : throwError(() => error);
}

function priceOf({ deal_money, deal_stock }: Order): number | undefined {
  if (deal_money === undefined || deal_stock === undefined) return undefined;
  return decimal(deal_money).dividedBy(deal_stock).toNumber();
}
