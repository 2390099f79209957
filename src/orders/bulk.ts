// Several orders in one request: each is one order of its own. After a lost response each is looked up, and only an order
// that is proven absent is sent again.
import { catchError, defer, forkJoin, map, Observable, of, Subscription, tap } from 'rxjs';
import type { OrderToPlace } from './place-order.js';
import {
  Attempt,
  bulk,
  Call,
  isRefusedNonce,
  isTransient,
  noKeeper,
  Run,
  type AttemptObserver,
  type CallLimits,
  type Caller,
  type Keeper,
  type Premises,
  type StartAttempt,
} from '../call/index.js';
import type {
  BulkEntry,
  BulkOrderEndpoint,
  BulkOrderResult,
  Endpoint,
  OrderObservable,
  WireFields,
} from '../endpoint/index.js';
import {
  isExchangeError,
  RequestError,
  toExchangeError,
  TransportError,
  type AnyExchangeError,
} from '../errors/index.js';

/** An order that waits for its request, or for the response to it. */
interface Waiting<Output> {
  readonly index: number;
  readonly order: OrderToPlace<Output>;
  readonly observer: AttemptObserver<Output>;
  hasEnded: boolean;
  /** Called when the order ends before its request. */
  onEnd: () => void;
}

/** The requests of several orders: the orders whose attempts start in one turn go in one request. */
export class BulkRequests<Output> {
  /** The endpoint of one order, under the name of that of all. */
  readonly item: Endpoint<never, Output>;
  readonly limits: CallLimits;
  readonly #caller: Caller;
  readonly #endpoint: BulkOrderEndpoint<never, Output>;
  readonly #fields: WireFields;
  readonly #stopsOnFail: boolean;
  #waiting: Waiting<Output>[] = [];

  /** @param fields those of the request beside its orders */
  constructor(caller: Caller, endpoint: BulkOrderEndpoint<never, Output>, fields: WireFields, limits: CallLimits) {
    const { item, name, rateLimits } = endpoint;
    this.item = { ...item, name, rateLimits };
    this.#caller = caller;
    this.#endpoint = endpoint;
    this.#fields = fields;
    this.#stopsOnFail = fields['stopOnFail'] === true;
    // With stopOnFail an order depends on those before it: sent again, it could be placed although one of them was not.
    this.limits = this.#stopsOnFail ? { ...limits, isRetried: false } : limits;
  }

  /** How one of the orders is sent: with those that start in the same turn. */
  starting(index: number, order: OrderToPlace<Output>): StartAttempt<Output> {
    return (observer) => {
      const waiting: Waiting<Output> = { index, order, observer, hasEnded: false, onEnd: () => undefined };
      return {
        start: () => {
          this.#add(waiting);
        },
        unsubscribe: () => {
          waiting.hasEnded = true;
          waiting.onEnd();
        },
      };
    };
  }

  #add(order: Waiting<Output>): void {
    this.#waiting.push(order);
    queueMicrotask(() => {
      const arrived = this.#waiting.filter(({ hasEnded }) => !hasEnded);
      this.#waiting = [];
      const orders = this.#stopsOnFail ? arrived.filter(({ index }, place) => index === place) : arrived;
      for (const { observer } of arrived.slice(orders.length)) observer.onError(this.#notSent());
      if (orders.length > 0) this.#send(orders);
    });
  }

  #notSent(): RequestError {
    const message = 'has stopped at an order before this one, which was not sent';
    return new RequestError(this.#endpoint.name, [{ field: 'stopOnFail', message }]);
  }

