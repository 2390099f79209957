// Looks up one order of a client: in the lists that show it, and with what the client knows of it.
import { EMPTY, take, tap, type Observable } from 'rxjs';
import type { OrderEvent } from './order-fields.js';
import { lookUp, type Read, type SearchedOrder } from './order-lookup.js';
import type { OrderRegistry } from './order-registry.js';
import {
  AbsenceProof,
  clockToleranceMs,
  lookupOptions,
  lookUpUntilDecided,
  type AbsencePremises,
  type Answer,
  type Caller,
  type Question,
  type Sent,
} from '../call/index.js';
import type { OrderLookup } from '../endpoint/index.js';
import { LookupError } from '../errors/index.js';

/** The times by which orders are looked up. */
export type OrderTiming = Required<AbsencePremises> & {
  /** How long an order is looked up after a lost response, milliseconds; 0: it is not looked up. */
  readonly timeoutMs: number;
};

export interface OrderDesk {
  readonly caller: Caller;
  readonly registry: OrderRegistry;
  readonly timing: OrderTiming;
  readonly report: (event: OrderEvent) => void;
}

export interface OrderLookupTerms<Output> {
  /** Name of the endpoint or function, in errors. */
  readonly name: string;
  readonly lookup: OrderLookup<Output>;
  readonly key: SearchedOrder;
  /** The bound on a request of the call that they are for, milliseconds. */
  readonly timeoutMs: number;
  /** Whether the identifier was generated, so that no other order can have it. */
  readonly isGenerated?: boolean;
  /** Why not finding the order proves nothing; `undefined` when it proves that the order does not exist. */
  readonly whyNoProof: () => string | undefined;
}

/** The lookups of one order by its client: an order that was reported for another identifier is not it. */
export class OrderLookups<Output> {
  readonly #terms: OrderLookupTerms<Output>;
  readonly #desk: OrderDesk;
  /** Continues from subscription to subscription, until another request is sent. */
  #proof: { readonly of: Sent; readonly proof: AbsenceProof } | undefined;

  constructor(terms: OrderLookupTerms<Output>, desk: OrderDesk) {
    this.#terms = terms;
    this.#desk = desk;
  }

  /** Looks the order up once, placed when it was sent or later: emits it, or completes when no list shows it. */
  find({ sentAt, sentAtExchange }: Sent): Observable<Output> {
    const { name, lookup, key, timeoutMs, isGenerated = false } = this.#terms;
    const { caller, registry } = this.#desk;
    const { clock } = caller.desk.identity;
    const options = lookupOptions(timeoutMs);
    const read: Read = (list, params) => caller.call(list, params, options);
    // A later clock reading may be wrong, and must not hide the order. No other order has a generated identifier.
    const since = () => (isGenerated ? 0 : Math.min(clock.toExchange(sentAt), sentAtExchange) - clockToleranceMs);
    return lookUp(lookup, read, key, since).pipe(
      take(1),
      tap((order) => {
        if (registry.canBe(key, order)) return;
        const message = 'the lookup found the order of another client_order_id';
        throw new LookupError(message, { endpoint: name, outcome: 'unknown' });
      }),
    );
  }

  decide(question: Question): Observable<Answer<Output>> {
    const { open, first: sent = open } = question;
    const { caller, timing } = this.#desk;
    const { clock, reading$: clock$ } = caller.desk.identity;
    if (open === undefined || sent === undefined) return EMPTY;
    if (this.#proof?.of !== open) this.#proof = { of: open, proof: new AbsenceProof(open, clock, timing) };
    const { proof } = this.#proof;
    const { whyNoProof } = this.#terms;
    return lookUpUntilDecided({ find: () => this.find(sent), clock$, proof, whyNoProof }, question);
  }
}
