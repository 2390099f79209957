// The orders of a client: placed as one order each, looked up by their endpoints, and found after a restart.
import { catchError, defer, EMPTY, take, tap, throwError, type Observable, type Subscription } from 'rxjs';
import type { AbsencePremises, SentOrder } from './absence-proof.js';
import { oneOrder, type OrderAttemptObserver, type OrderContext, type OrderTiming } from './at-most-once.js';
import { findOrder } from './find-order.js';
import type { OrderLookups } from './lookups.js';
import { isListed, marketCheck } from './market-check.js';
import { cacheMarkets, type MarketsByName } from './market-cache.js';
import type { OrderEvent, OrderProgress } from './order-event.js';
import { aboutOrder, checkKey, isConditional, orderFields, type OrderFields } from './order-fields.js';
import { isRecord, OrderRecord } from './order-record.js';
import { named, OrderRegistry, type OrderClaim, type UndecidedOrder } from './order-registry.js';
import { nonceWindowMs, type ExchangeClock, type NonceMode } from '../auth/index.js';
import type { Endpoint, OrderKey, OrderLookup, WireFields } from '../endpoints/define-endpoint.js';
import { TransportError, toExchangeError, tryOr, type SynchronousErrors } from '../errors/index.js';
import { startedIn, type RetryLoop } from '../operators/retry-loop.js';
import type { Market } from '../model/market.js';
import { placedAt } from '../model/order.js';

/** An observable of one order: it places at most one order, whatever is piped around it. */
export interface OrderObservable<Output> extends Observable<Output> {
  /**
   * The identifier of the order: the caller's, or a generated one. Write it down before subscribing, to find the order
   * after a restart.
   */
  readonly client_order_id: string;
}

/** The bounds of a call of another endpoint that an order needs. */
export interface LookupOptions {
  readonly retry: false;
  readonly priority: 'urgent';
  readonly timeoutMs: number;
  readonly validForMs: number;
}

/** The call that places one order. */
export interface OrderCall<Output> {
  readonly number: number;
  /** Starts an attempt, which ends when `run` is unsubscribed. */
  send(observer: OrderAttemptObserver<Output>, run: Subscription): void;
  /** A subscription begins. */
  start(): void;
  /** The retry loop of the subscription. */
  retryLoop(when: (error: unknown) => boolean): RetryLoop;
}

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

/** What orders are placed by. */
export interface OrderSettings {
  readonly clock: ExchangeClock;
  /** The errors of the client. */
  readonly errors: SynchronousErrors;
  readonly nonce: NonceMode;
  readonly settleMs: AbsencePremises['settleMs'] | undefined;
  readonly historyLagMs: AbsencePremises['historyLagMs'] | undefined;
  readonly lookupTimeoutMs: number | undefined;
  /** Whether each order is checked against the rules of its market before it is sent. */
  readonly checkOrders: boolean;
  /** Lists the markets. Without it, every market counts as listed. */
  readonly markets: Endpoint<never, readonly Market[]> | undefined;
}

/** A lookup that hangs, or waits for a limit, must not keep an order from being found by the next. */
export const lookupMs = 3000;
const defaultSettleMs = 10_000;
const defaultHistoryLagMs = 2000;
const defaultLookupTimeoutMs = 30_000;
/** Why not finding an order that was placed proves nothing: a list may show it late. */
const placedByClient = 'this client has seen an order of this client_order_id';
/** By how much the exchange's clock may be misjudged. */
const clockToleranceMs = 2000;

export class Orders<Limits extends OrderLimits> {
  readonly #settings: OrderSettings;
  readonly #client: OrderClient<Limits>;
  readonly #timing: OrderTiming;
  readonly #registry = new OrderRegistry();
  readonly #markets$: Observable<MarketsByName> | undefined;

  constructor(settings: OrderSettings, client: OrderClient<Limits>) {
    const { markets, settleMs = defaultSettleMs, historyLagMs = defaultHistoryLagMs } = settings;
    const { lookupTimeoutMs = defaultLookupTimeoutMs } = settings;
    const resumeTimeoutMs = lookupTimeoutMs === 0 ? defaultLookupTimeoutMs : lookupTimeoutMs;
    this.#settings = settings;
    this.#client = client;
    this.#timing = { settleMs, historyLagMs, lookupTimeoutMs, resumeTimeoutMs };
    this.#markets$ =
      markets === undefined
        ? undefined
        : cacheMarkets(
            () => client.call(markets, {}),
            () => performance.now(),
          );
  }

