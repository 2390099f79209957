// The best levels of an order book as text: asks above, bids below.
import type { LiveOrderBook } from '../../live/index.js';
import { formatAmount, formatColumns, text, type Colors, type SafeText } from '../terminal/index.js';

/** Levels of each side, unless the caller wants more. */
export const shownLevels = 4;
const maxAmountLength = 16;

/** The best levels of each side. */
export function bookTable(
  book: LiveOrderBook | undefined,
  { red, green, yellow }: Colors,
  levels = shownLevels,
): SafeText {
  if (book === undefined) return text`${yellow('no order book')}`;
  const rowsOf = (side: 'ask' | 'bid') =>
    book[`${side}s`]
      .slice(0, levels)
      .map(([price, amount]) => [
        side === 'ask' ? red(side) : green(side),
        formatAmount(price, maxAmountLength),
        formatAmount(amount, maxAmountLength),
      ]);
  const rows = [...rowsOf('ask').reverse(), ...rowsOf('bid')];
  return formatColumns([book.status === 'stale' ? yellow('stale') : '', 'price', 'amount'], rows);
}
