// One order that is placed: its call, its lookups, and what its client keeps of it.
import { EMPTY, take, tap, type Observable, type Subscription } from 'rxjs';
import type { SentOrder } from './absence-proof.js';
import type { OrderAttemptObserver, OrderContext, OrderTiming } from './at-most-once.js';
import { clockToleranceMs, type OrderLookups } from './lookups.js';
import type { OrderEvent, OrderProgress } from './order-event.js';
import { isConditional, type IdentifiedOrder, type OrderFields } from './order-fields.js';
import { isRecord, OrderRecord } from './order-record.js';
import { registryName, type OrderClaim, type OrderRegistry } from './order-registry.js';
import { nonceWindowMs, type ExchangeClock, type Nonce } from '../auth/index.js';
import type { Endpoint, OrderKey, OrderLookup, WireFields } from '../endpoints/define-endpoint.js';
import { TransportError, type ExchangeError, type SynchronousErrors } from '../errors/index.js';
import { isSame, placedAt } from '../model/order.js';
import { startedIn, type RetryLoop } from '../operators/retry-loop.js';

/** The bounds of a call of another endpoint that an order needs. */
export interface LookupOptions {
  readonly retry: false;
  readonly priority: 'urgent';
  readonly timeoutMs: number;
  readonly validForMs: number;
}

/** How an attempt of a call ends. */
export interface OrderCallObserver<Output> extends Omit<OrderAttemptObserver<Output>, 'onOutput'> {
  /** @param response has the typed error of one order, where the output has the results of several */
  onOutput(output: Output, response: { errorOf(error: unknown): ExchangeError }): void;
}

/** The call that places one order, or several. */
export interface OrderCall<Output> {
  readonly number: number;
  /** Starts an attempt, which ends when `run` is unsubscribed. */
  send(observer: OrderCallObserver<Output>, run: Subscription): void;
  /** A subscription begins, or began at a time by `performance.now()`. */
  start(at?: number): void;
  /** The retry loop of the subscription. */
  retryLoop(when: (error: unknown) => boolean): RetryLoop;
}

/** Makes the call of an order; `isOfAnother` says whether a response can only be that of another order. */
export type CreateOrderCall<Output> = (
  order: OrderFields,
  isOfAnother: (output: unknown) => boolean,
) => OrderCall<Output>;

/** The bounds of a call, as far as orders need them. */
export interface OrderLimits {
  readonly timeoutMs: number;
  readonly callTimeoutMs: number;
}

/** What orders need of their client. */
export interface OrderClient<Limits extends OrderLimits> {
  /**
   * Creates the call that places an order.
   *
   * @param isOfAnother whether a response can only be that of another order
   */
  createCall<Output>(
    endpoint: Endpoint<never, Output>,
    fields: WireFields,
    limits: Limits,
    isOfAnother: (output: unknown) => boolean,
  ): OrderCall<Output>;
  /** Calls another endpoint. Without options, as callers do. */
  call<Output>(endpoint: Endpoint<never, Output>, params: object, options?: LookupOptions): Observable<Output>;
  /** Reads the exchange's clock. */
  readClock(): Observable<unknown>;
  report(event: OrderEvent): void;
}

/** A lookup that hangs, or waits for a limit, must not keep an order from being found by the next. */
export const lookupMs = 3000;
/** Why not finding an order that was placed proves nothing: a list may show it late. */
export const placedByClient = 'this client has seen an order of this client_order_id';

/** What orders of a client share. */
export interface SharedByOrders<Limits extends OrderLimits> {
  readonly client: OrderClient<Limits>;
  readonly registry: OrderRegistry;
  readonly clock: ExchangeClock;
  readonly timing: OrderTiming;
  readonly errors: SynchronousErrors;
}

/** One order that is to be placed, with all that this needs. */
export class PlacedOrder<Output, Limits extends OrderLimits> implements OrderContext<Output>, OrderClaim {
  readonly endpoint: string;
  readonly market: string;
  readonly client_order_id: string;
  readonly name: string;
  readonly isGenerated: boolean;
  isFound = false;
  readonly clock: ExchangeClock;
  readonly timing: OrderTiming;
  readonly callTimeoutMs: number;
  readonly errors: SynchronousErrors;
  readonly record: OrderRecord<Output>;
  readonly #definition: Endpoint<never, Output>;
  readonly #order: OrderFields;
  readonly #limits: Limits;
  readonly #shared: SharedByOrders<Limits>;
  readonly #check$: Observable<never> | undefined;
  readonly #call: OrderCall<Output>;
  /** The exchange cannot have accepted the request before, Unix ms by its clock. */
  #earliest = Number.NEGATIVE_INFINITY;
  #lookup: OrderLookups<Output> | undefined;

  /**
   * @param isGenerated whether the identifier was generated
   * @param check$ completes when the order keeps the rules of its market, and fails when it does not
   */
  constructor(
    definition: Endpoint<never, Output>,
    { order, isGenerated }: IdentifiedOrder,
    limits: Limits,
    shared: SharedByOrders<Limits>,
    createCall: CreateOrderCall<Output>,
    check$: Observable<never> | undefined,
  ) {
    const { registry, clock, errors, timing } = shared;
    const { market, client_order_id } = order;
    this.endpoint = definition.name;
    this.market = market;
    this.client_order_id = client_order_id;
    this.name = registryName(order);
    this.isGenerated = isGenerated;
    this.clock = clock;
    this.errors = errors;
    this.timing = timing;
    this.callTimeoutMs = limits.callTimeoutMs;
    this.#definition = definition;
    this.#order = order;
    this.#limits = limits;
    this.#shared = shared;
    this.#check$ = check$;
    this.record = new OrderRecord(registry, this);
    this.#call = createCall(order, (output) => this.#isOfAnother(output));
  }

