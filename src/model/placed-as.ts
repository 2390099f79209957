// Whether an order is the one that a request names, or the one that it placed.
import { isNothing, isSame, type HistoricalOrder, type Order } from './order.js';

type WireFields = Readonly<Record<string, unknown>>;
type Named = Pick<Order, 'market' | 'order_id' | 'client_order_id'>;

/** Whether a request for a market or an order, by either identifier, is about this order. */
export function isNamedBy(request: WireFields, order: Named): boolean {
  return (['market', 'order_id', 'client_order_id'] as const).every(
    (name) => request[name] === undefined || request[name] === order[name],
  );
}

/** Whether an order has the values that a modification requests, as far as it shows them. */
export function hasValuesOf(request: WireFields, order: HistoricalOrder): boolean {
  const values: WireFields = { ...request, amount: request['amount'] ?? request['total'] };
  return (['amount', 'price', 'activation_price'] as const).every(
    (name) => values[name] === undefined || order[name] === undefined || isSame(order[name], values[name]),
  );
}

/** The types under which the exchange lists an order, by what places it: the second are of collateral accounts. */
const placedTypes = {
  limit: ['limit', 'margin limit'],
  market: ['market', 'margin market'],
  // Some responses have the same type for both kinds of market order.
  'stock market': ['stock market', 'market'],
  'stop limit': ['stop limit', 'margin stop limit'],
  'stop market': ['stop market', 'trigger stop market', 'trigger margin market'],
} as const;

/** A type in none of these lists is new, and proves nothing. */
const knownTypes: readonly string[] = Object.values(placedTypes).flat();

/**
 * Whether an order can be the one that a request placed, for requests that place orders of this type. Its identifier
 * decides. An exchange that dropped the identifier responds with an empty one: then all known fields must match, at
 * least the amount, and the price of a limit order.
 */
export function isPlacedAs(type: keyof typeof placedTypes): (request: WireFields, order: Order) => boolean {
  return (request, order) => {
    const { market, side, client_order_id } = request;
    if ((side !== undefined && order.side !== side) || !isNamedBy({ market }, order)) return false;
    return order.client_order_id === ''
      ? isAsRequested(placedTypes[type], request, order)
      : order.client_order_id === client_order_id;
  };
}

function isAsRequested(
  types: readonly string[],
  request: WireFields,
  { amount, price, activation_price, type, positionSide, oto }: Order,
): boolean {
  if (type !== undefined && knownTypes.includes(type) && !types.includes(type)) return false;
  // Outside hedge mode the request's direction is ignored, and the order has `BOTH`.
  const isDirected = positionSide === 'LONG' || positionSide === 'SHORT';
  if (isDirected && (request['positionSide'] ?? positionSide) !== positionSide) return false;
  // A response may lack prices that a later one has.
  const isShownAs = (shown: string | undefined, requested: unknown) => isNothing(shown) || isSame(shown, requested);
  if (
    !isShownAs(activation_price, request['activation_price']) ||
    !isShownAs(oto?.stopLoss, request['stopLoss']) ||
    !isShownAs(oto?.takeProfit, request['takeProfit'])
  )
    return false;
  const isMarketOrder = type !== undefined && marketTypes.includes(type);
  // The price of a market order that was executed may be its average; one that is of no known type may be of a limit
  // order. The exchange sets the price of an order with `bboRole`.
  const isOfAnyPrice = isMarketOrder || request['bboRole'] !== undefined || isNothing(price);
  const isOfPrice = request['price'] === undefined ? isOfAnyPrice : isSame(price, request['price']);
  return isOfPrice && isSame(amount, request['amount']);
}

/** The types that have no price of their own. */
const marketTypes: readonly string[] = [
  ...placedTypes.market,
  ...placedTypes['stock market'],
  ...placedTypes['stop market'],
];
