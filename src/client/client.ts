// The one pipeline that every request takes: check, permit, sign, send, read, retry.
import { defer, merge, Subject, tap, type Observable } from 'rxjs';
import {
  allItems,
  Caller,
  findLimits,
  lookupOptions,
  onlyOptions,
  type CallOptions,
  type CallSite,
  type CheckedCall,
  type Desk,
  type FindOptions,
} from '../call/index.js';
import { callWarnings } from './client-registry.js';
import { createDesk, type ClientEvent } from './desk.js';
import {
  hasNoParameters,
  placesOrders,
  type BulkOrderEndpoint,
  type BulkOrderObservable,
  type CallArguments,
  type Endpoint,
  type OrderEndpoint,
  type OrderKey,
  type OrderObservable,
  type OrderSearch,
  type PagedList,
  type RateLimit,
} from '../endpoint/index.js';
import { RequestError, toExchangeError } from '../errors/index.js';
import type { Redactor } from '../http/index.js';
import { isRecord } from '../model/map.js';
import type { Market } from '../model/market.js';
import type { Order } from '../model/order.js';
import { unreadableIn } from '../model/unreadable.js';
import { Movements } from '../movements/index.js';
import {
  defaultHistoryLagMs,
  defaultSettleMs,
  listedMarket,
  Orders,
  refusedOrder,
  type ListedMarket,
  type UndecidedOrder,
} from '../orders/index.js';
import type { ClientOptions } from './options.js';
import { checkAcquire, type Scheduler } from '../scheduler/index.js';

/** What every client of the exchange has: calls of any endpoint, events. */
export interface Client extends AsyncDisposable {
  /**
   * Calls an endpoint. The parameters are read now. Each subscription sends a request, but concurrent subscribers of a
   * request that changes something share one. The observable of an order places at most one order, and that of safety
   * `once` is executed at most once. Emits the output and completes, or ends with an {@link AnyExchangeError}.
   *
   * @example
   * ```ts
   * import type { Exchange } from 'exchange-rx';
   * import * as endpoints from 'exchange-rx/endpoints';
   *
   * const pong$ = (exchange: Exchange) => exchange.call(endpoints.public.ping);
   * ```
   */
  call<Params extends object, Output>(
    endpoint: OrderEndpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): OrderObservable<Output>;
  /** Calls an endpoint that places several orders by one request: each of them at most once. */
  call<Params extends object, Output>(
    endpoint: BulkOrderEndpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): BulkOrderObservable<Output>;
  /** Calls an endpoint that places no order. */
  call<Params extends object, Output>(
    endpoint: Endpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): Observable<Output>;
  /**
   * Reads every page of a list, and emits the items one by one. The next page is requested when the items of the previous
   * page were taken.
   */
  listAll<Params extends object, Item>(
    list: PagedList<Params, Item>,
    ...args: CallArguments<Params, CallOptions>
  ): Observable<Item>;
  /**
   * A market with its rules, to round and check orders by them. The markets are read by the first call, refreshed in the
   * background when they are a minute old, and used for an hour at most. Fails with {@link RequestError} for a market that
   * the exchange does not list.
   *
   * @param name the pair, `BASE_QUOTE`
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.market('BTC_USDT').subscribe(({ rules, roundAmount }) => {
   *   console.log(rules.minTotal, rules.money, roundAmount(0.12345678));
   * });
   * ```
   */
  market(name: string): Observable<ListedMarket>;
  /**
   * The orders of unknown outcome: their responses were lost, or their subscribers unsubscribed. Emits the list at
   * subscription and at each change. An order leaves the list when it is found or proven absent. To determine its
   * outcome, subscribe to its observable again, or call `orders.find`.
   */
  readonly undecided$: Observable<readonly UndecidedOrder[]>;
  /** The base address of the exchange. */
  readonly baseUrl: string;
  /** Whether the client has credentials: without them, every private call fails. */
  readonly hasCredentials: boolean;
  /** Requests, responses, retries, orders in doubt and limits, for logs and metrics. Hot. */
  readonly events$: Observable<ClientEvent>;
  /**
   * Grants the client's permits: see its `usage$`, and pass it to other clients behind the same IP address. A permit
   * that you acquire from it also waits until one more request of this client may be in flight.
   */
  readonly scheduler: Scheduler;
  /**
   * Closes the connections that requests are sent on, after the requests in flight. Calls that were not sent by then fail
   * with {@link TransportError} and outcome `not-executed`, and later calls with {@link RequestError}. A client that is not
   * closed keeps no process alive. A `transport` or `fetch` of your own stays open, and so do live connections until
   * their last subscriber unsubscribes.
   */
  close(): Promise<void>;
}

