// Several orders in one request: their results, in one value.
import { Observable } from 'rxjs';
import type { BulkOrderResult } from '../endpoint/index.js';
import { toExchangeError } from '../errors/index.js';

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
