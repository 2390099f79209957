// The types that users meet, where inference decides them. test/api has the declared ones.
import {
  createScheduler,
  defineEndpoint,
  isExchangeError,
  isUndecided,
  watchBalance,
  watchHealth,
  type AllBalancesUpdate,
  type BalanceUpdate,
  type CollateralBalanceUpdate,
  type Endpoint,
  type Health,
  type RateLimit,
  type SpotBalanceUpdate,
  type AnyExchangeError,
  type ApiErrorReason,
  type CallOptions,
  type Exchange,
  type ExchangeOptions,
  type Order,
  type OrderObservable,
  type Outcome,
  type RequestIssue,
  type SchedulerOptions,
  type UndecidedOrder,
} from 'exchange-rx';
import * as endpoints from 'exchange-rx/endpoints';
import { createDashboard, type Dashboard, type DashboardOptions } from 'exchange-rx/dashboard';
import { observeMetrics, textMeter, type Meter } from 'exchange-rx/metrics';
import { otelMeter, type traceOrders } from 'exchange-rx/opentelemetry';
import { readRecording, type record, type Recording, type RecordedLine } from 'exchange-rx/recording';
import { shareOverRedis, type RedisOptions, type SharedLimits } from 'exchange-rx/redis';
import { createSandbox } from 'exchange-rx/sandbox';
import type { Observable } from 'rxjs';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';

/** Never called: its body is compiled, not run. */
function typed(_use: (exchange: Exchange) => void): void {
  expectTypeOf(_use).toBeFunction();
}

const order = { market: 'BTC_USDT', side: 'buy', amount: '1' } as const;

