// The best levels of an order book as text: asks above, bids below.
import type { BookSides } from '../../live/index.js';
import { formatAmount, formatColumns, text, type Colors, type SafeText } from '../terminal/index.js';

/** Levels of each side, unless the caller wants more. */
export const shownLevels = 4;
const maxAmountLength = 16;

/** A book, polled or live. */
export interface ShownBook {
  readonly book: BookSides | undefined;
  /** Whether the book may have changed since. */
  readonly stale: boolean;
  /** Why it could not be read. */
  readonly error?: { readonly kind: string };
}

/** The best levels of each side, or why there is no current book. */
export function bookTable(
  { book, stale, error }: ShownBook,
  { red, green, yellow }: Colors,
  levels = shownLevels,
): SafeText {
  if (book === undefined) return text`${yellow('no order book')}${error === undefined ? '' : text` (${error.kind})`}`;
  const rowsOf = (side: 'ask' | 'bid') =>
    book[`${side}s`]
      .slice(0, levels)
      .map(([price, amount]) => [
        side === 'ask' ? red(side) : green(side),
        formatAmount(price, maxAmountLength),
        formatAmount(amount, maxAmountLength),
      ]);
  const rows = [...rowsOf('ask').reverse(), ...rowsOf('bid')];
  return formatColumns([stale ? yellow('stale') : '', 'price', 'amount'], rows);
}
