// The best prices of a live order book, and the state of its connection, for the dashboard's page.
import {
  catchError,
  combineLatest,
  distinctUntilChanged,
  filter,
  map,
  of,
  startWith,
  throwError,
  type Observable,
} from 'rxjs';
import { isExchangeError } from '../../errors/index.js';
import type { Exchange } from '../../exchange.js';
import type { LiveOrderBook } from '../../live/index.js';
import { connectionText } from '../market/live-status.js';
import type { BookPoint } from './messages.js';
import { pageAmount, pageName, pageText } from './page-text.js';

/** A page need not draw each change. */
const everyMs = 1000;

interface Shown {
  readonly book?: LiveOrderBook;
  /** Why the exchange refuses the market. */
  readonly refusal?: string;
}

/** What the page shows of the book of a market, when it has changed. */
export function liveBook(exchange: Exchange, market: string): Observable<BookPoint> {
  // Subscribed to first: the first event comes while the book is subscribed to.
  const connection$ = exchange.events$.pipe(
    filter((event) => event.type === 'live-connection'),
    map((event) => connectionText(event).value),
    startWith('not connected'),
  );
  const shown$ = exchange.live.orderBook({ market, limit: 1, everyMs }).pipe(
    map((book): Shown => ({ book })),
    catchError((error: unknown) =>
      isExchangeError(error) && error.kind === 'live-refused'
        ? of({ refusal: error.message })
        : throwError(() => error),
    ),
    startWith<Shown>({}),
  );
  return combineLatest([connection$, shown$]).pipe(
    map(([connection, shown]) => bookPoint(market, connection, shown)),
    distinctUntilChanged((one, other) => JSON.stringify(one) === JSON.stringify(other)),
  );
}

function bookPoint(market: string, connection: string, { book, refusal }: Shown): BookPoint {
  const [bid, ask] = [book?.bids[0], book?.asks[0]];
  return {
    market: pageName(market),
    status: refusal === undefined ? (book?.status ?? 'waiting') : 'refused',
    bid: bid === undefined ? null : pageAmount(bid[0]),
    ask: ask === undefined ? null : pageAmount(ask[0]),
    connection: pageText(refusal ?? connection),
  };
}
