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
  /** Whether the amount of a buy is in the quote currency. */
  readonly isMoney: boolean;
  /** Where the order is after it was placed, at a market price of 60000. */
  readonly is: 'filled' | 'resting' | 'waiting';
  /** Whether it has a stop loss and a take profit, so that the exchange lists it among the conditional orders. */
  readonly isLinked: boolean;
  readonly place: (exchange: Exchange, choice: Choice, options?: CallOptions) => OrderObservable<Order>;
}

const inBase = { amount: '0.01', isMoney: false } as const;
const inMoney = { amount: '100', isMoney: true } as const;

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

export const orderKinds: readonly OrderKind[] = [
  {
    name: 'a stock market order',
    endpoint: 'spot.placeStockMarketOrder',
    path: '/api/v4/order/stock_market',
    ...inBase,
    is: 'filled',
    isLinked: false,
    place: ({ spot }, choice, options) => spot.placeStockMarketOrder(plain(choice), options),
  },
  {
    name: 'a market order',
    endpoint: 'spot.placeMarketOrder',
    path: '/api/v4/order/market',
    ...inMoney,
    is: 'filled',
    isLinked: false,
    place: ({ spot }, choice, options) => spot.placeMarketOrder(plain(choice), options),
  },
  {
    name: 'a spot limit order',
    endpoint: 'spot.placeLimitOrder',
    path: '/api/v4/order/new',
    ...inBase,
    is: 'resting',
    isLinked: false,
    place: ({ spot }, choice, options) => spot.placeLimitOrder(resting(choice), options),
  },
  {
    name: 'a spot stop limit order',
    endpoint: 'spot.placeStopLimitOrder',
    path: '/api/v4/order/stop_limit',
    ...inBase,
    is: 'waiting',
    isLinked: false,
    place: ({ spot }, choice, options) => spot.placeStopLimitOrder(waitingToRest(choice), options),
  },
  {
    name: 'a spot stop market order',
    endpoint: 'spot.placeStopMarketOrder',
    path: '/api/v4/order/stop_market',
    ...inMoney,
    is: 'waiting',
    isLinked: false,
    place: ({ spot }, choice, options) => spot.placeStopMarketOrder(waiting(choice), options),
  },
  {
    name: 'a collateral limit order',
    endpoint: 'collateral.placeLimitOrder',
    path: '/api/v4/order/collateral/limit',
    ...inBase,
    is: 'resting',
    isLinked: false,
    place: ({ collateral }, choice, options) => collateral.placeLimitOrder(resting(choice), options),
  },
  {
    name: 'a collateral limit order with a stop loss and a take profit',
    endpoint: 'collateral.placeLimitOrder',
    path: '/api/v4/order/collateral/limit',
    ...inBase,
    is: 'resting',
    isLinked: true,
    place: ({ collateral }, choice, options) =>
      collateral.placeLimitOrder({ ...resting(choice), ...linked(choice) }, options),
  },
  {
    name: 'a collateral market order',
    endpoint: 'collateral.placeMarketOrder',
    path: '/api/v4/order/collateral/market',
    ...inBase,
    is: 'filled',
    isLinked: false,
    place: ({ collateral }, choice, options) => collateral.placeMarketOrder(plain(choice), options),
  },
  {
    name: 'a collateral stop limit order',
    endpoint: 'collateral.placeStopLimitOrder',
    path: '/api/v4/order/collateral/stop-limit',
    ...inBase,
    is: 'waiting',
    isLinked: false,
    place: ({ collateral }, choice, options) => collateral.placeStopLimitOrder(waitingToRest(choice), options),
  },
  {
    name: 'a collateral stop limit order with a stop loss and a take profit',
    endpoint: 'collateral.placeStopLimitOrder',
    path: '/api/v4/order/collateral/stop-limit',
    ...inBase,
    is: 'waiting',
    isLinked: true,
    place: ({ collateral }, choice, options) =>
      collateral.placeStopLimitOrder({ ...waitingToRest(choice), ...linked(choice) }, options),
  },
  {
    name: 'a collateral trigger market order',
    endpoint: 'collateral.placeTriggerMarketOrder',
    path: '/api/v4/order/collateral/trigger-market',
    ...inBase,
    is: 'waiting',
    isLinked: false,
    place: ({ collateral }, choice, options) => collateral.placeTriggerMarketOrder(waiting(choice), options),
  },
];

/** An OCO order. Its observable emits one of its two orders, as those of the other kinds emit theirs. */
export const ocoOrderKind: OrderKind = {
  name: 'an OCO order',
  endpoint: 'collateral.placeOcoOrder',
  path: '/api/v4/order/collateral/oco',
  ...inBase,
  is: 'resting',
  isLinked: true,
  place: ({ collateral }, choice, options) => {
    const prices =
      choice.side === 'sell'
        ? { price: '70000', activation_price: '50000', stop_limit_price: '49900' }
        : { price: '50000', activation_price: '70000', stop_limit_price: '70100' };
    const oco$ = collateral.placeOcoOrder({ ...plain(choice), ...prices }, options);
    const { client_order_id, market, endpoint } = oco$;
    return Object.assign(oco$.pipe(map(legOf)), { client_order_id, market, endpoint });
  },
};

function legOf({ take_profit, stop_loss }: OcoOrder): Order {
  const leg = take_profit ?? stop_loss;
  if (leg === undefined) throw new Error('the OCO order has no order');
  return leg;
}
