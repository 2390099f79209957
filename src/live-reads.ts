// What the live connection reads over REST, because its pushes do not have it, or may have missed it.
import { catchError, concat, EMPTY, expand, from, map, mergeMap, of, throwError, toArray, type Observable } from 'rxjs';
import type { Client } from './client/index.js';
import * as account from './endpoints/account/index.js';
import * as collateral from './endpoints/collateral/index.js';
import * as orders from './endpoints/orders/index.js';
import { markets, recentTrades } from './endpoints/public/index.js';
import { ApiError } from './errors/index.js';
import type { LiveOrder, LiveReads, OrderReads } from './live/index.js';
import { executionPageOf } from './model/execution.js';
import type { HistoricalOrder } from './model/order.js';
import { orderOfHistory } from './model/order-of-history.js';
import { maxOffset, maxPageSize } from './model/paging.js';
import { unreadableIn } from './model/unreadable.js';

/** The reads of the live connection of a client. */
export function liveReadsOf(client: Client): Omit<LiveReads, 'hasCredentials' | 'onOrderPushed' | 'historyLagMs'> {
  return {
    readMarketNames: () =>
      client
        .call(markets, { callTimeoutMs: marketsTimeoutMs })
        .pipe(map((list) => (unreadableIn(list) === undefined ? list.map(({ name }) => name) : undefined))),
    readRecentTrades: (market) =>
      client.call(recentTrades, { market }, { callTimeoutMs: recentTradesTimeoutMs }).pipe(
        map((page) => ({
          // The name of the amount says the opposite, see `Trade`. The newest trade is listed first.
          trades: page
            .toReversed()
            .map(({ tradeID: id, trade_timestamp: time, price, quote_volume: amount, ...trade }) => ({
              ...{ id, time, price, amount },
              ...(trade.type === undefined ? {} : { type: trade.type }),
              ...(trade.rpi === undefined ? {} : { rpi: trade.rpi }),
            })),
          unreadable: unreadableIn(page)?.count ?? 0,
        })),
      ),
    readPositions: () => client.call(collateral.openPositions, everyMarket),
    readAdlQuantiles: () => client.call(collateral.adlQuantiles),
    readToken: () =>
      client
        .call(account.websocketToken, { callTimeoutMs: tokenTimeoutMs })
        .pipe(map(({ websocket_token }) => websocket_token)),
    readExecutions: (query) =>
      client.call(orders.dealsByMarket, query, { callTimeoutMs: executionsTimeoutMs }).pipe(
        map(executionPageOf),
        catchError((error: unknown) => whereNoneFound(error, of({ executions: [], unreadable: 0 }))),
      ),
    orderReads: orderReadsOf(client),
  };
}

/** The first subscription to a market waits for the list of markets, and goes on without it after this time. */
const marketsTimeoutMs = 3000;

/** Subscribers get the trades after a reconnection when those in between are read, or after this time. */
const recentTradesTimeoutMs = 10_000;

/** Executions that are pushed after a reconnection wait for a page of the history for this time. */
const executionsTimeoutMs = 10_000;

const everyMarket: collateral.OpenPositionsParams = {};

/** The exchange issues 10 tokens a minute: a connection may wait that long for its own. */
const tokenTimeoutMs = 120_000;

/** Subscribers get the orders after a reconnection when they are read. A read that takes longer is retried. */
const ordersTimeoutMs = 30_000;
/** Maximum number of orders in a response of the history. */
const historyPage = 500;

/** How the live connection reads the orders that pushes may have missed. */
function orderReadsOf(client: Client): OrderReads {
  const options = { callTimeoutMs: ordersTimeoutMs };
  const history = (params: orders.HistoryParams) =>
    client.call(orders.history, params, options).pipe(
      map((byMarket) => ({ orders: Object.values(byMarket).flat(), unreadable: unreadableIn(byMarket)?.count ?? 0 })),
      catchError((error: unknown) => whereNoneFound(error, EMPTY)),
    );
  const endedOrder = (order: HistoricalOrder): LiveOrder => ({ ...orderOfHistory(order), mtime: order.ftime });
  return {
    openOrders: (page) => client.call(orders.open, page, options),
    endedOrder: (key) => history(key).pipe(mergeMap((found) => from(found.orders.map(endedOrder)))),
    ordersOf: (key) =>
      concat(
        client.call(orders.open, key, options).pipe(
          mergeMap((open) => from(open)),
          map((order) => ({ order, via: 'request' }) as const),
        ),
        history(key).pipe(
          mergeMap((found) => from(found.orders)),
          map((order) => ({ order: endedOrder(order), via: 'request', hasEnded: true }) as const),
        ),
      ),
    endedOrders: ({ market, from: since }) => {
      // A server that keeps to the former maximum has more, although a page is shorter than requested.
      const pageAt = (offset: number) =>
        history({ market, startDate: Math.max(0, Math.floor(since)), limit: historyPage, offset }).pipe(
          map(({ orders: found, unreadable }) => ({ found, unreadable, next: offset + found.length + unreadable })),
          map((page) => ({ ...page, isLast: page.next - offset < maxPageSize })),
        );
      // Orders that end meanwhile are before the others: a later page may list an order again, and leaves none out.
      return pageAt(0).pipe(
        expand(({ isLast, next }) => (isLast || next > maxOffset ? EMPTY : pageAt(next))),
        toArray(),
        map((pages) => ({
          orders: pages.flatMap(({ found }) => found.map(endedOrder)),
          isWhole: (pages.at(-1)?.isLast ?? true) && pages.every(({ unreadable }) => unreadable === 0),
        })),
      );
    },
  };
}

/** A history without a record may be an error instead of an empty list. */
function whereNoneFound<Page>(error: unknown, page$: Observable<Page>): Observable<Page> {
  return error instanceof ApiError && error.reason === 'order-not-found' ? page$ : throwError(() => error);
}
