// A live order book on a terminal: a table of its best levels, or a line for each change of its best prices.
import { midPrice, spread, type LiveOrderBook } from '../../live/index.js';
import type { PriceLevel } from '../../model/order-book.js';
import { formatAmount, formatTime, join, text, type Colors, type SafeText } from '../terminal/index.js';
import { bookTable } from './book-table.js';
import { statusText } from './live-status.js';

/** Status, the best levels of each side, spread and middle. */
export function bookScreen(book: LiveOrderBook, levels: number, colors: Colors): SafeText {
  const since = book.status === 'live' ? '' : text` since ${formatTime(book.since / 1000)}, decide nothing by it`;
  return join(
    [
      text`${book.market} order book: ${statusText(book.status, colors)}${since}`,
      bookTable({ book, stale: book.status === 'stale' }, colors, levels),
      figures(book),
    ],
    '\n',
  );
}

/** Status, best bid and ask with their amounts, spread and middle. */
export function bookLine(book: LiveOrderBook, colors: Colors): SafeText {
  const parts = [
    formatTime((book.status === 'live' ? book.receivedAt : book.since) / 1000),
    book.market,
    statusText(book.status, colors),
    text`bid ${levelText(book.bids[0])}`,
    text`ask ${levelText(book.asks[0])}`,
    figures(book),
  ];
  return join(parts, '  ');
}

/** Whether two books have the same line but for its time. */
export function hasSameLine(one: LiveOrderBook, other: LiveOrderBook): boolean {
  return one.status === other.status && one.bids[0] === other.bids[0] && one.asks[0] === other.asks[0];
}

function levelText(level: PriceLevel | undefined): SafeText {
  return level === undefined ? text`–` : text`${formatAmount(level[0])} x ${formatAmount(level[1])}`;
}

function figures(book: LiveOrderBook): SafeText {
  return text`spread ${formatAmount(spread(book) ?? '–')}  mid ${formatAmount(midPrice(book) ?? '–')}`;
}
