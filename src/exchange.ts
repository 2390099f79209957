// The client: the endpoints of every group, bound to one client.
import { catchError, concatMap, ignoreElements, map, throwError, type Observable } from 'rxjs';
import type { CallArguments, Endpoint, OrderEndpoint, WireFields } from './endpoints/define-endpoint.js';
import type { CallOptions } from './client/call-options.js';
import * as account from './endpoints/account/index.js';
import * as collateral from './endpoints/collateral/index.js';
import * as mining from './endpoints/mining/index.js';
import * as oauth from './endpoints/oauth/index.js';
import * as orders from './endpoints/orders/index.js';
import * as publicEndpoints from './endpoints/public/index.js';
import * as spot from './endpoints/spot/index.js';
import { orderLookup } from './endpoints/orders/lookup.js';
import * as subAccounts from './endpoints/sub-accounts/index.js';
import { type OptionRules, RequestError, trueOrFalse } from './errors/index.js';
import { cacheMarkets, checkAgainstMarkets } from './orders/market-rules.js';
import { checkOptions, clientOptionRules, type ClientOptions } from './client/options.js';
import type { Order } from './model/order.js';
import { unreadableIn } from './model/unreadable.js';
import type { OrderObservable } from './orders/order-calls.js';
import { createClient, type Client } from './client/client.js';

/** Options of {@link createExchange}. */
export interface ExchangeOptions extends ClientOptions {
  /**
   * Checks every order against its market's rules ({@link checkOrder}) before it is sent. The markets are read when the
   * first order is placed, refreshed behind the orders when they are a minute old, and used for an hour at most.
   * Default false.
   */
  readonly checkOrders?: boolean;
}

const exchangeRules: OptionRules<ExchangeOptions> = { ...clientOptionRules, checkOrders: trueOrFalse };

/**
 * The members of a group as functions of one client: parameters and options in, an observable of the output out. A
 * member is an endpoint, or a function that calls endpoints of the client that it is given.
 */
export type Bound<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends OrderEndpoint<infer Params, infer Output>
    ? (...args: CallArguments<Params, CallOptions>) => OrderObservable<Output>
    : Group[Name] extends Endpoint<infer Params, infer Output>
      ? (...args: CallArguments<Params, CallOptions>) => Observable<Output>
      : Group[Name] extends (client: Caller, ...args: infer Args) => Observable<infer Output>
        ? (...args: Args) => Observable<Output>
        : never;
};

/** What a function of a group needs of the client. */
type Caller = Pick<Client, 'call'>;

/** A function of a group, whatever its parameters are. */
type GroupFunction = (client: Caller, ...args: never[]) => Observable<unknown>;

/**
 * A client of the exchange, made by {@link createExchange}: a function for each endpoint, by group, and what all of
 * them share.
 */
export interface Exchange extends Omit<Client, 'resumeOrder'> {
  /**
   * Looks up an order that was placed before, by this program or by one that has ended. Emits the order and completes;
   * or fails with {@link NotPlacedError} when it is proven that the order does not exist and that no request in flight
   * can create it, or with `outcome: 'unknown'` when that could not be proven. Sends no order.
   *
   * Absence is proven only for an `endpoint` (a name such as `placeStockMarketOrder`) that this client has seen to take
   * identifiers: place or find an order of it first. An order that is in doubt in this client needs no `endpoint`.
   *
   * Limit group `orders`, 12000 requests / 10 s
   *
   * @example
   * ```ts
   * import { createExchange } from 'exchange-rx';
   * import { createSandbox } from 'exchange-rx/sandbox';
   *
   * const exchange = createExchange(createSandbox().clientOptions());
   * exchange.resumeOrder('my-order-7', 'BTC_USDT').subscribe({
   *   next: (order) => console.log('placed', order.status),
   *   error: (error: unknown) => console.log('not placed, or not known', error),
   * });
   * ```
   */
  resumeOrder(client_order_id: string, market: string, endpoint?: string): Observable<Order>;
  /** Market data, with no credentials: {@link ping}, {@link serverTime}, {@link markets}. */
  readonly public: Bound<typeof publicEndpoints>;
  /**
   * Spot trading: {@link placeStockMarketOrder}, {@link placeMarketOrder}; and what follows an order, spot or
   * collateral: {@link openOrders}, {@link orderHistory}, {@link cancelOrder}, {@link setKillSwitch}.
   */
  readonly spot: Bound<typeof spot>;
  /** What follows an order, wherever it was placed: {@link open}, {@link history}, {@link cancel}, {@link setKillSwitch}. */
  readonly orders: Bound<typeof orders>;
  /** Collateral trading: `placeLimitOrder` ({@link placeCollateralLimitOrder}), {@link setLeverage}. */
  readonly collateral: Bound<typeof collateral>;
  /** The main account: {@link mainBalance}. To watch it: {@link watchBalance}. */
  readonly account: Bound<typeof account>;
  /** The sub-accounts of the main account: `list` reads a page, `listAll` every sub-account. */
  readonly subAccounts: Bound<typeof subAccounts>;
  /** The mining pool: `listAccounts` reads a page of its accounts, `listAllAccounts` every account. */
  readonly mining: Bound<typeof mining>;
  /** OAuth 2.0, for applications that act for their users: {@link refreshToken}. Needs no credentials of an account. */
  readonly oauth: Bound<typeof oauth>;
}

