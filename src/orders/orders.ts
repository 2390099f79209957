// The orders of a client: placed as one order each, looked up by their endpoints, and found after a restart.
import type { Observable } from 'rxjs';
import { BulkRequests, bulkResults } from './bulk.js';
import { findOrder } from './find-order.js';
import { cacheMarkets, marketCheck, type MarketsByName } from './markets.js';
import type { OrderDesk } from './lookups.js';
import type { OrderEvent, UndecidedOrder } from './order-fields.js';
import type { Read } from './order-lookup.js';
import { OrderRegistry } from './order-registry.js';
import { placeOnce, type OrderTerms } from './place-order.js';
import { lookUpResult } from './result-lookup.js';
import { defaultLookupTimeoutMs, lookupOptions } from '../call/index.js';
import type { AbsencePremises, Caller, CallLimits, CheckedCall, OwnTerms } from '../call/index.js';
import type {
  BulkOrderEndpoint,
  Endpoint,
  OrderKey,
  OrderObservable,
  OrderSearch,
  WireFields,
} from '../endpoint/index.js';
import { RequestError } from '../errors/index.js';
import { isRecord } from '../model/map.js';
import type { Market } from '../model/market.js';
import type { Order } from '../model/order.js';

export interface OrderOptions extends AbsencePremises {
  readonly lookupTimeoutMs?: number;
  /** Whether each order is checked against the rules of its market before it is sent. */
  readonly checkOrders?: boolean;
}

export const defaultSettleMs = 10_000;
export const defaultHistoryLagMs = 2000;

export class Orders {
  readonly #desk: OrderDesk;
  readonly #checks: boolean;
  readonly markets$: Observable<MarketsByName>;

  constructor(
    caller: Caller,
    options: OrderOptions,
    markets: Endpoint<never, readonly Market[]>,
    report: (event: OrderEvent) => void,
  ) {
    const { settleMs = defaultSettleMs, historyLagMs = defaultHistoryLagMs } = options;
    const { lookupTimeoutMs = defaultLookupTimeoutMs, checkOrders = false } = options;
    const timing = { settleMs, historyLagMs, timeoutMs: lookupTimeoutMs };
    this.#desk = { caller, registry: new OrderRegistry(), timing, report };
    this.#checks = checkOrders;
    this.markets$ = cacheMarkets(() => caller.call(markets, {}));
  }

  get undecided$(): Observable<readonly UndecidedOrder[]> {
    return this.#desk.registry.undecided$;
  }

  /** The live connection has pushed an order of the account: whichever of these orders it is, was placed. */
  onPushed(order: Order): void {
    this.#desk.registry.onPushed(order);
  }

  /** The observable of one order, or of several. Throws {@link RequestError} for one without a market. */
  place(endpoint: Endpoint | BulkOrderEndpoint, { fields, limits }: CheckedCall): Observable<unknown> {
    if (!isBulk(endpoint)) return this.#place(endpoint, fields, limits);
    const { orders, ...others } = fields;
    const requests = new BulkRequests(this.#desk.caller, endpoint, others, limits);
    const items = itemsOf(endpoint.name, orders).map((order, index) =>
      this.#place(requests.item, order, requests.limits, (placed) => requests.starting(index, placed)),
    );
    const client_order_ids = items.map(({ client_order_id }) => client_order_id);
    return Object.assign(bulkResults(endpoint.name, items), { client_order_ids });
  }

  /** Completes when a request keeps the rules of its market; `undefined` without `checkOrders`. */
  check(endpoint: Endpoint, fields: WireFields): Observable<never> | undefined {
    const { toCheck } = endpoint;
    if (!this.#checks || toCheck === undefined) return undefined;
    return marketCheck(this.markets$, endpoint, () => toCheck.call(endpoint, fields));
  }

  #place<Output>(
    endpoint: Endpoint<never, Output>,
    fields: WireFields,
    limits: CallLimits,
    send?: OrderTerms<Output>['send'],
  ): OrderObservable<Output> {
    return placeOnce(fields, { endpoint, limits, check$: this.check(endpoint, fields), send }, this.#desk);
  }

  ownTerms<Output>(endpoint: Endpoint<never, Output>, { fields }: CheckedCall): OwnTerms<Output> {
    const check$ = this.check(endpoint, fields);
    const { resultLookup } = endpoint;
    // The caller's own bound may be too short for a list: the result would stay unknown.
    const options = lookupOptions();
    const read: Read = (list, params) => this.#desk.caller.call(list, params, options);
    const lookUp =
      resultLookup === undefined ? undefined : (since: () => number) => lookUpResult(resultLookup, read, fields, since);
    const replaced = endpoint.replaces?.(fields);
    if (replaced === undefined) return { check$, lookUp };
    const { registry } = this.#desk;
    return {
      check$,
      lookUp,
      isOfAnother: (output) => !registry.canReplace(replaced, output),
      onOutput: (output) => {
        registry.replace(replaced, output);
      },
    };
  }

  find(search: OrderSearch, key: OrderKey, limits: CallLimits): Observable<unknown> {
    return findOrder({ search, key, limits, markets$: this.markets$ }, this.#desk);
  }
}

function isBulk(endpoint: Endpoint | BulkOrderEndpoint): endpoint is BulkOrderEndpoint {
  return endpoint.safety === 'orders';
}

/** The orders of a request of several, which the schema of a user's own endpoint may have made of anything. */
function itemsOf(endpoint: string, orders: unknown): readonly WireFields[] {
  if (Array.isArray(orders) && orders.length > 0 && orders.every(isRecord)) return orders;
  throw new RequestError(endpoint, [{ field: 'orders', message: 'must be a list of orders, at least one' }]);
}
