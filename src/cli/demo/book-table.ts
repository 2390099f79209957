// The best levels of an order book as text: asks above, bids below.
import type { OrderBookUpdate } from '../../streams/index.js';
import { formatAmount, formatColumns, text, type Colors, type SafeText } from '../terminal/index.js';

/** Levels of each side. */
export const shownLevels = 4;
const maxAmountLength = 16;

/** The best levels of each side, or why there is no current book. */
export function bookTable({ book, stale, error }: OrderBookUpdate, { red, green, yellow }: Colors): SafeText {
  if (book === undefined) return text`${yellow('no order book')}${error === undefined ? '' : text` (${error.kind})`}`;
  const rowsOf = (side: 'ask' | 'bid') =>
    book[`${side}s`]
      .slice(0, shownLevels)
      .map(([price, amount]) => [
        side === 'ask' ? red(side) : green(side),
        formatAmount(price, maxAmountLength),
        formatAmount(amount, maxAmountLength),
      ]);
  const rows = [...rowsOf('ask').reverse(), ...rowsOf('bid')];
  return formatColumns([stale ? yellow('stale') : '', 'price', 'amount'], rows);
}