describe('types', () => {
  it('outputs of the bound endpoints', () => {
    typed((exchange) => {
      expectTypeOf(exchange.public.ping()).toEqualTypeOf<Observable<endpoints.public.Pong>>();
      expectTypeOf(exchange.spot.placeStockMarketOrder(order)).toEqualTypeOf<OrderObservable<Order>>();
      expectTypeOf(exchange.orders.cancel({ market: 'BTC_USDT', order_id: 1 })).toEqualTypeOf<Observable<Order>>();
      expectTypeOf(exchange.oauth.refreshToken).parameter(0).toEqualTypeOf<endpoints.oauth.RefreshTokenParams>();
      expectTypeOf(exchange.oauth.refreshToken).returns.toEqualTypeOf<Observable<endpoints.oauth.RefreshedToken>>();
    });
  });

  it('outputs of the same endpoints, standalone', () => {
    typed((exchange) => {
      expectTypeOf(exchange.call(endpoints.public.ping)).toEqualTypeOf<Observable<endpoints.public.Pong>>();
      expectTypeOf(exchange.call(endpoints.spot.placeStockMarketOrder, order)).toEqualTypeOf<OrderObservable<Order>>();
    });
  });

  it('parameters of which exactly one is required', () => {
    typed(({ spot, orders }) => {
      const market = 'BTC_USDT';
      void spot.placeLimitOrder({ ...order, price: '1' });
      void spot.placeLimitOrder({ ...order, bboRole: 1 });
      void orders.cancelMany({ orders: [{ market, order_id: 1 }] });
      void orders.cancelMany({ orders: [{ market, client_order_id: 'a' }] });
      // @ts-expect-error neither parameter
      void spot.placeLimitOrder(order);
      // @ts-expect-error both parameters
      void spot.placeStopLimitOrder({ ...order, activation_price: '1', price: '1', bboRole: 1 });
      // @ts-expect-error neither parameter
      void orders.cancel({ market });
      // @ts-expect-error both parameters
      void orders.cancelOco({ market, order_id: 1, client_order_id: 'a' });
      // @ts-expect-error neither parameter
      void orders.cancelMany({ orders: [{ market }] });
    });
  });

  it('values of the other entry points fit the first one', () => {
    expectTypeOf(shareOverRedis).toEqualTypeOf<(options: RedisOptions) => SharedLimits>();
    expectTypeOf(createDashboard).toEqualTypeOf<(exchange: Exchange, options?: DashboardOptions) => Dashboard>();
    expectTypeOf(observeMetrics).parameter(0).toExtend<Partial<Exchange>>();
    expectTypeOf(textMeter()).toExtend<Meter>();
    expectTypeOf(otelMeter).returns.toEqualTypeOf<Meter>();
    expectTypeOf<Exchange>().toExtend<Parameters<typeof traceOrders>[0]>();
    expectTypeOf<Exchange>().toExtend<Parameters<typeof record>[0]>();
    expectTypeOf(readRecording).parameter(0).toEqualTypeOf<Recording>();
    expectTypeOf(readRecording).returns.toExtend<Observable<RecordedLine>>();
    expectTypeOf<SchedulerOptions['redis']>().toEqualTypeOf<SharedLimits | undefined>();
    expectTypeOf(createSandbox().clientOptions()).toExtend<ExchangeOptions>();
    expectTypeOf<Endpoint['rateLimits']>().toEqualTypeOf<readonly [RateLimit, ...RateLimit[]]>();
    typed((exchange) => {
      expectTypeOf(watchBalance(exchange)).toEqualTypeOf<Observable<BalanceUpdate>>();
      expectTypeOf(watchBalance(exchange, { wallet: 'main' })).toEqualTypeOf<Observable<BalanceUpdate>>();
      expectTypeOf(watchBalance(exchange, { wallet: 'spot' })).toEqualTypeOf<Observable<SpotBalanceUpdate>>();
      const collateral$ = watchBalance(exchange, { wallet: 'collateral' });
      expectTypeOf(collateral$).toEqualTypeOf<Observable<CollateralBalanceUpdate>>();
      expectTypeOf(watchBalance(exchange, { wallet: 'all' })).toEqualTypeOf<Observable<AllBalancesUpdate>>();
      expectTypeOf(watchHealth(exchange)).toEqualTypeOf<Observable<Health>>();
      const live$ = watchBalance(exchange, { wallet: 'spot', live: true });
      expectTypeOf(live$).toEqualTypeOf<Observable<SpotBalanceUpdate>>();
      // @ts-expect-error options of Redis are no limits that are shared
      createScheduler({ redis: { url: 'redis://127.0.0.1' } });
      // @ts-expect-error no group has that name
      createScheduler({ maxQueued: { pubic: 1 } });
    });
  });

  it('parameters and options that do not fit', () => {
    typed((exchange) => {
      expectTypeOf(exchange.spot.placeStockMarketOrder).parameter(1).toEqualTypeOf<CallOptions | undefined>();
      // @ts-expect-error amount is required
      exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side: 'buy' });
      // @ts-expect-error there is no such side
      exchange.spot.placeStockMarketOrder({ ...order, side: 'hold' });
      const { placeStockMarketOrder } = endpoints.spot;
      // @ts-expect-error the live name is not the spec's
      exchange.call(placeStockMarketOrder, { market: 'BTC_USDT', side: 'buy', amount: '1', clientOrderId: 'a' });
      // @ts-expect-error 4 is not an accepted leverage
      exchange.collateral.setLeverage({ leverage: 4 });
      // @ts-expect-error parameters are required
      exchange.orders.cancel();
      expectTypeOf(exchange.public.ping).parameters.toEqualTypeOf<[options?: CallOptions]>();
      // @ts-expect-error ping has no parameters, and no such option
      exchange.public.ping({ loud: true });
      // @ts-expect-error options are the only argument
      exchange.public.ping({}, { retry: false });
      // @ts-expect-error options are the only argument
      exchange.call(endpoints.public.ping, {}, { retry: false });
    });
  });

  it('orders: their observables show client_order_id, also of the user’s own endpoints; other observables do not', () => {
    const definition = {
      name: 'own',
      method: 'POST',
      path: '/own',
      rateLimit: endpoints.spot.placeStockMarketOrder.rateLimits,
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
      const found$ = exchange.orders.find({ market: 'BTC_USDT', client_order_id: 'mine' });
      expectTypeOf(found$).toEqualTypeOf<Observable<Order>>();
      expectTypeOf(exchange.undecided$).toEqualTypeOf<Observable<readonly UndecidedOrder[]>>();
      expectTypeOf(exchange.orders.cancel({ market: 'BTC_USDT', order_id: 1 })).not.toHaveProperty('client_order_id');
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
    expectTypeOf<Outcome>().toEqualTypeOf<'not-executed' | 'rejected' | 'unknown' | 'none'>();
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
