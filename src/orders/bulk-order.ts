// Several orders in one request: their results, in one value.
import { Observable } from 'rxjs';
import { toExchangeError, type AnyExchangeError, type Outcome } from '../errors/index.js';

/** The result of one order of several: it was placed, or it failed with a known or an unknown outcome. */
export type BulkOrderResult<Output> =
  | {
      /** The identifier of the order: the caller's, or a generated one. */
      readonly client_order_id: string;
      readonly outcome: 'placed';
      /** The order as the exchange placed it. */
      readonly order: Output;
    }
  | {
      /** The identifier of the order: the caller's, or a generated one. */
      readonly client_order_id: string;
      /** As the outcome of an error: only `unknown` leaves it open whether the order was placed. */
      readonly outcome: Exclude<Outcome, 'none'>;
      /** Why the order was not placed, or why its outcome is unknown. */
      readonly error: AnyExchangeError;
    };

/** An observable of several orders: it places each at most once, whatever is piped around it. */
export interface BulkOrderObservable<Output> extends Observable<readonly BulkOrderResult<Output>[]> {
  /**
   * The identifiers of the orders, in their order. Write them down before subscribing, to find the orders after a
   * restart.
   */
  readonly client_order_ids: readonly string[];
}

/** One order of several. */
export interface BulkItem<Output> {
  readonly client_order_id: string;
  readonly order$: Observable<Output>;
}

/**
 * The results of all orders, in one value. A subscription after it continues with the orders of unknown outcome only:
 * the results of all others stand.
 */
export function bulkResults<Output>(
  endpoint: string,
  items: readonly BulkItem<Output>[],
): Observable<readonly BulkOrderResult<Output>[]> {
  const results = new Map<BulkItem<Output>, BulkOrderResult<Output>>();
  const isOpen = (item: BulkItem<Output>) => (results.get(item)?.outcome ?? 'unknown') === 'unknown';

  return new Observable((subscriber) => {
    const open = items.filter(isOpen);
    let left = open.length;
    const emitAtEnd = () => {
      if (left > 0) return;
      subscriber.next(items.map((item) => results.get(item)).filter((result) => result !== undefined));
      subscriber.complete();
    };
    const decide = (item: BulkItem<Output>, result: BulkOrderResult<Output>) => {
      results.set(item, result);
      left -= 1;
      emitAtEnd();
    };
    if (left === 0) emitAtEnd();
    for (const item of open) {
      const { client_order_id, order$ } = item;
      const order = order$.subscribe({
        next: (placed) => {
          decide(item, { client_order_id, outcome: 'placed', order: placed });
        },
        error: (thrown: unknown) => {
          const error = toExchangeError(thrown, endpoint, 'unknown');
          decide(item, { client_order_id, outcome: error.outcome === 'none' ? 'unknown' : error.outcome, error });
        },
      });
      subscriber.add(order);
    }
  });
}