  /** A request that is known not to have been executed is retried for all of its orders at once. */
  #send(orders: readonly Waiting<Output>[]): void {
    const { desk } = this.#caller;
    const fields = { ...this.#fields, orders: orders.map(({ order }) => order.fields) };
    const call = new Call(desk, this.#endpoint, fields, this.limits, (entries, nonce) =>
      orders.some(({ order }, index) => order.call.isOfAnother?.(entryAt(entries, index).result, nonce)),
    );
    // An order that ended before its request was found by its push: the request must not have it again.
    const begin = () => ({ isCurrent: () => !orders.some(({ hasEnded }) => hasEnded) });
    const keeper: Keeper<readonly BulkEntry<Output>[]> = { ...noKeeper, begin };
    const { name } = this.#endpoint;
    const premises: Premises = { endpoint: name, kind: bulk, limits: this.limits };
    const start: StartAttempt<readonly BulkEntry<Output>[]> = (observer) =>
      new Attempt(call, fanOut(name, orders, observer));
    const run = new Run(call, premises, keeper, start);
    const sending = new Subscription();
    let left = orders.length;
    for (const order of orders)
      order.onEnd = () => {
        left -= 1;
        // A request that no order waits for is aborted.
        if (left === 0) sending.unsubscribe();
      };
    const entries$ = new Observable<readonly BulkEntry<Output>[]>((subscriber) => {
      run.subscribe(subscriber, Math.min(...orders.map(({ order }) => order.call.startedAt)));
    });
    sending.add(
      entries$.subscribe({
        error: (error: unknown) => {
          for (const { observer, hasEnded } of orders) if (!hasEnded) observer.onError(error);
        },
      }),
    );
  }
}

/** Gives each order what happens to its request. */
function fanOut<Output>(
  endpoint: string,
  orders: readonly Waiting<Output>[],
  run: AttemptObserver<readonly BulkEntry<Output>[]>,
): AttemptObserver<readonly BulkEntry<Output>[]> {
  const each = (tell: (observer: AttemptObserver<Output>, index: number) => void) => {
    for (const [index, order] of orders.entries()) if (!order.hasEnded) tell(order.observer, index);
  };
  return {
    onSent: (sent) => {
      run.onSent(sent);
      each((observer) => {
        observer.onSent(sent);
      });
      // Such as by its push, while the request waited for its permit.
      const message = 'was not sent, because another order of its request has ended';
      return orders.some(({ hasEnded }) => hasEnded)
        ? new TransportError(message, { endpoint, outcome: 'not-executed' })
        : undefined;
    },
    onOutput: (entries, errorOf) => {
      each((observer, index) => {
        const { result, error } = entryAt<Output>(entries, index);
        if (result === undefined) observer.onError(errorOf(error));
        else observer.onOutput(result, errorOf);
      });
      run.onOutput(entries, errorOf);
    },
    onWithdrawn: () => undefined,
    onError: (error) => {
      // Now, because the caller may unsubscribe during the wait: the orders are in doubt no longer.
      if (isExchangeError(error) && isNotExecuted(error))
        each((observer) => {
          observer.onWithdrawn(error);
        });
      run.onError(error);
    },
  };
}

function isNotExecuted(error: AnyExchangeError): boolean {
  return error.outcome !== 'unknown' && (isRefusedNonce(error) || isTransient(error));
}

/** An entry of a response, which the schema of a user's own endpoint may have made of anything. */
function entryAt<Output>(entries: unknown, index: number): BulkEntry<Output> {
  const list: readonly BulkEntry<Output>[] = Array.isArray(entries) ? entries : [];
  return list[index] ?? {};
}

/** All results in one value. A subscription after it continues with the orders of unknown outcome only. */
export function bulkResults<Output>(
  endpoint: string,
  items: readonly OrderObservable<Output>[],
): Observable<readonly BulkOrderResult<Output>[]> {
  const results = new Map<Observable<Output>, BulkOrderResult<Output>>();
  const resultOf = (item: OrderObservable<Output>): Observable<BulkOrderResult<Output>> => {
    const known = results.get(item);
    if (known !== undefined && known.outcome !== 'unknown') return of(known);
    const { client_order_id } = item;
    return item.pipe(
      map((order) => ({ client_order_id, outcome: 'placed', order }) as const),
      catchError((thrown: unknown) => {
        const error = toExchangeError(thrown, endpoint, 'unknown');
        const { outcome } = error;
        return of({ client_order_id, outcome: outcome === 'none' ? 'unknown' : outcome, error } as const);
      }),
      tap((result) => results.set(item, result)),
    );
  };
  // A concurrent subscriber may have found an order since.
  return defer(() => forkJoin(items.map(resultOf))).pipe(map(() => items.flatMap((item) => results.get(item) ?? [])));
}