/** A member of a group of endpoints, whatever its parameters are. */
export type Member = Endpoint | BulkOrderEndpoint | PagedList | OrderSearch;

/** A client, and the members of groups as its methods. */
export interface InnerClient extends Client {
  readonly methodOf: (member: Member) => object;
}

/** What a client takes beside its options: it knows no endpoint by name. */
export interface ClientParts {
  /** Reads the exchange's clock: after a nonce was rejected for its age, and to prove that an order does not exist. */
  readonly serverTime: Endpoint;
  /** Lists the markets. In a market that the exchange does not list, the absence of an order is never proven. */
  readonly markets: Endpoint<never, readonly Market[]>;
  /** The rate limits of the endpoints: `limits` may have no other names. */
  readonly rateLimits: readonly RateLimit[];
  /** The orders that a live connection pushes: the absence of one of them is not believed any more. */
  readonly pushedOrders$: Observable<Order>;
}

/** Reading the clock must not delay the request whose nonce was rejected. */
const clockTimeoutMs = 3000;

/** Makes a client without groups of endpoints. `redactor` hides the secrets of its calls, and of a live connection. */
export function createClient(
  options: ClientOptions,
  { serverTime, markets, rateLimits, pushedOrders$ }: ClientParts,
  redactor: Redactor,
): InnerClient {
  const { warnings = true, allowWithdrawals = false, settleMs = defaultSettleMs } = options;
  const { historyLagMs = defaultHistoryLagMs } = options;
  const events = new Subject<ClientEvent>();
  const reading$: Observable<unknown> = defer(() =>
    caller.call(serverTime, {}, lookupOptions(options.timeoutMs ?? clockTimeoutMs)),
  );
  const desk = createDesk(options, rateLimits, redactor, reading$, events);
  const caller = new Caller(desk, options);
  const failing = (error: unknown) => desk.errors.failing(error);
  const orders = new Orders(caller, options, markets, (event) => {
    events.next(event);
  });
  const movements = new Movements(caller, { ...options, settleMs, historyLagMs }, (event) => {
    events.next(event);
  });
  pushedOrders$.subscribe((order) => {
    orders.onPushed(order);
  });

  function call<Params extends object, Output>(
    endpoint: OrderEndpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): OrderObservable<Output>;
  function call<Params extends object, Output>(
    endpoint: BulkOrderEndpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): BulkOrderObservable<Output>;
  function call<Params extends object, Output>(
    endpoint: Endpoint<Params, Output>,
    ...args: CallArguments<Params, CallOptions>
  ): Observable<Output>;
  function call(endpoint: Endpoint | BulkOrderEndpoint, ...args: readonly (object | undefined)[]): Observable<unknown> {
    return callAt(callWarnings.siteOf(call), endpoint, args);
  }

  function callAt(
    site: CallSite,
    endpoint: Endpoint | BulkOrderEndpoint,
    args: readonly (object | undefined)[],
  ): Observable<unknown> {
    const [first = {}, second] = args;
    try {
      const isWithoutParameters = hasNoParameters(endpoint);
      const isOrder = placesOrders(endpoint);
      const own = isWithoutParameters ? onlyOptions(endpoint.name, args[0], second) : second;
      const checked = caller.check(endpoint, isWithoutParameters ? {} : first, own, site);
      if (endpoint.movesMoneyOut === true && !allowWithdrawals) throw withdrawalsNotAllowed(endpoint.name);
      const call$ = isOrder ? orders.place(endpoint, checked) : changed(endpoint, checked);
      if (warnings && endpoint.safety !== 'read') callWarnings.watch(call$, endpoint.name, site);
      const { page } = endpoint;
      if (!warnings || page === undefined || checked.fields['limit'] !== undefined) return call$;
      return call$.pipe(
        tap((output) => {
          if (itemsIn(output) >= page.defaultLimit) callWarnings.cut(endpoint.name, page, site);
        }),
      );
    } catch (thrown) {
      const error = toExchangeError(thrown, endpoint.name, 'not-executed').with({ calledFrom: site });
      return placesOrders(endpoint) ? refusedOrder(endpoint, { ...first }, error, failing) : failing(error);
    }
  }

  function changed(endpoint: Endpoint, checked: CheckedCall): Observable<unknown> {
    const { recordLookup } = endpoint;
    return recordLookup === undefined
      ? caller.run(endpoint, checked, orders.ownTerms(endpoint, checked))
      : movements.make(endpoint, recordLookup, checked);
  }

  function listAt<Item>(
    site: CallSite,
    list: PagedList<never, Item>,
    params: object = {},
    own: CallOptions = {},
  ): Observable<Item> {
    try {
      const { name, request } = list;
      const { fields } = caller.check({ ...list.pagesOf, name, request }, params, own, site);
      const now = () => desk.identity.clock.now() / 1000;
      return allItems(list, fields, now, (page) =>
        defer(() => caller.run(list.pagesOf, caller.check(list.pagesOf, page, own, site))),
      );
    } catch (thrown) {
      return failing(toExchangeError(thrown, list.name, 'not-executed').with({ calledFrom: site }));
    }
  }

  function findAt(site: CallSite, search: OrderSearch, key: OrderKey, own: FindOptions = {}): Observable<unknown> {
    try {
      return orders.find(search, key, findLimits(search.name, own, options, site));
    } catch (thrown) {
      // A mistake in the call says nothing about the order.
      const { client_order_id }: Partial<OrderKey> = { ...key };
      const about = typeof client_order_id === 'string' ? { client_order_id } : {};
      return failing(
        toExchangeError(thrown, search.name, 'none').with({ outcome: 'none', calledFrom: site, ...about }),
      );
    }
  }

  let closed: Promise<void> | undefined;
  const close = () => {
    caller.isClosed = true;
    closed ??= (options.transport === undefined ? desk.wire.transport.close?.() : undefined) ?? Promise.resolve();
    return closed;
  };

  return {
    close,
    [Symbol.asyncDispose]: close,
    call,
    listAll: function listAll(list, params: object = {}, own: CallOptions = {}) {
      return listAt(callWarnings.siteOf(listAll), list, params, own);
    },
    methodOf: (member) => {
      if ('pagesOf' in member)
        return function method(params?: object, own?: CallOptions) {
          return listAt(callWarnings.siteOf(method), member, params, own);
        };
      if ('finds' in member)
        return function method(key: OrderKey, own?: FindOptions) {
          return findAt(callWarnings.siteOf(method), member, key, own);
        };
      return function method(...args: readonly (object | undefined)[]) {
        return callAt(callWarnings.siteOf(method), member, args);
      };
    },
    market: (name) => listedMarket(orders.markets$, name),
    baseUrl: options.baseUrl,
    hasCredentials: options.credentials !== undefined,
    undecided$: orders.undecided$,
    events$: merge(events, desk.bounds.scheduler.events$),
    scheduler: withinFlight(desk.bounds, caller),
  };
}

function withdrawalsNotAllowed(endpoint: string): RequestError {
  const message = 'must be true in the options of createExchange: the call moves money out of the account';
  return new RequestError(endpoint, [{ field: 'allowWithdrawals', message }]);
}

/** The number of items in a list, in the list of a page, or in the lists by market. */
function itemsIn(output: unknown): number {
  const unreadable = unreadableIn(output)?.count ?? 0;
  const lists = Array.isArray(output) || !isRecord(output) ? [output] : Object.values(output);
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), unreadable);
}

/** The scheduler of a client: a permit that its user acquires also waits until one more request may be in flight. */
function withinFlight({ scheduler, inFlight, signedInFlight }: Desk['bounds'], { signedLimits }: Caller): Scheduler {
  return {
    acquire: (rateLimit, acquireOptions = {}) =>
      defer(() => {
        const names = [rateLimit].flat().map(({ name }) => name);
        checkAcquire(acquireOptions.endpoint ?? names[0] ?? 'acquire', acquireOptions);
        const client = names.some((name) => signedLimits.has(name)) ? signedInFlight : inFlight;
        return scheduler.acquire(rateLimit, { inFlight: client, ...acquireOptions });
      }),
    usage$: scheduler.usage$,
    events$: scheduler.events$,
  };
}
