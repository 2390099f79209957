// The types that users meet: params, outputs and errors of every endpoint, bound and standalone.
import type { poll } from 'exchange-rx';
import {
  cancelOrder,
  createScheduler,
  defineEndpoint,
  isExchangeError,
  isUndecided,
  limitGroups,
  listMiningAccounts,
  listSubAccounts,
  mainBalance,
  markets,
  openOrders,
  orderHistory,
  ping,
  placeCollateralLimitOrder,
  placeMarketOrder,
  placeStockMarketOrder,
  refreshToken,
  serverTime,
  setLeverage,
  type ActiveLeverage,
  type AnyExchangeError,
  type ApiErrorReason,
  type Balance,
  type CallOptions,
  type Exchange,
  type ExchangeOptions,
  type Market,
  type MiningAccountPage,
  type Open,
  type Order,
  type OrderHistory,
  type OrderObservable,
  type OrderStatus,
  type Outcome,
  type PlaceCollateralLimitOrderParams,
  type PlaceStockMarketOrderParams,
  type Pong,
  type RefreshedToken,
  type RefreshTokenParams,
  type RequestIssue,
  type SchedulerOptions,
  type ServerTime,
  type SubAccountPage,
  type UndecidedOrder,
} from 'exchange-rx';
import type * as endpoints from 'exchange-rx/endpoints';
import type { Endpoint, LimitGroup } from 'exchange-rx/endpoints';
import * as operators from 'exchange-rx/operators';
import { shareOverRedis, type RedisOptions, type SharedLimits } from 'exchange-rx/redis';
import { createSandbox } from 'exchange-rx/sandbox';
import { watchBalance, watchHealth, type BalanceUpdate, type Health } from 'exchange-rx/streams';
import type { Observable } from 'rxjs';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';

type Endpoints = typeof endpoints;
type EndpointName = { [Name in keyof Endpoints]: Endpoints[Name] extends Endpoint ? Name : never }[keyof Endpoints];
type ParamsOf<Name extends EndpointName> = Endpoints[Name] extends Endpoint<infer Params> ? Fields<Params> : never;
type OutputOf<Name extends EndpointName> =
  Endpoints[Name] extends Endpoint<infer _Params, infer Output> ? Fields<Output> : never;

/** The fields that have a name, all the way down; those that the exchange may add are left out. */
type Fields<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends [infer Only]
      ? [Only]
      : T extends readonly (infer Item)[]
        ? Fields<Item>[]
        : keyof NamedFields<T> extends never
          ? T extends Readonly<Record<string, infer Item>>
            ? Each<Fields<Item>>
            : never
          : NamedFields<T>;
type NamedFields<T> = {
  [Key in keyof T as string extends Key ? never : number extends Key ? never : Key]: Fields<T[Key]>;
};

/** What is under names that nobody knows before. */
interface Each<Item> {
  each: Item;
}

interface OrderParams {
  market: string;
  side: 'buy' | 'sell';
  amount: string | number;
  client_order_id?: string;
  stp?: 'no' | 'cancel_both' | 'cancel_new' | 'cancel_old';
}

interface CollateralOrderParams extends OrderParams {
  price: string | number;
  stopLoss?: string | number;
  takeProfit?: string | number;
  postOnly?: boolean;
  ioc?: boolean;
  rpi?: boolean;
  positionSide?: 'LONG' | 'SHORT' | 'BOTH';
  reduceOnly?: boolean;
}

/** No value can be given under any name, unless it is this sentence: the run time refuses that. */
type NoParameters = Each<'this endpoint has no parameters: options are the second argument'>;

