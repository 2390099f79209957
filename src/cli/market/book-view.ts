// A live order book on a terminal: a table of its best levels, or a line for each change of its best prices.
import type { LiveOrderBook } from '../../live/index.js';
import { decimal, formatDecimal } from '../../model/decimal.js';
import type { PriceLevel } from '../../model/order-book.js';
import { formatAmount, formatColumns, join, text, type Colors, type SafeText } from '../terminal/index.js';
import { statusText } from './live-status.js';

export function bookLine(book: LiveOrderBook, colors: Colors): SafeText {
  const parts = [
    book.market,
    statusText(book.status, colors),
    text`bid ${levelText(book.bids[0])}`,
    text`ask ${levelText(book.asks[0])}`,
    figures(book),
  ];
  return join(parts, '  ');
}

function levelText(level: PriceLevel | undefined): SafeText {
  return level === undefined ? text`–` : text`${formatAmount(level[0])} x ${formatAmount(level[1])}`;
}

function figures({ bids: [bid], asks: [ask] }: LiveOrderBook): SafeText {
  if (bid === undefined || ask === undefined) return text`spread –  mid –`;
  const spread = decimal(ask[0]).minus(bid[0]);
  const mid = spread.multipliedBy('0.5').plus(bid[0]);
  return text`spread ${formatAmount(formatDecimal(spread))}  mid ${formatAmount(formatDecimal(mid))}`;
}

const shownLevels = 4;
const maxAmountLength = 16;

export function bookTable(
  book: (Pick<LiveOrderBook, 'bids' | 'asks'> & { readonly status?: LiveOrderBook['status'] }) | undefined,
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
