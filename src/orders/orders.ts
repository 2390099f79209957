// The orders of a client: placed as one order each, looked up by their endpoints, and found after a restart.
import {
  catchError,
  concat,
  defer,
  EMPTY,
  take,
  tap,
  throwError,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import type { AbsencePremises, SentOrder } from './absence-proof.js';
import { oneOrder, type OrderTiming } from './at-most-once.js';
import { findOrder } from './find-order.js';
import type { OrderLookups } from './lookups.js';
import { isListed, marketCheck } from './market-check.js';
import { cacheMarkets, type MarketsByName } from './market-cache.js';
import type { OrderEvent } from './order-event.js';
import { aboutOrder, checkKey, keyOf, orderFields, type OrderFields } from './order-fields.js';
import { isRecord, recordOf } from './order-record.js';
import { OrderRegistry, type OrderClaim, type UndecidedOrder } from './order-registry.js';
import { nonceWindowMs, type ExchangeClock, type Nonce, type NonceMode } from '../auth/index.js';
import type { Endpoint, OrderKey, OrderLookup, WireFields } from '../endpoints/define-endpoint.js';
import { TransportError, toExchangeError, tryOr } from '../errors/index.js';
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
  /** Makes an attempt at each subscription; `onSent` is called when its request leaves. */
  readonly send: (onSent: (nonce: Nonce | undefined) => void) => Observable<Output>;
  /** The retry loop of the call. */
  readonly retried: (when: (error: unknown) => boolean) => MonoTypeOperatorFunction<Output>;
}

/** The bounds of a call, as far as orders need them. */
export interface OrderLimits {
  readonly timeoutMs: number;
  readonly callTimeoutMs: number;
}

/** What orders need of their client. */
export interface OrderClient<Limits extends OrderLimits> {
  /** Starts the call that places an order. */
  start<Output>(endpoint: Endpoint<never, Output>, fields: WireFields, limits: Limits): OrderCall<Output>;
  /** Calls another endpoint. Without options, as callers do. */
  call<Output>(endpoint: Endpoint<never, Output>, params: object, options?: LookupOptions): Observable<Output>;
  /** Reads the exchange's clock. */
  readClock(): Observable<unknown>;
  report(event: OrderEvent): void;
}

/** What orders are placed by. */
export interface OrderSettings {
  readonly clock: ExchangeClock;
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

/** How the lookups of one order are made. */
interface Lookups<Output> {
  /** Name of the endpoint or function, in errors. */
  readonly name: string;
  readonly lookup: OrderLookup<Output> | undefined;
  readonly key: OrderKey;
  readonly limits: OrderLimits;
  /** Whether the identifier was generated, so that no other order can have it. */
  readonly isGenerated: boolean;
  readonly whyNoProof: () => string | undefined;
}

export class Orders<Limits extends OrderLimits> {
  readonly #settings: OrderSettings;
  readonly #client: OrderClient<Limits>;
  readonly #registry = new OrderRegistry();
  readonly #markets$: Observable<MarketsByName> | undefined;

