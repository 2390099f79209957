// An order of the history in the form of the order endpoints, which have the unfilled amount, too.
import { decimal, formatDecimal } from './decimal.js';
import { isFilled, type HistoricalOrder, type Order } from './order.js';

/** In the form of the order endpoints. `left` is computed if amount and filled amount are known in one currency. */
export function orderOfHistory(order: HistoricalOrder): Order {
  const left = leftOf(order);
  return left === undefined ? order : { ...order, left };
}

function leftOf(order: HistoricalOrder): string | undefined {
  if (isFilled(order)) return '0';
  const filled = filledOf(order);
  if (order.amount === undefined || filled === undefined) return undefined;
  const left = decimal(order.amount).minus(filled);
  return left.isNegative() ? '0' : formatDecimal(left);
}

/** The types whose amount is in the base currency, on either side. */
const baseTypes: readonly string[] = ['limit', 'stop limit', 'stock market', 'margin limit', 'margin stop limit'];
/** The types whose amount is in the quote currency for a buy on spot. */
const moneyTypes: readonly string[] = ['market', 'stop market'];
/** The types whose amount is in the base currency for a sell. For a buy, it depends on the endpoint. */
const baseWhenSold: readonly string[] = [
  ...moneyTypes,
  'margin market',
  'trigger stop market',
  'trigger margin market',
];

/** In the currency of the amount; `undefined` where the type of the order does not determine that currency. */
function filledOf({ type = '', side, positionSide, deal_money, deal_stock }: HistoricalOrder): string | undefined {
  if (baseTypes.includes(type) || (side === 'sell' && baseWhenSold.includes(type))) return deal_stock;
  const isSpot = positionSide === undefined;
  return side === 'buy' && isSpot && moneyTypes.includes(type) ? deal_money : undefined;
}
