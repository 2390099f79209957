// An order of each kind that a client can place, for tests of what holds for all of them.
import type { CallOptions, Exchange, OcoOrder, Order, OrderObservable } from 'exchange-rx';
import type { orders } from 'exchange-rx/endpoints';
import { map } from 'rxjs';

const market = 'BTC_USDT';

/** What a test decides; the rest is the kind's. */
export interface Choice {
  readonly amount: string;
  /** Default `buy`. */
  readonly side?: 'buy' | 'sell';
  readonly client_order_id?: string;
}

export interface OrderKind {
  readonly name: string;
  readonly endpoint: orders.OrderEndpointName;
  readonly path: string;
  /** An amount of a buy that the exchange accepts. */
  readonly amount: string;
  /** Where the order is after it was placed, at a market price of 60000. */
  readonly is: 'filled' | 'resting' | 'waiting';
  /** Whether it has a stop loss and a take profit, so that the exchange lists it among the conditional orders. */
  readonly isLinked: boolean;
  readonly place: (exchange: Exchange, choice: Choice, options?: CallOptions) => OrderObservable<Order>;
}

const plain = ({ side = 'buy', ...choice }: Choice) => ({ market, side, ...choice }) as const;
const resting = (choice: Choice) => ({ ...plain(choice), price: choice.side === 'sell' ? '70000' : '50000' });
/** Waits for its trigger, and is worse than the market's price then. */
const waiting = (choice: Choice) => ({
  ...plain(choice),
  activation_price: choice.side === 'sell' ? '55000' : '65000',
});
const waitingToRest = (choice: Choice) => ({ ...waiting(choice), price: choice.side === 'sell' ? '56000' : '64000' });
const linked = ({ side }: Choice) =>
  side === 'sell' ? { stopLoss: '80000', takeProfit: '45000' } : { stopLoss: '40000', takeProfit: '75000' };

const inMoney = { amount: '100' } as const;
const isLinked = { isLinked: true } as const;

function kind(
  name: string,
  endpoint: orders.OrderEndpointName,
  path: string,
  is: OrderKind['is'],
  place: OrderKind['place'],
  more: Partial<OrderKind> = {},
): OrderKind {
  return { name, endpoint, path: `/api/v4/order/${path}`, amount: '0.01', is, isLinked: false, place, ...more };
}

export const orderKinds: readonly OrderKind[] = [
  kind('a stock market order', 'spot.placeStockMarketOrder', 'stock_market', 'filled', ({ spot }, choice, options) =>
    spot.placeStockMarketOrder(plain(choice), options),
  ),
  kind(
    'a market order',
    'spot.placeMarketOrder',
    'market',
    'filled',
    ({ spot }, choice, options) => spot.placeMarketOrder(plain(choice), options),
    inMoney,
  ),
  kind('a spot limit order', 'spot.placeLimitOrder', 'new', 'resting', ({ spot }, choice, options) =>
    spot.placeLimitOrder(resting(choice), options),
  ),
  kind('a spot stop limit order', 'spot.placeStopLimitOrder', 'stop_limit', 'waiting', ({ spot }, choice, options) =>
    spot.placeStopLimitOrder(waitingToRest(choice), options),
  ),
  kind(
    'a spot stop market order',
    'spot.placeStopMarketOrder',
    'stop_market',
    'waiting',
    ({ spot }, choice, options) => spot.placeStopMarketOrder(waiting(choice), options),
    inMoney,
  ),
  kind(
    'a collateral limit order',
    'collateral.placeLimitOrder',
    'collateral/limit',
    'resting',
    ({ collateral }, choice, options) => collateral.placeLimitOrder(resting(choice), options),
  ),
  kind(
    'a collateral limit order with a stop loss and a take profit',
    'collateral.placeLimitOrder',
    'collateral/limit',
    'resting',
    ({ collateral }, choice, options) => collateral.placeLimitOrder({ ...resting(choice), ...linked(choice) }, options),
    isLinked,
  ),
  kind(
    'a collateral market order',
    'collateral.placeMarketOrder',
    'collateral/market',
    'filled',
    ({ collateral }, choice, options) => collateral.placeMarketOrder(plain(choice), options),
  ),
  kind(
    'a collateral stop limit order',
    'collateral.placeStopLimitOrder',
    'collateral/stop-limit',
    'waiting',
    ({ collateral }, choice, options) => collateral.placeStopLimitOrder(waitingToRest(choice), options),
  ),
  kind(
    'a collateral stop limit order with a stop loss and a take profit',
    'collateral.placeStopLimitOrder',
    'collateral/stop-limit',
    'waiting',
    ({ collateral }, choice, options) =>
      collateral.placeStopLimitOrder({ ...waitingToRest(choice), ...linked(choice) }, options),
    isLinked,
  ),
  kind(
    'a collateral trigger market order',
    'collateral.placeTriggerMarketOrder',
    'collateral/trigger-market',
    'waiting',
    ({ collateral }, choice, options) => collateral.placeTriggerMarketOrder(waiting(choice), options),
  ),
];

/** An OCO order. Its observable emits its limit order; or its stop order, where no list shows the limit order. */
export const ocoOrderKind = kind(
  'an OCO order',
  'collateral.placeOcoOrder',
  'collateral/oco',
  'resting',
  ({ collateral }, choice, options) => {
    const prices =
      choice.side === 'sell'
        ? { price: '70000', activation_price: '50000', stop_limit_price: '49900' }
        : { price: '50000', activation_price: '70000', stop_limit_price: '70100' };
    const oco$ = collateral.placeOcoOrder({ ...plain(choice), ...prices }, options);
    const { client_order_id, market, endpoint } = oco$;
    return Object.assign(oco$.pipe(map((oco) => legOf(oco, prices.price))), { client_order_id, market, endpoint });
  },
  isLinked,
);

function legOf({ take_profit, stop_loss }: OcoOrder, limitPrice: string): Order {
  if (take_profit === undefined && stop_loss !== undefined) return stop_loss;
  if (take_profit === undefined || Number(take_profit.price ?? limitPrice) !== Number(limitPrice))
    throw new Error('the OCO order was reported without its limit order');
  return take_profit;
}