  /** The orders in doubt. */
  get undecided$(): Observable<readonly UndecidedOrder[]> {
    return this.#registry.undecided$;
  }

  /** The observable of one order, with its identifier. Throws {@link RequestError} without a market. */
  place<Output>(
    endpoint: Endpoint<never, Output>,
    fields: WireFields,
    limits: Limits,
  ): { readonly order$: Observable<Output>; readonly client_order_id: string } {
    const { name } = endpoint;
    const { checkOrders, clock, errors } = this.#settings;
    const { order, isGenerated } = orderFields(name, fields);
    const { client_order_id } = order;
    const check$ = checkOrders && this.#markets$ !== undefined ? marketCheck(this.#markets$, endpoint, order) : EMPTY;
    const order$ = oneOrder(
      new PlacedOrder(endpoint, order, isGenerated, limits, {
        client: this.#client,
        registry: this.#registry,
        clock,
        errors,
        timing: this.#timing,
        check$,
      }),
    );
    return { order$, client_order_id };
  }

  /** Finds an order that was placed before. `call` is the number of the call that finds it. */
  find<Output>(lookup: OrderLookup<Output>, key: OrderKey, limits: OrderLimits, call: number): Observable<Output> {
    const { clock, nonce } = this.#settings;
    const { name } = lookup;
    // Read now, once: an order whose key cannot be read is not looked up.
    const { market, client_order_id, ...rest } = tryOr(() => ({ ...key }), { market: '', client_order_id: '' });
    const given = { ...rest, market, client_order_id };
    return defer(() => {
      checkKey(name, given);
      const registry = this.#registry;
      const known = named(given);
      const own = registry.claimOf(known);
      const startedAt = clock.local();
      const sentTo = own?.endpoint ?? given.endpoint;
      // Of its own order the client knows the endpoint: a caller that names another one is mistaken.
      const kind = own?.isConditional === undefined ? {} : { isConditional: own.isConditional };
      const whyNoProof = () => {
        if (registry.isInFlight(known, startedAt)) return 'an order of this client_order_id is in flight';
        return registry.isPlaced(known) ? placedByClient : registry.evidence.whyNoProof(sentTo);
      };
      return findOrder({
        name,
        key: given,
        clock,
        nonce,
        timing: this.#timing,
        callTimeoutMs: limits.callTimeoutMs,
        lookup: new RegisteredLookups(
          { name, lookup, key: { ...given, ...kind }, limits, isGenerated: false, whyNoProof },
          { client: this.#client, registry, clock },
        ),
        isListed: isListed(this.#markets$, market),
        record: {
          place: (order) => {
            // A lookup of the user's own may emit an order that does not show the identifier.
            const isShown = isRecord(order) && order['client_order_id'] === client_order_id;
            if (sentTo !== undefined && (own !== undefined || isShown)) registry.evidence.add(sentTo, true);
            registry.place(known, order);
          },
          free: () => {
            registry.free(known);
          },
        },
        report: (progress, reason) => {
          this.#client.report(orderEvent(name, call, client_order_id, progress, reason));
        },
      });
    }).pipe(
      catchError((error: unknown) =>
        throwError(() => aboutOrder(toExchangeError(error, name, 'unknown'), client_order_id)),
      ),
    );
  }
}

/** What orders of a client share. */
interface SharedByOrders<Limits extends OrderLimits> {
  readonly client: OrderClient<Limits>;
  readonly registry: OrderRegistry;
  readonly clock: ExchangeClock;
}

interface PlacedOrderContext<Limits extends OrderLimits> extends SharedByOrders<Limits> {
  readonly timing: OrderTiming;
  readonly errors: SynchronousErrors;
  /** Completes when the order keeps the rules of its market, and fails when it does not. */
  readonly check$: Observable<never>;
}

/** One order that is to be placed, with all that this needs. */
class PlacedOrder<Output, Limits extends OrderLimits> implements OrderContext<Output> {
  readonly endpoint: string;
  readonly client_order_id: string;
  readonly clock: ExchangeClock;
  readonly timing: OrderTiming;
  readonly callTimeoutMs: number;
  readonly errors: SynchronousErrors;
  readonly record: OrderRecord<Output>;
  readonly #definition: Endpoint<never, Output>;
  readonly #order: OrderFields;
  readonly #isGenerated: boolean;
  readonly #limits: Limits;
  readonly #context: PlacedOrderContext<Limits>;
  readonly #claim: OrderClaim;
  readonly #call: OrderCall<Output>;
  /** The exchange cannot have accepted the request before, Unix ms by its clock. */
  #earliest = Number.NEGATIVE_INFINITY;
  #lookup: OrderLookups<Output> | undefined;

  constructor(
    definition: Endpoint<never, Output>,
    order: OrderFields,
    isGenerated: boolean,
    limits: Limits,
    context: PlacedOrderContext<Limits>,
  ) {
    const { client, registry, clock, errors, timing } = context;
    const { market, client_order_id } = order;
    const { name } = definition;
    this.endpoint = name;
    this.client_order_id = client_order_id;
    this.clock = clock;
    this.errors = errors;
    this.timing = timing;
    this.callTimeoutMs = limits.callTimeoutMs;
    this.#definition = definition;
    this.#order = order;
    this.#isGenerated = isGenerated;
    this.#limits = limits;
    this.#context = context;
    this.#claim = named({ market, client_order_id, endpoint: name, isConditional: isConditional(order) });
    this.record = new OrderRecord(registry, this.#claim);
    this.#call = client.createCall(definition, order, limits, (output) => this.#isOfAnother(output));
  }

  send(observer: OrderAttemptObserver<Output>, run: Subscription): void {
    const { check$ } = this.#context;
    const watched: OrderAttemptObserver<Output> = {
      onSent: (nonce) => {
        this.#earliest = nonce?.nonceWindow === true ? nonce.nonce - nonceWindowMs : Number.NEGATIVE_INFINITY;
        observer.onSent(nonce);
      },
      onOutput: (output) => {
        observer.onOutput(output);
      },
      onError: (error) => {
        observer.onError(error);
      },
    };
    if (check$ === EMPTY) {
      this.#call.send(watched, run);
      return;
    }
    startedIn(run, check$).subscribe({
      error: (error: unknown) => {
        observer.onError(error);
      },
      complete: () => {
        this.#call.send(watched, run);
      },
    });
  }

  start(): void {
    this.#call.start();
  }

  retryLoop(when: (error: unknown) => boolean): RetryLoop {
    return this.#call.retryLoop(when);
  }

  report(progress: OrderProgress, reason?: string): void {
    const { client } = this.#context;
    client.report(orderEvent(this.endpoint, this.#call.number, this.client_order_id, progress, reason));
  }

  /** Made when the order is looked up. */
  get lookup(): OrderLookups<Output> {
    const { name, lookup } = this.#definition;
    this.#lookup ??= new RegisteredLookups(
      {
        name,
        lookup,
        key: { ...this.#order, isConditional: this.#claim.isConditional === true },
        limits: this.#limits,
        isGenerated: this.#isGenerated,
        whyNoProof: () => this.#whyNoProof(),
      },
      this.#context,
    );
    return this.#lookup;
  }

  #whyNoProof(): string | undefined {
    const { registry } = this.#context;
    if (this.#definition.lookup === undefined) return 'the endpoint has no lookup';
    return registry.isPlaced(this.#claim) ? placedByClient : registry.evidence.whyNoProof(this.endpoint);
  }

  /**
   * Whether a response can only be of another order: responses can get out of step on a connection, so that a late
   * response is read as the response to the next request.
   */
  #isOfAnother(output: unknown): boolean {
    const { registry } = this.#context;
    return !registry.canBe(this.#claim, output) || isEarlier(this.#order, output, this.#earliest);
  }
}

/** How the lookups of one order are made. */
interface LookupTerms<Output> {
  /** Name of the endpoint or function, in errors. */
  readonly name: string;
  readonly lookup: OrderLookup<Output> | undefined;
  readonly key: OrderKey;
  readonly limits: OrderLimits;
  /** Whether the identifier was generated, so that no other order can have it. */
  readonly isGenerated: boolean;
  readonly whyNoProof: () => string | undefined;
}

/** The lookups of one order: an order that was reported for another identifier is not it. */
class RegisteredLookups<Output> implements OrderLookups<Output> {
  readonly whyNoProof: () => string | undefined;
  readonly #terms: LookupTerms<Output>;
  readonly #shared: SharedByOrders<never>;

  constructor(terms: LookupTerms<Output>, shared: SharedByOrders<never>) {
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

function orderEvent(
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
