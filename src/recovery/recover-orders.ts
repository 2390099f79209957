// recoverOrders(): determines the outcome of each order that a killed program left without one. Sends no order.
import { catchError, defer, EMPTY, endWith, ignoreElements, map, merge, of, takeWhile, tap, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { isExchangeError, type AnyExchangeError } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import type { Order } from '../model/order.js';
import type { JournaledOrder, OrderJournal } from './order-journal.js';

/** What {@link recoverOrders} needs of a journal: an {@link OrderJournal}, or one of your own. */
export interface PendingOrders extends Pick<OrderJournal, 'pending' | 'placed' | 'record'> {}

/** An order of the journal, with its outcome. */
export type RecoveredOrder = Omit<JournaledOrder, 'state'> &
  (
    | {
        readonly outcome: 'placed';
        /** The order as a list shows it. */
        readonly order: Order;
      }
    | {
        /** `not-placed`: it is proven that the order does not exist. `unknown`: the order may exist. */
        readonly outcome: 'not-placed' | 'unknown';
        readonly error: AnyExchangeError;
      }
  );

/**
 * Looks up every pending order of a journal, all at once, and records each outcome. Emits the orders with their outcomes,
 * then completes. An order that is found takes a request or two; the proof that an order does not exist takes 20 s. An
 * order of outcome `unknown` stays pending: call the function again.
 *
 * A proof of absence needs an order of the same endpoint that is found: the last one that was placed is looked up, too.
 * Before a program has placed its first order of an endpoint, an order that was never sent stays `unknown`.
 *
 * End the program that sent the orders first, and subscribe before you place others. The client must have the key of the
 * account that the journal belongs to.
 *
 * @example
 * ```ts
 * import { OrderJournal, recoverOrders, type Exchange } from 'exchange-rx';
 *
 * const recover = (exchange: Exchange, journal: OrderJournal) =>
 *   recoverOrders(exchange, journal).subscribe(({ client_order_id, outcome }) => console.log(client_order_id, outcome));
 * ```
 */
export function recoverOrders(exchange: Pick<Exchange, 'orders'>, journal: PendingOrders): Observable<RecoveredOrder> {
  const find = ({ client_order_id, market, endpoint }: JournaledOrder) =>
    exchange.orders.find({ client_order_id, market, endpoint });
  const recover = (pending: JournaledOrder): Observable<RecoveredOrder> => {
    const { client_order_id, market, endpoint } = pending;
    const key = { client_order_id, market, endpoint };
    return find(pending).pipe(
      map((order) => ({ ...key, outcome: 'placed', order }) as const),
      catchError((error: unknown) => {
        if (!isExchangeError(error)) return throwError(() => error);
        return of({ ...key, outcome: error.kind === 'not-placed' ? error.kind : 'unknown', error } as const);
      }),
      tap(({ outcome }) => {
        if (outcome !== 'unknown') journal.record({ ...key, state: outcome });
      }),
    );
  };
  return defer(() => {
    const { pending, placed } = journal;
    const witnesses = placed.filter(({ endpoint }) => pending.some((order) => order.endpoint === endpoint));
    const witnesses$ = witnesses.map((witness) =>
      find(witness).pipe(
        ignoreElements(),
        catchError(() => EMPTY),
      ),
    );
    // The end of the last lookup ends those of the witnesses.
    const recovered$ = merge(...pending.map(recover)).pipe(endWith(undefined));
    return merge(...witnesses$, recovered$).pipe(takeWhile((recovered) => recovered !== undefined));
  });
}