  get isConditional(): boolean {
    return isConditional(this.#order);
  }

  send(observer: OrderAttemptObserver<Output>, run: Subscription): void {
    if (this.#check$ === undefined) {
      this.#call.send(observer, run);
      return;
    }
    startedIn(run, this.#check$).subscribe({
      error: (error: unknown) => {
        observer.onError(error);
      },
      complete: () => {
        this.#call.send(observer, run);
      },
    });
  }

  onSent(nonce: Nonce | undefined): void {
    this.#earliest = nonce?.nonceWindow === true ? nonce.nonce - nonceWindowMs : Number.NEGATIVE_INFINITY;
  }

  listen(run: Subscription, onPushed: (placedAt: number) => void): void {
    if (this.#definition.lookup === undefined) return;
    const { side, amount } = this.#order;
    const end = this.#shared.registry.listen(this, (order) => {
      const isIt =
        (side === undefined || order.side === side) && (amount === undefined || isSame(order.amount, amount));
      if (isIt && this.#shared.registry.canBe(this, order)) onPushed(placedAt(order));
    });
    run.add(end);
  }

  start(): void {
    this.#call.start();
  }

  retryLoop(when: (error: unknown) => boolean): RetryLoop {
    return this.#call.retryLoop(when);
  }

  report(progress: OrderProgress, reason?: string): void {
    const { client } = this.#shared;
    client.report(orderEvent(this.endpoint, this.#call.number, this.client_order_id, progress, reason));
  }

  /** Made when the order is looked up. */
  get lookup(): OrderLookups<Output> {
    const { name, lookup } = this.#definition;
    this.#lookup ??= new RegisteredLookups(
      {
        name,
        lookup,
        key: { ...this.#order, isConditional: this.isConditional },
        limits: this.#limits,
        isGenerated: this.isGenerated,
        whyNoProof: () => this.#whyNoProof(),
      },
      this.#shared,
    );
    return this.#lookup;
  }

  #whyNoProof(): string | undefined {
    const { registry } = this.#shared;
    if (this.#definition.lookup === undefined) return 'the endpoint has no lookup';
    return registry.isPlaced(this) ? placedByClient : registry.evidence.whyNoProof(this.endpoint);
  }

  /**
   * Whether a response can only be of another order: responses can get out of step on a connection, so that a late
   * response is read as the response to the next request.
   */
  #isOfAnother(output: unknown): boolean {
    const { registry } = this.#shared;
    return !registry.canBe(this, output) || isEarlier(this.#order, output, this.#earliest);
  }
}

/** How the lookups of one order are made. */
export interface LookupTerms<Output> {
  /** Name of the endpoint or function, in errors. */
  readonly name: string;
  readonly lookup: OrderLookup<Output> | undefined;
  readonly key: OrderKey;
  readonly limits: OrderLimits;
  /** Whether the identifier was generated, so that no other order can have it. */
  readonly isGenerated: boolean;
  readonly whyNoProof: () => string | undefined;
}

type LookupsContext = Pick<SharedByOrders<never>, 'client' | 'registry' | 'clock'>;

/** The lookups of one order: an order that was reported for another identifier is not it. */
export class RegisteredLookups<Output> implements OrderLookups<Output> {
  readonly whyNoProof: () => string | undefined;
  readonly #terms: LookupTerms<Output>;
  readonly #shared: LookupsContext;

  constructor(terms: LookupTerms<Output>, shared: LookupsContext) {
    this.#terms = terms;
    this.#shared = shared;
    this.whyNoProof = terms.whyNoProof;
  }

  find({ sentAt, sentAtExchange }: SentOrder): Observable<Output> {
    const { name, lookup, key, limits, isGenerated } = this.#terms;
    const { client, registry, clock } = this.#shared;
    const options = lookupOptions(limits.timeoutMs);
    const call = <Params extends object, Found>(endpoint: Endpoint<Params, Found>, params: Params) =>
      client.call(endpoint, params, options);
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
    return this.#terms.lookup === undefined ? EMPTY : this.#shared.client.readClock();
  }
}

export function orderEvent(
  endpoint: string,
  call: number,
  client_order_id: string,
  progress: OrderProgress,
  reason?: string,
): OrderEvent {
  const why = reason === undefined ? {} : { reason };
  return { type: 'order', endpoint, call, client_order_id, progress, ...why };
}

/** The options of a call that a lookup makes, with the `timeoutMs` of the call that it is for. */
export function lookupOptions(timeoutMs: number): LookupOptions {
  return { retry: false, priority: 'urgent', timeoutMs: Math.min(timeoutMs, lookupMs), validForMs: lookupMs };
}

/** Whether an order without the identifier was placed before a time, Unix ms by the exchange's clock. */
function isEarlier({ client_order_id }: OrderFields, output: unknown, time: number): boolean {
  if (!isRecord(output) || output['client_order_id'] === client_order_id) return false;
  const { timestamp } = output;
  return typeof timestamp === 'number' && placedAt({ timestamp }) < time;
}