  constructor(settings: OrderSettings, client: OrderClient<Limits>) {
    const { markets } = settings;
    this.#settings = settings;
    this.#client = client;
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
    const { name, lookup } = endpoint;
    const { checkOrders, clock } = this.#settings;
    const { order, isGenerated } = orderFields(name, fields);
    const key = keyOf(order);
    const { market, client_order_id, isConditional } = key;
    const claim: OrderClaim = { market, client_order_id, endpoint: name, isConditional };
    const { call, setEarliest } = this.#start(endpoint, order, limits);
    const check$ = checkOrders && this.#markets$ !== undefined ? marketCheck(this.#markets$, endpoint, order) : EMPTY;
    const whyNoProof = () => {
      if (lookup === undefined) return 'the endpoint has no lookup';
      return this.#registry.isPlaced(key) ? placedByClient : this.#registry.evidence.whyNoProof(name);
    };
    const order$ = oneOrder<Output>({
      endpoint: name,
      client_order_id,
      clock,
      timing: this.#timing(limits),
      lookup: this.#lookups({ name, lookup, key, limits, isGenerated, whyNoProof }),
      record: recordOf(this.#registry, claim),
      send: (onSent) => {
        const attempt$ = call.send((nonce) => {
          setEarliest(nonce);
          onSent(nonce);
        });
        return check$ === EMPTY ? attempt$ : concat(check$, attempt$);
      },
      retried: call.retried,
      report: this.#reportOf(name, client_order_id, call.number),
    });
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
      const own = registry.claimOf(given);
      const startedAt = clock.local();
      const sentTo = own?.endpoint ?? given.endpoint;
      // Of its own order the client knows the endpoint: a caller that names another one is mistaken.
      const isConditional = own?.isConditional === undefined ? {} : { isConditional: own.isConditional };
      const whyNoProof = () => {
        if (registry.isInFlight(given, startedAt)) return 'an order of this client_order_id is in flight';
        return registry.isPlaced(given) ? placedByClient : registry.evidence.whyNoProof(sentTo);
      };
      return findOrder({
        name,
        key: given,
        clock,
        nonce,
        timing: this.#timing(limits),
        lookup: this.#lookups({
          name,
          lookup,
          key: { ...given, ...isConditional },
          limits,
          isGenerated: false,
          whyNoProof,
        }),
        isListed: isListed(this.#markets$, market),
        record: {
          place: (order) => {
            // A lookup of the user's own may emit an order that does not show the identifier.
            const isShown = isRecord(order) && order['client_order_id'] === client_order_id;
            if (sentTo !== undefined && (own !== undefined || isShown)) registry.evidence.add(sentTo, true);
            registry.place(given, order);
          },
          free: () => {
            registry.free(given);
          },
        },
        report: this.#reportOf(name, client_order_id, call),
      });
    }).pipe(
      catchError((error: unknown) =>
        throwError(() => aboutOrder(toExchangeError(error, name, 'unknown'), client_order_id)),
      ),
    );
  }

  /**
   * The call of one order. A response that can only be of another order does not match the request: responses can get
   * out of step on a connection, so that a late response is read as the response to the next request.
   */
  #start<Output>(endpoint: Endpoint<never, Output>, order: OrderFields, limits: Limits) {
    let earliest = Number.NEGATIVE_INFINITY;
    const matchesRequest = (fields: WireFields, output: Output) =>
      endpoint.matchesRequest?.(fields, output) !== false &&
      this.#registry.canBe(order, output) &&
      !isEarlier(order, output, earliest);
    return {
      call: this.#client.start({ ...endpoint, matchesRequest }, order, limits),
      setEarliest: (nonce: Nonce | undefined) => {
        // The exchange's clock would not have accepted the request before.
        earliest = nonce?.nonceWindow === true ? nonce.nonce - nonceWindowMs : Number.NEGATIVE_INFINITY;
      },
    };
  }

  #lookups<Output>({ name, lookup, key, limits, isGenerated, whyNoProof }: Lookups<Output>): OrderLookups<Output> {
    const { clock } = this.#settings;
    const options = lookupOptions(limits.timeoutMs);
    const call = <Params extends object, Found>(endpoint: Endpoint<Params, Found>, params: Params) =>
      this.#client.call(endpoint, params, options);
    return {
      find: ({ sentAt, sentAtExchange }: SentOrder) => {
        // A clock reading since the request may be wrong, and must not hide the order. No other order has a generated
        // identifier.
        const since = () => (isGenerated ? 0 : Math.min(clock.toExchange(sentAt), sentAtExchange) - clockToleranceMs);
        return (lookup?.find(call, key, since) ?? EMPTY).pipe(
          take(1),
          tap((order) => {
            if (this.#registry.canBe(key, order)) return;
            const message = 'the lookup found the order of another client_order_id';
            throw new TransportError(message, { endpoint: name, outcome: 'unknown' });
          }),
        );
      },
      readClock: () => (lookup === undefined ? EMPTY : this.#client.readClock()),
      whyNoProof,
    };
  }

  #reportOf(endpoint: string, client_order_id: string, call: number) {
    return (progress: OrderEvent['progress'], reason?: string) => {
      const why = reason === undefined ? {} : { reason };
      this.#client.report({ type: 'order', endpoint, call, client_order_id, progress, ...why });
    };
  }

  #timing({ callTimeoutMs }: OrderLimits): OrderTiming {
    const { settleMs = defaultSettleMs, historyLagMs = defaultHistoryLagMs } = this.#settings;
    const { lookupTimeoutMs = defaultLookupTimeoutMs } = this.#settings;
    const resumeTimeoutMs = lookupTimeoutMs === 0 ? defaultLookupTimeoutMs : lookupTimeoutMs;
    return { settleMs, historyLagMs, lookupTimeoutMs, resumeTimeoutMs, callTimeoutMs };
  }
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
