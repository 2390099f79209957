// The lookups of one order by its client: an order that was reported for another identifier is not it.
import { EMPTY, take, tap, type Observable } from 'rxjs';
import type { SentOrder } from './absence-proof.js';
import type { OrderLookups } from './lookups.js';
import type { OrderDesk } from './order-desk.js';
import { clockToleranceMs, lookupOptions } from '../call/index.js';
import type { Endpoint, OrderKey, OrderLookup } from '../endpoint/index.js';
import { TransportError } from '../errors/index.js';

/** How the lookups of one order are made. */
export interface RegisteredLookupTerms<Output> {
  /** Name of the endpoint or function, in errors. */
  readonly name: string;
  readonly lookup: OrderLookup<Output> | undefined;
  readonly key: OrderKey;
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
    const call = <Params extends object, Found>(endpoint: Endpoint<Params, Found>, params: Params) =>
      caller.call(endpoint, params, options);
    // A clock reading since the request may be wrong, and must not hide the order. No other order has a generated
    // identifier.
    const since = () => (isGenerated ? 0 : Math.min(clock.toExchange(sentAt), sentAtExchange) - clockToleranceMs);
    return (lookup?.find(call, key, since) ?? EMPTY).pipe(
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
