// What the live connection reads over REST, because its pushes do not have it, or may have missed it.
import { catchError, concat, defer, EMPTY, from, map, mergeMap, of, throwError, toArray, type Observable } from 'rxjs';
import type { Client } from './client/index.js';
import type { WireFields } from './endpoint/index.js';
import * as account from './endpoints/account/index.js';
import * as collateral from './endpoints/collateral/index.js';
import * as orders from './endpoints/orders/index.js';
import { markets } from './endpoints/public/index.js';
import { ApiError, RequestError } from './errors/index.js';
import type { ListedOrders, LiveOrder, LiveReads, OrderReads } from './live/index.js';
import { executionPageOf } from './model/deal.js';
import type { HistoricalOrder, Order } from './model/order.js';
import { orderOfHistory } from './model/order-of-history.js';
import { unreadableIn } from './model/unreadable.js';

/** The reads of the live connection of a client. */
export function liveReadsOf(client: Client): Omit<LiveReads, 'hasCredentials' | 'onOrderPushed' | 'historyLagMs'> {
  return {
    readMarketNames: () =>
      client
        .call(markets, { callTimeoutMs: marketsTimeoutMs })
        .pipe(map((list) => (unreadableIn(list) === undefined ? list.map(({ name }) => name) : undefined))),
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

/** Executions that are pushed after a reconnection wait for a page of the history for this time. */
const executionsTimeoutMs = 10_000;

const everyMarket: collateral.OpenPositionsParams = {};

/** The exchange issues 10 tokens a minute: a connection may wait that long for its own. */
const tokenTimeoutMs = 120_000;

/** Subscribers get the orders after a reconnection when they are read. A read that takes longer is retried. */
const ordersTimeoutMs = 30_000;

/** How the live connection reads the orders that pushes may have missed. */
function orderReadsOf(client: Client): OrderReads {
  const options = { callTimeoutMs: ordersTimeoutMs };
  const endedOrder = (order: HistoricalOrder): LiveOrder => ({ ...orderOfHistory(order), mtime: order.ftime });
  const ended = (params: orders.HistoryParams) =>
    client.call(orders.history, params, options).pipe(
      catchError((error: unknown) => whereNoneFound(error, EMPTY)),
      mergeMap((byMarket) => from(Object.values(byMarket).flat().map(endedOrder))),
    );
  return {
    openOrders: (market) =>
      wholeList((noted) =>
        client.listAll({ ...orders.listAllOpen, itemsOf: (page: Order[]) => noted(page) }, { market }, options),
      ),
    endedOrder: ended,
    ordersOf: (key) =>
      concat(
        client.call(orders.open, key, options).pipe(
          mergeMap((open) => from(open)),
          map((order) => ({ order })),
        ),
        ended(key).pipe(map((order) => ({ order, hasEnded: true }))),
      ),
    endedOrders: ({ market, from: since }) =>
      wholeList((noted) => {
        const { listAllHistory } = orders;
        const list = {
          ...listAllHistory,
          itemsOf: (page: orders.OrderHistory) => listAllHistory.itemsOf(noted(page)),
          // Without an end: orders end meanwhile.
          listsOf: ({ since: startDate, ...fields }: WireFields) => [{ ...fields, startDate }],
        };
        const params = { market, since: Math.max(0, Math.floor(since)) };
        return client.listAll(list, params, options).pipe(map(endedOrder));
      }),
  };
}

/**
 * The items of a list that is read page by page. It is whole when every record was readable, and none is left out because
 * the exchange lists no more.
 *
 * @param read reads the pages, and notes each of them
 */
function wholeList<One>(
  read: (noted: <Page extends object>(page: Page) => Page) => Observable<One>,
): Observable<ListedOrders<One>> {
  return defer(() => {
    let isWhole = true;
    const noted = <Page extends object>(page: Page) => {
      isWhole &&= unreadableIn(page) === undefined;
      return page;
    };
    return read(noted).pipe(
      catchError((error: unknown) => {
        const isTooLong = error instanceof RequestError && error.issues.some(({ field }) => field === 'offset');
        isWhole &&= !isTooLong;
        return isTooLong ? EMPTY : whereNoneFound(error, EMPTY);
      }),
      toArray(),
      map((found) => ({ orders: found, isWhole })),
    );
  });
}

/** A history without a record may be an error instead of an empty list. */
function whereNoneFound<Page>(error: unknown, page$: Observable<Page>): Observable<Page> {
  return error instanceof ApiError && error.reason === 'order-not-found' ? page$ : throwError(() => error);
}
