// The orders of a client: placed as one order each, looked up by their endpoints, and found after a restart.
import { catchError, defer, throwError, type Observable } from 'rxjs';
import type { AbsencePremises } from './absence-proof.js';
import { oneOrder } from './at-most-once.js';
import type { BulkItem } from './bulk-order.js';
import { BulkRequests } from './bulk-requests.js';
import { findOrder } from './find-order.js';
import { isListed, marketCheck } from './market-check.js';
import { cacheMarkets, type MarketsByName } from './market-cache.js';
import { aboutOrder, checkKey, orderFields } from './order-fields.js';
import { isRecord } from './order-record.js';
import { OrderRegistry, registryName, type UndecidedOrder } from './order-registry.js';
import {
  orderEvent,
  placedByClient,
  PlacedOrder,
  RegisteredLookups,
  type CreateOrderCall,
  type OrderClient,
  type OrderLimits,
  type SharedByOrders,
} from './placed-order.js';
import type { ExchangeClock, NonceMode } from '../auth/index.js';
import type { BulkOrderEndpoint, Endpoint, OrderKey, OrderLookup, WireFields } from '../endpoints/define-endpoint.js';
import { RequestError, toExchangeError, tryOr, type SynchronousErrors } from '../errors/index.js';
import type { Market } from '../model/market.js';
import type { Order } from '../model/order.js';

/** An observable of one order: it places at most one order, whatever is piped around it. */
export interface OrderObservable<Output> extends Observable<Output> {
  /**
   * The identifier of the order: the caller's, or a generated one. Write it down before subscribing, to find the order
   * after a restart.
   */
  readonly client_order_id: string;
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

const defaultSettleMs = 10_000;
const defaultHistoryLagMs = 2000;
const defaultLookupTimeoutMs = 30_000;
export class Orders<Limits extends OrderLimits> {
  readonly #settings: OrderSettings;
  readonly #shared: SharedByOrders<Limits>;
  readonly #markets$: Observable<MarketsByName> | undefined;

  constructor(settings: OrderSettings, client: OrderClient<Limits>) {
    const { clock, errors, markets } = settings;
    const { settleMs = defaultSettleMs, historyLagMs = defaultHistoryLagMs } = settings;
    const { lookupTimeoutMs = defaultLookupTimeoutMs } = settings;
    const resumeTimeoutMs = lookupTimeoutMs === 0 ? defaultLookupTimeoutMs : lookupTimeoutMs;
    this.#settings = settings;
    this.#shared = {
      client,
      registry: new OrderRegistry(),
      clock,
      errors,
      timing: { settleMs, historyLagMs, lookupTimeoutMs, resumeTimeoutMs },
    };
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
    return this.#shared.registry.undecided$;
  }

  /** The live connection has pushed an order of the account: whichever of these orders it is, was placed. */
  onPushed(order: Order): void {
    this.#shared.registry.onPushed(order);
  }

  /** The observable of one order, with its identifier. Throws {@link RequestError} without a market. */
  place<Output>(endpoint: Endpoint<never, Output>, fields: WireFields, limits: Limits): BulkItem<Output> {
    const { client } = this.#shared;
    return this.#place(endpoint, fields, limits, (order, isOfAnother) =>
      client.createCall(endpoint, order, limits, isOfAnother),
    );
  }

  /** The observables of several orders, with their identifiers. Throws {@link RequestError} for one without a market. */
  placeAll<Output>(
    endpoint: BulkOrderEndpoint<never, Output>,
    { orders, ...fields }: WireFields,
    limits: Limits,
  ): readonly BulkItem<Output>[] {
    const requests = new BulkRequests(this.#shared.client, endpoint, fields, limits);
    return itemsOf(endpoint.name, orders).map((order) =>
      this.#place(requests.item, order, limits, (...args) => requests.createCall(...args)),
    );
  }

  #place<Output>(
    endpoint: Endpoint<never, Output>,
    fields: WireFields,
    limits: Limits,
    createCall: CreateOrderCall<Output>,
  ): BulkItem<Output> {
    const identified = orderFields(endpoint.name, fields);
    const { order } = identified;
    const check$ =
      this.#settings.checkOrders && this.#markets$ !== undefined
        ? marketCheck(this.#markets$, endpoint, order)
        : undefined;
    const order$ = oneOrder(new PlacedOrder(endpoint, identified, limits, this.#shared, createCall, check$));
    return { order$, client_order_id: order.client_order_id };
  }

  /** Finds an order that was placed before. `call` is the number of the call that finds it. */
  find<Output>(lookup: OrderLookup<Output>, key: OrderKey, limits: OrderLimits, call: number): Observable<Output> {
    const { nonce } = this.#settings;
    const { client, registry, clock, timing } = this.#shared;
    const { name } = lookup;
    // Read now, once: an order whose key cannot be read is not looked up.
    const { market, client_order_id, ...rest } = tryOr(() => ({ ...key }), { market: '', client_order_id: '' });
    const given = { ...rest, market, client_order_id };
    return defer(() => {
      checkKey(name, given);
      const known = { ...given, name: registryName(given) };
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
        timing,
        callTimeoutMs: limits.callTimeoutMs,
        lookup: new RegisteredLookups(
          { name, lookup, key: { ...given, ...kind }, limits, isGenerated: false, whyNoProof },
          this.#shared,
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
          client.report(orderEvent(name, call, client_order_id, progress, reason));
        },
      });
    }).pipe(
      catchError((error: unknown) =>
        throwError(() => aboutOrder(toExchangeError(error, name, 'unknown'), client_order_id)),
      ),
    );
  }
}

/** The orders of a request of several, which the schema of a user's own endpoint may have made of anything. */
function itemsOf(endpoint: string, orders: unknown): readonly WireFields[] {
  if (Array.isArray(orders) && orders.length > 0 && orders.every(isRecord)) return orders;
  throw new RequestError(endpoint, [{ field: 'orders', message: 'must be a list of orders, at least one' }]);
}