/** What every endpoint takes. */
interface Params {
  ping: NoParameters;
  serverTime: NoParameters;
  markets: NoParameters;
  placeStockMarketOrder: OrderParams;
  placeMarketOrder: OrderParams;
  placeCollateralLimitOrder: CollateralOrderParams;
  openOrders: { market?: string; order_id?: number; client_order_id?: string; limit?: number; offset?: number };
  orderHistory: {
    market?: string;
    order_id?: number;
    client_order_id?: string;
    startDate?: number;
    endDate?: number;
    status?: string;
    limit?: number;
    offset?: number;
  };
  cancelOrder: { market: string; order_id?: number; client_order_id?: string };
  conditionalOrders: { market?: string; limit?: number; offset?: number };
  setKillSwitch: { market: string; timeout: number | null };
  setLeverage: { leverage: 1 | 2 | 3 | 5 | 10 | 20 | 50 | 100 };
  mainBalance: NoParameters;
  listSubAccounts: { search?: string; limit?: number; offset?: number };
  listMiningAccounts: { name?: string; limit?: number; offset?: number };
  refreshToken: { client_id: string; client_secret: string; token: string };
}

interface AnyOrder {
  order_id: number;
  client_order_id: string;
  market: string;
  side: Open<'buy' | 'sell'>;
  type?: Open<'market' | 'limit' | 'stock market' | 'stop limit' | 'stop market'> | undefined;
  timestamp?: number | undefined;
  deal_money?: string | undefined;
  deal_stock?: string | undefined;
  amount?: string | undefined;
  deal_fee?: string | undefined;
  feeAsset?: string | undefined;
  price?: string | undefined;
  postOnly?: boolean | undefined;
  ioc?: boolean | undefined;
  status?: Open<OrderStatus> | undefined;
  stp?: Open<'no' | 'cancel_both' | 'cancel_new' | 'cancel_old' | 'cb' | 'cn' | 'co'> | undefined;
  positionSide?: Open<'LONG' | 'SHORT' | 'BOTH'> | undefined;
  rpi?: boolean | undefined;
  reduceOnly?: boolean | undefined;
  activated?: number | undefined;
  activationCondition?: Open<'lte' | 'gte'> | undefined;
  activation_price?: string | undefined;
  oto?: { otoId?: number | undefined; stopLoss?: string | undefined; takeProfit?: string | undefined } | undefined;
}

interface OpenOrder extends AnyOrder {
  left?: string | undefined;
}

interface PastOrder extends AnyOrder {
  ftime?: number | undefined;
}

interface OpenMarket {
  name: string;
  stock: string;
  money: string;
  stockPrec: string;
  moneyPrec: string;
  feePrec?: string | undefined;
  makerFee?: string | undefined;
  takerFee?: string | undefined;
  tickSize?: string | undefined;
  stepSize?: string | undefined;
  minAmount?: string | undefined;
  minTotal?: string | undefined;
  maxTotal?: string | undefined;
  max_leverage?: string | number | undefined;
  tradesEnabled?: boolean | undefined;
  isCollateral?: boolean | undefined;
  type?: Open<'spot' | 'futures' | 'tradfiFutures'> | undefined;
  delistedAt?: number | undefined;
}

interface KnownSubAccount {
  id: string;
  alias?: string | undefined;
  userId?: string | undefined;
  email?: string | undefined;
  status?: string | undefined;
  color?: string | undefined;
  kyc?: { shareKyc?: boolean | undefined; kycStatus?: string | undefined } | undefined;
  permissions?: { spotEnabled?: boolean | undefined; collateralEnabled?: boolean | undefined } | undefined;
}

interface Conditional {
  id?: number | undefined;
  type?: Open<'oto' | 'oco'> | undefined;
  conditionalOrderType?: string | undefined;
  conditionalOrder?: OpenOrder | undefined;
  stopLossPrice?: string | undefined;
  takeProfitPrice?: string | undefined;
  stopLoss?: OpenOrder | undefined;
  takeProfit?: OpenOrder | undefined;
}

