// The client: the endpoints of every group, bound to one client.
import type { Observable } from 'rxjs';
import type { CallArguments, Endpoint, OrderEndpoint } from './endpoints/define-endpoint.js';
import {
  checkOptions,
  createClient,
  type CallOptions,
  type Client,
  type ClientOptions,
  type FindOptions,
} from './client/index.js';
import * as account from './endpoints/account/index.js';
import * as collateral from './endpoints/collateral/index.js';
import * as mining from './endpoints/mining/index.js';
import * as oauth from './endpoints/oauth/index.js';
import * as orders from './endpoints/orders/index.js';
import * as publicEndpoints from './endpoints/public/index.js';
import * as spot from './endpoints/spot/index.js';
import { orderLookup } from './endpoints/orders/lookup.js';
import * as subAccounts from './endpoints/sub-accounts/index.js';
import type { LiteralUnion } from './model/literal-union.js';
import type { Order } from './model/order.js';
import type { OrderObservable } from './orders/index.js';

/** Options of {@link createExchange}. */
export interface ExchangeOptions extends ClientOptions {}

/** The names of a group's endpoints that place orders. */
type OrderNames<Prefix extends string, Group> = {
  [Name in keyof Group & string]: Group[Name] extends { readonly safety: 'order' } ? `${Prefix}.${Name}` : never;
}[keyof Group & string];

/** The name of an endpoint that places orders, such as `spot.placeStockMarketOrder`. */
export type OrderEndpointName = OrderNames<'spot', typeof spot> | OrderNames<'collateral', typeof collateral>;

/** The order that `exchange.orders.find` looks up. */
export interface FindOrderParams {
  /** The pair, `BASE_QUOTE`. */
  readonly market: string;
  /** The identifier that the order was placed with. */
  readonly client_order_id: string;
  /** The endpoint that the order was sent to. Without it, the order can be found, but not proven absent. */
  readonly endpoint?: LiteralUnion<OrderEndpointName>;
}

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
export interface Exchange extends Omit<Client, 'findOrder'> {
  /** Market data, with no credentials: {@link ping}, {@link serverTime}, {@link markets}. */
  readonly public: Bound<typeof publicEndpoints>;
  /**
   * Spot trading: {@link placeStockMarketOrder}, {@link placeMarketOrder}; and what follows an order, spot or
   * collateral: {@link openOrders}, {@link orderHistory}, {@link cancelOrder}, {@link setKillSwitch}.
   */
  readonly spot: Bound<typeof spot>;
  /** Orders, wherever they were placed: {@link open}, {@link history}, {@link cancel}, {@link setKillSwitch}, `find`. */
  readonly orders: Bound<typeof orders> & {
    /**
     * Looks up an order that was placed before, by this program or by one that has ended. Emits the order and
     * completes. Fails with {@link NotPlacedError} when it is proven that the order does not exist, and that no request
     * in flight can create it; with `outcome: 'unknown'` when that could not be proven. Sends no order.
     *
     * Proving that an order does not exist takes 22 s by default, because a request sent just before can still execute
     * for 18 s. It needs the `endpoint` that the order was sent to. The client must have seen that endpoint take
     * identifiers: place or find an order of it first. An order that is in doubt in this client needs no `endpoint`.
     *
     * Rate limit `orders`, 12000 requests / 10 s
     *
     * @example
     * ```ts
     * import { createExchange } from 'exchange-rx';
     * import { createSandbox } from 'exchange-rx/sandbox';
     *
     * const exchange = createExchange(createSandbox().clientOptions());
     * exchange.orders.find({ market: 'BTC_USDT', client_order_id: 'my-order-7' }).subscribe({
     *   next: (order) => console.log('placed', order.status),
     *   error: (error: unknown) => console.log('not placed, or not known', error),
     * });
     * ```
     */
    readonly find: (params: FindOrderParams, options?: FindOptions) => Observable<Order>;
  };
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
  checkOptions('createExchange', options);
  const { serverTime, markets } = publicEndpoints;
  const { findOrder, ...client } = createClient(options, { serverTime, markets });

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
    public: bind(publicEndpoints),
    spot: bind(spot),
    orders: {
      ...bind(orders),
      find: (params, findOptions) => {
        const { endpoint } = params;
        const isMarketOrder = endpoint === spot.placeMarketOrder.name || endpoint === spot.placeStockMarketOrder.name;
        // A market order has no stop loss: the conditional orders say nothing about it.
        const key = isMarketOrder ? { ...params, isConditional: false } : params;
        return findOrder(orderLookup, key, findOptions);
      },
    },
    collateral: bind(collateral),
    account: bind(account),
    subAccounts: bind(subAccounts),
    mining: bind(mining),
    oauth: bind(oauth),
  };
}
