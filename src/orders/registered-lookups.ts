// The lookups of one order by its client: an order that was reported for another identifier is not it.
import { EMPTY, filter, map, take, tap, type Observable } from 'rxjs';
import type { SentOrder } from './absence-proof.js';
import type { OrderLookups } from './lookups.js';
import { lookUpOco } from './oco-lookup.js';
import type { OrderDesk } from './order-desk.js';
import { lookUpOrder, type Read, type SearchedOrder } from './order-lookup.js';
import { clockToleranceMs, lookupOptions } from '../call/index.js';
import type { OrderLookup } from '../endpoint/index.js';
import { TransportError } from '../errors/index.js';

/** How the lookups of one order are made. */
export interface RegisteredLookupTerms<Output> {
  /** Name of the endpoint or function, in errors. */
  readonly name: string;
  readonly lookup: OrderLookup<Output> | undefined;
  readonly key: SearchedOrder;
  /** The bound on a request of the call that they are for, milliseconds. */
  readonly timeoutMs: number;
  /** Whether the identifier was generated, so that no other order can have it. */
  readonly isGenerated: boolean;
  readonly whyNoProof: () => string | undefined;
}

export class RegisteredLookups<Output> implements OrderLookups<Output> {
  readonly whyNoProof: () => string | undefined;
  readonly #terms: RegisteredLookupTerms<Output>;
  readonly #desk: Pick<OrderDesk, 'caller' | 'registry'>;

  constructor(terms: RegisteredLookupTerms<Output>, desk: Pick<OrderDesk, 'caller' | 'registry'>) {
    this.whyNoProof = terms.whyNoProof;
    this.#terms = terms;
    this.#desk = desk;
  }

  find({ sentAt, sentAtExchange }: SentOrder): Observable<Output> {
    const { name, lookup, key, timeoutMs, isGenerated } = this.#terms;
    const { caller, registry } = this.#desk;
    const { clock } = caller.desk.identity;
    const options = lookupOptions(timeoutMs);
    const read: Read = (list, params) => caller.call(list, params, options);
    // A clock reading since the request may be wrong, and must not hide the order. No other order has a generated
    // identifier.
    const since = () => (isGenerated ? 0 : Math.min(clock.toExchange(sentAt), sentAtExchange) - clockToleranceMs);
    return lookUp(lookup, read, key, since).pipe(
      take(1),
      tap((order) => {
        if (registry.canBe(key, order)) return;
        const message = 'the lookup found the order of another client_order_id';
        throw new TransportError(message, { endpoint: name, outcome: 'unknown' });
      }),
    );
  }

  readClock(): Observable<unknown> {
    return this.#terms.lookup === undefined ? EMPTY : this.#desk.caller.desk.identity.reading$;
  }
}

function lookUp<Output>(
  lookup: OrderLookup<Output> | undefined,
  read: Read,
  key: SearchedOrder,
  since: () => number,
): Observable<Output> {
  if (lookup === undefined) return EMPTY;
  const output$ =
    lookup.finds === 'order'
      ? lookUpOrder(lookup.lists, read, key, since).pipe(map((order) => lookup.outputOf(order)))
      : lookUpOco(lookup.lists, read, key, since).pipe(map((oco) => lookup.outputOf(oco)));
  return output$.pipe(filter((output) => output !== undefined));
}