/** What every endpoint answers. */
interface Outputs {
  ping: ['pong'];
  serverTime: { time: number };
  markets: OpenMarket[];
  placeStockMarketOrder: OpenOrder;
  placeMarketOrder: OpenOrder;
  placeCollateralLimitOrder: OpenOrder;
  openOrders: OpenOrder[];
  orderHistory: Each<PastOrder[]>;
  cancelOrder: OpenOrder;
  conditionalOrders: {
    offset?: number | undefined;
    limit?: number | undefined;
    total?: number | undefined;
    records: Conditional[];
  };
  setKillSwitch: {
    market?: string | undefined;
    startTime?: number | undefined;
    cancellationTime?: number | undefined;
    types?: string[] | undefined;
  };
  setLeverage: { leverage: number };
  mainBalance: Each<{ main_balance: string }>;
  listSubAccounts: { offset?: number | undefined; limit?: number | undefined; data: KnownSubAccount[] };
  listMiningAccounts: {
    offset?: number | undefined;
    limit?: number | undefined;
    data: { name: string; createdAt?: number | undefined }[];
  };
  refreshToken: {
    data: {
      access_token: string;
      expires_in?: number | undefined;
      refresh_token: string;
      scope?: string | undefined;
      token_type?: string | undefined;
    };
  };
}

/** Never called: its body is compiled, not run. */
function typed(_use: (exchange: Exchange) => void): void {
  expectTypeOf(_use).toBeFunction();
}

const order = { market: 'BTC_USDT', side: 'buy', amount: '1' } as const;

