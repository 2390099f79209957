// Several orders in one request: each is one order of its own. After a lost response each is looked up, and only an order
// that is proven absent is sent again.
import { Subscription } from 'rxjs';
import { isKnownNotPlaced } from './at-most-once.js';
import type { OrderCall, OrderCallObserver, OrderClient, OrderLimits } from './placed-order.js';
import type { BulkEntry, BulkOrderEndpoint, Endpoint, WireFields } from '../endpoints/define-endpoint.js';
import { errorForAnother, isExchangeError, RequestError } from '../errors/index.js';

/** An order that waits for its request. */
interface Waiting<Output> {
  /** Place of the order among all. */
  readonly index: number;
  readonly fields: WireFields;
  readonly isOfAnother: (output: unknown) => boolean;
  readonly startedAt: number;
  readonly observer: OrderCallObserver<Output>;
  readonly run: Subscription;
}

/** The requests of several orders: the orders whose attempts start in one turn go in one request. */
export class BulkRequests<Output, Limits extends OrderLimits> {
  /** The endpoint of one order, under the name of that of all. */
  readonly item: Endpoint<never, Output>;
  readonly #client: OrderClient<Limits>;
  readonly #endpoint: BulkOrderEndpoint<never, Output>;
  readonly #fields: WireFields;
  readonly #limits: Limits;
  readonly #stopsOnFail: boolean;
  #created = 0;
  #waiting: Waiting<Output>[] = [];

  /** @param fields those of the request beside its orders */
  constructor(
    client: OrderClient<Limits>,
    endpoint: BulkOrderEndpoint<never, Output>,
    fields: WireFields,
    limits: Limits,
  ) {
    const { item, name, rateLimits } = endpoint;
    this.item = { ...item, name, rateLimits };
    this.#client = client;
    this.#endpoint = endpoint;
    this.#fields = fields;
    this.#limits = limits;
    this.#stopsOnFail = fields['stopOnFail'] === true;
  }

  /** The call that places one of the orders. Call it for each, in their order. */
  createCall(fields: WireFields, isOfAnother: (output: unknown) => boolean): OrderCall<Output> {
    const own = this.#client.createCall(this.item, fields, this.#limits, isOfAnother);
    const index = this.#created;
    this.#created += 1;
    let startedAt = 0;
    return {
      number: own.number,
      start: () => {
        startedAt = performance.now();
        own.start(startedAt);
      },
      // A request that is known not to have been executed is retried by itself. With stopOnFail an order depends on those
      // before it: sent again, it could be placed although one of them was not.
      retryLoop: () =>
        own.retryLoop((error) => !this.#stopsOnFail && isExchangeError(error) && error.kind === 'not-placed'),
      send: (observer, run) => {
        this.#add({ index, fields, isOfAnother, startedAt, observer, run });
      },
    };
  }

  #add(order: Waiting<Output>): void {
    this.#waiting.push(order);
    if (this.#waiting.length > 1) return;
    queueMicrotask(() => {
      const arrived = this.#waiting.filter(({ run }) => !run.closed).sort((one, other) => one.index - other.index);
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
    const fields = { ...this.#fields, orders: orders.map((order) => order.fields) };
    const call = this.#client.createCall(this.#endpoint, fields, this.#limits, (entries) =>
      orders.some(({ isOfAnother }, index) => isOfAnother(entryAt(entries, index).result)),
    );
    call.start(Math.min(...orders.map(({ startedAt }) => startedAt)));
    const run = endOfAll(orders.map((order) => order.run));
    const retries = call.retryLoop((error) => !this.#stopsOnFail && isKnownNotPlaced(error));
    const fail = (error: unknown) => {
      for (const { observer } of orders) observer.onError(isExchangeError(error) ? errorForAnother(error) : error);
    };
    const again = () => {
      call.send(
        {
          onSent: (nonce) => {
            for (const { observer } of orders) observer.onSent(nonce);
          },
          onOutput: (entries, response) => {
            for (const [index, { observer }] of orders.entries()) {
              const { result, error } = entryAt<Output>(entries, index);
              if (result === undefined) observer.onError(response.errorOf(error));
              else observer.onOutput(result, response);
            }
          },
          onRetry: () => undefined,
          onError: (error) => {
            // Now, because the caller may unsubscribe during the wait: the orders are in doubt no longer.
            if (isExchangeError(error) && isKnownNotPlaced(error))
              for (const { observer } of orders) observer.onRetry(error);
            const retry = () => {
              // An order that ended before its request was found by its push: the request must not have it again.
              if (orders.some((order) => order.run.closed)) fail(error);
              else again();
            };
            retries.afterError(error, { run, again: retry, fail });
          },
        },
        run,
      );
    };
    again();
  }
}

/** Ends when the last of these ends: a request that no order waits for is aborted. */
function endOfAll(runs: readonly Subscription[]): Subscription {
  const all = new Subscription();
  let left = runs.length;
  for (const run of runs) {
    run.add(() => {
      left -= 1;
      if (left === 0) all.unsubscribe();
    });
  }
  return all;
}

/** An entry of a response, which the schema of a user's own endpoint may have made of anything. */
function entryAt<Output>(entries: unknown, index: number): BulkEntry<Output> {
  const list: readonly BulkEntry<Output>[] = Array.isArray(entries) ? entries : [];
  return list[index] ?? {};
}
