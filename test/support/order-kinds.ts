// An order of each kind that a client can place, for tests of what holds for all of them.
import type { CallOptions, Endpoint, Exchange, OcoOrder, Order, OrderObservable } from 'exchange-rx';
import { collateral, spot } from 'exchange-rx/endpoints';
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
  /** Its name. */
  readonly endpoint: string;
  readonly path: string;
  /** An amount of a buy that the exchange accepts. */
  readonly amount: string;
  /** Where the order is after it was placed, at a market price of 60000. */
  readonly is: 'filled' | 'resting' | 'waiting';
  /** Whether it has a stop loss and a take profit, so that the exchange lists it among the conditional orders. */
  readonly isLinked: boolean;
  readonly place: (exchange: Exchange, choice: Choice, options?: CallOptions) => OrderObservable<Order>;
}

/** Where an order is after it was placed, and the parameters that bring it there. */
interface Way<Params> extends Pick<OrderKind, 'is'> {
  readonly isLinked?: boolean;
  readonly paramsOf: (choice: Choice) => Params;
}

function way<Params>(is: OrderKind['is'], paramsOf: (choice: Choice) => Params): Way<Params> {
  return { is, paramsOf };
}

function linked<Params extends object>({ is, paramsOf }: Way<Params>) {
  const linksOf = ({ side }: Choice) =>
    side === 'sell' ? { stopLoss: '80000', takeProfit: '45000' } : { stopLoss: '40000', takeProfit: '75000' };
  return { is, paramsOf: (choice: Choice) => ({ ...paramsOf(choice), ...linksOf(choice) }), isLinked: true };
}

const plain = ({ side = 'buy', ...choice }: Choice) => ({ market, side, ...choice }) as const;
const filled = way('filled', plain);
const resting = way('resting', (choice) => ({ ...plain(choice), price: choice.side === 'sell' ? '70000' : '50000' }));
/** Waits for its trigger, and is worse than the market's price then. */
const waiting = way('waiting', (choice) => ({
  ...plain(choice),
  activation_price: choice.side === 'sell' ? '55000' : '65000',
}));
const waitingToRest = way('waiting', (choice) => ({
  ...waiting.paramsOf(choice),
  price: choice.side === 'sell' ? '56000' : '64000',
}));

/** An amount of a buy in the quote currency. */
const inMoney = '100';

function kind<Params>(
  name: string,
  { name: endpoint, path }: Endpoint,
  methodOf: (exchange: Exchange) => (params: Params, options?: CallOptions) => OrderObservable<Order>,
  { is, isLinked = false, paramsOf }: Way<Params>,
  amount = '0.01',
): OrderKind {
  const place: OrderKind['place'] = (exchange, choice, options) => methodOf(exchange)(paramsOf(choice), options);
  return { name, endpoint, path, amount, is, isLinked, place };
}

export const orderKinds: readonly OrderKind[] = [
  kind('a stock market order', spot.placeStockMarketOrder, (to) => to.spot.placeStockMarketOrder, filled),
  kind('a market order', spot.placeMarketOrder, (to) => to.spot.placeMarketOrder, filled, inMoney),
  kind('a spot limit order', spot.placeLimitOrder, (to) => to.spot.placeLimitOrder, resting),
  kind('a spot stop limit order', spot.placeStopLimitOrder, (to) => to.spot.placeStopLimitOrder, waitingToRest),
  kind('a spot stop market order', spot.placeStopMarketOrder, (to) => to.spot.placeStopMarketOrder, waiting, inMoney),
  kind('a collateral limit order', collateral.placeLimitOrder, (to) => to.collateral.placeLimitOrder, resting),
  kind(
    'a collateral limit order with a stop loss and a take profit',
    collateral.placeLimitOrder,
    (to) => to.collateral.placeLimitOrder,
    linked(resting),
  ),
  kind('a collateral market order', collateral.placeMarketOrder, (to) => to.collateral.placeMarketOrder, filled),
  kind(
    'a collateral stop limit order',
    collateral.placeStopLimitOrder,
    (to) => to.collateral.placeStopLimitOrder,
    waitingToRest,
  ),
  kind(
    'a collateral stop limit order with a stop loss and a take profit',
    collateral.placeStopLimitOrder,
    (to) => to.collateral.placeStopLimitOrder,
    linked(waitingToRest),
  ),
  kind(
    'a collateral trigger market order',
    collateral.placeTriggerMarketOrder,
    (to) => to.collateral.placeTriggerMarketOrder,
    waiting,
  ),
];

/** An OCO order. Its observable emits its limit order; or its stop order, where no list shows the limit order. */
export const ocoOrderKind = kind(
  'an OCO order',
  collateral.placeOcoOrder,
  (to) => (params: ReturnType<typeof ocoParams>, options) => {
    const oco$ = to.collateral.placeOcoOrder(params, options);
    const { client_order_id, market, endpoint } = oco$;
    return Object.assign(oco$.pipe(map((oco) => legOf(oco, params.price))), { client_order_id, market, endpoint });
  },
  { is: 'resting', isLinked: true, paramsOf: ocoParams },
);

function ocoParams(choice: Choice) {
  const prices =
    choice.side === 'sell'
      ? { price: '70000', activation_price: '50000', stop_limit_price: '49900' }
      : { price: '50000', activation_price: '70000', stop_limit_price: '70100' };
  return { ...plain(choice), ...prices };
}

function legOf({ take_profit, stop_loss }: OcoOrder, limitPrice: string): Order {
  if (take_profit === undefined && stop_loss !== undefined) return stop_loss;
  if (take_profit === undefined || Number(take_profit.price ?? limitPrice) !== Number(limitPrice))
    throw new Error('the OCO order was reported without its limit order');
  return take_profit;
}