describe('types', () => {
  it('outputs of the bound endpoints', () => {
    typed((exchange) => {
      expectTypeOf(exchange.public.ping()).toEqualTypeOf<Observable<Pong>>();
      expectTypeOf(exchange.public.serverTime()).toEqualTypeOf<Observable<ServerTime>>();
      expectTypeOf(exchange.public.markets()).toEqualTypeOf<Observable<Market[]>>();
      expectTypeOf(exchange.spot.placeStockMarketOrder(order)).toEqualTypeOf<OrderObservable<Order>>();
      expectTypeOf(exchange.spot.placeMarketOrder(order)).toEqualTypeOf<OrderObservable<Order>>();
      expectTypeOf(exchange.spot.openOrders()).toEqualTypeOf<Observable<Order[]>>();
      expectTypeOf(exchange.spot.orderHistory()).toEqualTypeOf<Observable<OrderHistory>>();
      expectTypeOf(exchange.spot.cancelOrder({ market: 'BTC_USDT', order_id: 1 })).toEqualTypeOf<Observable<Order>>();
      expectTypeOf(exchange.collateral.placeLimitOrder({ ...order, price: 1 })).toEqualTypeOf<OrderObservable<Order>>();
      expectTypeOf(exchange.collateral.setLeverage({ leverage: 5 })).toEqualTypeOf<Observable<ActiveLeverage>>();
      expectTypeOf(exchange.account.mainBalance()).toEqualTypeOf<Observable<Balance>>();
      expectTypeOf(exchange.subAccounts.list()).toEqualTypeOf<Observable<SubAccountPage>>();
      expectTypeOf(exchange.mining.listAccounts()).toEqualTypeOf<Observable<MiningAccountPage>>();
      expectTypeOf(exchange.oauth.refreshToken).parameter(0).toEqualTypeOf<RefreshTokenParams>();
      expectTypeOf(exchange.oauth.refreshToken).returns.toEqualTypeOf<Observable<RefreshedToken>>();
    });
  });

  it('outputs of the same endpoints, standalone', () => {
    typed((exchange) => {
      expectTypeOf(exchange.call(ping)).toEqualTypeOf<Observable<Pong>>();
      expectTypeOf(exchange.call(serverTime)).toEqualTypeOf<Observable<ServerTime>>();
      expectTypeOf(exchange.call(markets)).toEqualTypeOf<Observable<Market[]>>();
      expectTypeOf(exchange.call(placeStockMarketOrder, order)).toEqualTypeOf<OrderObservable<Order>>();
      expectTypeOf(exchange.call(placeMarketOrder, order)).toEqualTypeOf<OrderObservable<Order>>();
      expectTypeOf(exchange.call(openOrders)).toEqualTypeOf<Observable<Order[]>>();
      expectTypeOf(exchange.call(orderHistory)).toEqualTypeOf<Observable<OrderHistory>>();
      expectTypeOf(exchange.call(cancelOrder, { market: 'BTC_USDT', client_order_id: 'a' })).toEqualTypeOf<
        Observable<Order>
      >();
      expectTypeOf(exchange.call(placeCollateralLimitOrder, { ...order, price: '1' })).toEqualTypeOf<
        OrderObservable<Order>
      >();
      expectTypeOf(exchange.call(setLeverage, { leverage: 1 })).toEqualTypeOf<Observable<ActiveLeverage>>();
      expectTypeOf(exchange.call(mainBalance)).toEqualTypeOf<Observable<Balance>>();
      expectTypeOf(exchange.call(listSubAccounts, { limit: 3 })).toEqualTypeOf<Observable<SubAccountPage>>();
      expectTypeOf(exchange.call(listMiningAccounts)).toEqualTypeOf<Observable<MiningAccountPage>>();
      expectTypeOf(exchange.call(refreshToken, { client_id: 'a', client_secret: 'b', token: 'c' })).toEqualTypeOf<
        Observable<RefreshedToken>
      >();
    });
  });

  it('every parameter of every endpoint, and no other', () => {
    expectTypeOf<{ [Name in EndpointName]: ParamsOf<Name> }>().toEqualTypeOf<Params>();
  });

  it('every field of every answer that the description names, and no other', () => {
    expectTypeOf<{ [Name in EndpointName]: OutputOf<Name> }>().toEqualTypeOf<Outputs>();
  });

  it('what the other entry points give is what the first one takes', () => {
    expectTypeOf(shareOverRedis).toEqualTypeOf<(options: RedisOptions) => SharedLimits>();
    expectTypeOf<SchedulerOptions['redis']>().toEqualTypeOf<SharedLimits | undefined>();
    expectTypeOf(createSandbox().clientOptions()).toExtend<ExchangeOptions>();
    expectTypeOf<Endpoint['group']>().toEqualTypeOf<LimitGroup>();
    expectTypeOf(operators.poll).toEqualTypeOf<typeof poll>();
    typed((exchange) => {
      expectTypeOf(watchBalance(exchange)).toEqualTypeOf<Observable<BalanceUpdate>>();
      expectTypeOf(watchHealth(exchange)).toEqualTypeOf<Observable<Health>>();
      // @ts-expect-error options of Redis are no limits that are shared
      createScheduler({ redis: { url: 'redis://127.0.0.1' } });
      // @ts-expect-error no group has that name
      createScheduler({ limits: { pubic: { limit: 1, windowMs: 1000 } } });
      // @ts-expect-error no group has that name
      createScheduler({ maxQueued: { pubic: 1 } });
    });
  });

  it('parameters: required and optional fields, picklists, options', () => {
    expectTypeOf<PlaceStockMarketOrderParams>().toExtend<{
      market: string;
      side: 'buy' | 'sell';
      amount: string | number;
    }>();
    expectTypeOf<PlaceStockMarketOrderParams['stp']>().toEqualTypeOf<
      'no' | 'cancel_both' | 'cancel_new' | 'cancel_old' | undefined
    >();
    expectTypeOf<PlaceStockMarketOrderParams['client_order_id']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<PlaceCollateralLimitOrderParams['price']>().toEqualTypeOf<string | number>();
    expectTypeOf<PlaceCollateralLimitOrderParams['positionSide']>().toEqualTypeOf<
      'LONG' | 'SHORT' | 'BOTH' | undefined
    >();
    typed((exchange) => {
      expectTypeOf(exchange.spot.placeStockMarketOrder).parameter(1).toEqualTypeOf<CallOptions | undefined>();
      // @ts-expect-error amount is required
      exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy' });
      // @ts-expect-error there is no such side
      exchange.spot.placeStockMarketOrder({ ...order, side: 'hold' });
      // @ts-expect-error the live name is not the spec's
      exchange.call(placeStockMarketOrder, { market: 'BTC_USDT', side: 'buy', amount: '1', clientOrderId: 'a' });
      // @ts-expect-error 4 is not an accepted leverage
      exchange.collateral.setLeverage({ leverage: 4 });
      // @ts-expect-error parameters are required
      exchange.spot.cancelOrder();
      // @ts-expect-error ping takes none
      exchange.public.ping({ loud: true });
    });
  });

  it('orders: money is strings, statuses are open to new ones, unknown fields are unknown', () => {
    expectTypeOf<Order['deal_money']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Order['order_id']>().toEqualTypeOf<number>();
    expectTypeOf<'FILLED' | 'a new one'>().toExtend<NonNullable<Order['status']>>();
    expectTypeOf<Order['something new']>().toEqualTypeOf<unknown>();
  });

  it('orders: their observables show client_order_id, also of the user’s own endpoints; other observables do not', () => {
    const definition = {
      name: 'own',
      method: 'POST',
      path: '/own',
      group: limitGroups.stockMarket,
      authentication: 'signed',
      request: v.strictObject({ market: v.string() }),
      response: v.number(),
    } as const;
    const ownOrder = defineEndpoint({ ...definition, safety: 'order' });
    const ownRead = defineEndpoint({ ...definition, safety: 'read' });
    typed((exchange) => {
      expectTypeOf(exchange.spot.placeStockMarketOrder(order).client_order_id).toEqualTypeOf<string>();
      expectTypeOf(exchange.call(ownOrder, { market: 'BTC_USDT' })).toEqualTypeOf<OrderObservable<number>>();
      expectTypeOf(exchange.call(ownRead, { market: 'BTC_USDT' })).toEqualTypeOf<Observable<number>>();
      expectTypeOf(exchange.resumeOrder('mine', 'BTC_USDT')).toEqualTypeOf<Observable<Order>>();
      expectTypeOf(exchange.undecided$).toEqualTypeOf<Observable<readonly UndecidedOrder[]>>();
      expectTypeOf(exchange.spot.cancelOrder({ market: 'BTC_USDT', order_id: 1 })).not.toHaveProperty(
        'client_order_id',
      );
    });
  });

  it('errors: isUndecided narrows to an error that names its order', () => {
    const inspect = (error: unknown) => {
      if (!isUndecided(error)) return;
      expectTypeOf(error.outcome).toEqualTypeOf<'unknown'>();
      expectTypeOf(error.client_order_id).toEqualTypeOf<string>();
    };
    expectTypeOf(inspect).toBeFunction();
  });

  it('errors: kind narrows to the class and its fields', () => {
    expectTypeOf<AnyExchangeError['outcome']>().toEqualTypeOf<Outcome>();
    expectTypeOf<Outcome>().toEqualTypeOf<'not-sent' | 'rejected' | 'unknown' | 'none'>();
    const inspect = (error: unknown) => {
      if (!isExchangeError(error)) return;
      if (error.kind === 'request') expectTypeOf(error.issues).toEqualTypeOf<readonly RequestIssue[]>();
      if (error.kind === 'api') expectTypeOf(error.reason).toEqualTypeOf<ApiErrorReason>();
      if (error.kind === 'rate-limited') expectTypeOf(error.retryAfterMs).toEqualTypeOf<number | undefined>();
      if (error.kind === 'timeout') expectTypeOf(error.timeoutMs).toEqualTypeOf<number>();
    };
    expectTypeOf(inspect).toBeFunction();
  });
});
