// Rows of an order book, as the exchange lists them: one price and the sum of the amounts at it.
import { formatDecimal, type Decimal } from '../../model/decimal.js';

export interface PricedAmount {
  readonly price: Decimal;
  readonly amount: Decimal;
}

/** Price and amount, decimal strings. */
export type BookRow = readonly [price: string, amount: string];

/** The rows of one side, best first. A price between two steps is moved away from the market: asks up, bids down. */
export function rowsOf(
  offers: readonly PricedAmount[],
  { side, step, limit }: { readonly side: 'asks' | 'bids'; readonly step: Decimal; readonly limit: number },
): BookRow[] {
  const amounts = new Map<string, Decimal>();
  for (const { price, amount } of offers) {
    const floored = price.minus(price.modulo(step));
    const key = formatDecimal(side === 'asks' && floored.isLessThan(price) ? floored.plus(step) : floored);
    // Best first: the rows after the last one wanted add nothing to it.
    if (!amounts.has(key) && amounts.size === limit) break;
    amounts.set(key, amounts.get(key)?.plus(amount) ?? amount);
  }
  return [...amounts].map(([price, amount]) => [price, formatDecimal(amount)]);
}