/**
 * Makes a client of the exchange. Throws {@link RequestError} when an option is bad.
 *
 * Rate limits are counted by IP address: the clients of a process with one base address share them, unless they are
 * given another `scheduler`.
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 *
 * const exchange = createExchange({
 *   baseUrl: 'https://exchange.example',
 *   credentials: { apiKey: process.env['EXCHANGE_API_KEY'] ?? 'key', apiSecret: process.env['EXCHANGE_API_SECRET'] ?? 'secret' },
 *   checkOrders: true,
 * });
 * ```
 */
export function createExchange(options: ExchangeOptions): Exchange {
  checkOptions('createExchange', options, exchangeRules);
  const { checkOrders = false, ...clientOptions } = options;
  const client: Client = createClient(clientOptions, {
    readClock: () =>
      client.call(publicEndpoints.serverTime, { retry: false, priority: 'urgent', timeoutMs: clockTimeoutMs }),
    isListed: (market) => markets$.pipe(map((markets) => markets.has(market) || unreadableIn(markets) !== undefined)),
    ...(checkOrders ? { beforeOrder: checkAgainstMarket } : {}),
  });
  const markets$ = cacheMarkets(
    () => client.call(publicEndpoints.markets),
    () => performance.now(),
  );

  /** An order that could not be checked is not sent: the failure of the read says nothing of the order. */
  function checkAgainstMarket(endpoint: Endpoint, fields: WireFields): Observable<never> {
    return markets$.pipe(
      catchError((cause: unknown) => throwError(() => new RequestError(endpoint.name, [uncheckedMarket], cause))),
      map((markets) => {
        const order = endpoint.toCheck?.(fields);
        return order === undefined ? [] : checkAgainstMarkets(markets, order);
      }),
      concatMap((issues) => (issues.length === 0 ? [] : throwError(() => new RequestError(endpoint.name, issues)))),
      ignoreElements(),
    );
  }

  function bind<Group extends Readonly<Record<string, Endpoint | GroupFunction>>>(group: Group): Bound<Group>;
  function bind(group: Readonly<Record<string, Endpoint | GroupFunction>>) {
    return Object.fromEntries(
      Object.entries(group).map(([name, member]) => [
        name,
        typeof member === 'function'
          ? (...args: never[]) => member(client, ...args)
          : (...args: CallArguments<never, CallOptions>) => client.call(member, ...args),
      ]),
    );
  }

  return {
    ...client,
    resumeOrder: (client_order_id, market, endpoint) => {
      const isOfMarket = endpoint === spot.placeMarketOrder.name || endpoint === spot.placeStockMarketOrder.name;
      // A market order has no stop loss: what is listed among the conditional orders says nothing of it.
      const sentTo = endpoint === undefined ? {} : { endpoint, ...(isOfMarket ? { isConditional: false } : {}) };
      return client.resumeOrder(orderLookup, { market, client_order_id, ...sentTo });
    },
    public: bind(publicEndpoints),
    spot: bind(spot),
    orders: bind(orders),
    collateral: bind(collateral),
    account: bind(account),
    subAccounts: bind(subAccounts),
    mining: bind(mining),
    oauth: bind(oauth),
  };
}

/** Reading the clock must not hold up the request whose nonce was refused. */
const clockTimeoutMs = 3000;
const uncheckedMarket = { field: 'market', message: 'could not be checked: the markets could not be read' };
