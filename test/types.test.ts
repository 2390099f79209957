// The types that users meet: params, outputs and errors of every endpoint, bound and standalone.
import {
  cancelOrder,
  isExchangeError,
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
  type Market,
  type MiningAccountPage,
  type Order,
  type OrderHistory,
  type Outcome,
  type PlaceCollateralLimitOrderParams,
  type PlaceStockMarketOrderParams,
  type Pong,
  type RefreshedToken,
  type RefreshTokenParams,
  type RequestIssue,
  type ServerTime,
  type SubAccountPage,
} from 'exchange-rx';
import type { Observable } from 'rxjs';
import { describe, expectTypeOf, it } from 'vitest';

/** Never called: its body is compiled, not run. */
function compiled(_use: (exchange: Exchange) => void): void {
  expectTypeOf(_use).toBeFunction();
}

const order = { market: 'BTC_USDT', side: 'buy', amount: '1' } as const;

describe('types', () => {
  it('outputs of the bound endpoints', () => {
    compiled((exchange) => {
      expectTypeOf(exchange.public.ping()).toEqualTypeOf<Observable<Pong>>();
      expectTypeOf(exchange.public.serverTime()).toEqualTypeOf<Observable<ServerTime>>();
      expectTypeOf(exchange.public.markets()).toEqualTypeOf<Observable<Market[]>>();
      expectTypeOf(exchange.spot.placeStockMarketOrder(order)).toEqualTypeOf<Observable<Order>>();
      expectTypeOf(exchange.spot.placeMarketOrder(order)).toEqualTypeOf<Observable<Order>>();
      expectTypeOf(exchange.spot.openOrders()).toEqualTypeOf<Observable<Order[]>>();
      expectTypeOf(exchange.spot.orderHistory()).toEqualTypeOf<Observable<OrderHistory>>();
      expectTypeOf(exchange.spot.cancelOrder({ market: 'BTC_USDT', order_id: 1 })).toEqualTypeOf<Observable<Order>>();
      expectTypeOf(exchange.collateral.placeLimitOrder({ ...order, price: 1 })).toEqualTypeOf<Observable<Order>>();
      expectTypeOf(exchange.collateral.setLeverage({ leverage: 5 })).toEqualTypeOf<Observable<ActiveLeverage>>();
      expectTypeOf(exchange.account.mainBalance()).toEqualTypeOf<Observable<Balance>>();
      expectTypeOf(exchange.subAccounts.list()).toEqualTypeOf<Observable<SubAccountPage>>();
      expectTypeOf(exchange.mining.listAccounts()).toEqualTypeOf<Observable<MiningAccountPage>>();
      expectTypeOf(exchange.oauth.refreshToken).parameter(0).toEqualTypeOf<RefreshTokenParams>();
      expectTypeOf(exchange.oauth.refreshToken).returns.toEqualTypeOf<Observable<RefreshedToken>>();
    });
  });

  it('outputs of the same endpoints, standalone', () => {
    compiled((exchange) => {
      expectTypeOf(exchange.call(ping)).toEqualTypeOf<Observable<Pong>>();
      expectTypeOf(exchange.call(serverTime)).toEqualTypeOf<Observable<ServerTime>>();
      expectTypeOf(exchange.call(markets)).toEqualTypeOf<Observable<Market[]>>();
      expectTypeOf(exchange.call(placeStockMarketOrder, order)).toEqualTypeOf<Observable<Order>>();
      expectTypeOf(exchange.call(placeMarketOrder, order)).toEqualTypeOf<Observable<Order>>();
      expectTypeOf(exchange.call(openOrders)).toEqualTypeOf<Observable<Order[]>>();
      expectTypeOf(exchange.call(orderHistory)).toEqualTypeOf<Observable<OrderHistory>>();
      expectTypeOf(exchange.call(cancelOrder, { market: 'BTC_USDT', client_order_id: 'a' })).toEqualTypeOf<Observable<Order>>();
      expectTypeOf(exchange.call(placeCollateralLimitOrder, { ...order, price: '1' })).toEqualTypeOf<Observable<Order>>();
      expectTypeOf(exchange.call(setLeverage, { leverage: 1 })).toEqualTypeOf<Observable<ActiveLeverage>>();
      expectTypeOf(exchange.call(mainBalance)).toEqualTypeOf<Observable<Balance>>();
      expectTypeOf(exchange.call(listSubAccounts, { limit: 3 })).toEqualTypeOf<Observable<SubAccountPage>>();
      expectTypeOf(exchange.call(listMiningAccounts)).toEqualTypeOf<Observable<MiningAccountPage>>();
      expectTypeOf(exchange.call(refreshToken, { client_id: 'a', client_secret: 'b', token: 'c' })).toEqualTypeOf<Observable<RefreshedToken>>();
    });
  });

  it('parameters: required and optional fields, picklists, options', () => {
    expectTypeOf<PlaceStockMarketOrderParams>().toExtend<{ market: string; side: 'buy' | 'sell'; amount: string | number }>();
    expectTypeOf<PlaceStockMarketOrderParams['stp']>().toEqualTypeOf<'no' | 'cancel_both' | 'cancel_new' | 'cancel_old' | undefined>();
    expectTypeOf<PlaceStockMarketOrderParams['client_order_id']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<PlaceCollateralLimitOrderParams['price']>().toEqualTypeOf<string | number>();
    expectTypeOf<PlaceCollateralLimitOrderParams['positionSide']>().toEqualTypeOf<'LONG' | 'SHORT' | 'BOTH' | undefined>();
    compiled((exchange) => {
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
    expectTypeOf<Order['deal_money']>().toEqualTypeOf<string>();
    expectTypeOf<Order['order_id']>().toEqualTypeOf<number>();
    expectTypeOf<'FILLED' | 'a new one'>().toExtend<NonNullable<Order['status']>>();
    expectTypeOf<Order['something new']>().toEqualTypeOf<unknown>();
  });

  it('errors: kind narrows to the class and its fields', () => {
    expectTypeOf<AnyExchangeError['outcome']>().toEqualTypeOf<Outcome>();
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
