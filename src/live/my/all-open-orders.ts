// Reads all open orders, page by page. Orders that open or end meanwhile move the others from one page to another.
import { concatMap, map, of, retry, throwError, type Observable } from 'rxjs';
import { ResponseError } from '../../errors/index.js';
import type { Order } from '../../model/order.js';
import { maxOffset, maxPageSize } from '../../model/paging.js';
import { readListOf, type ReadList, type Unreadable } from '../../model/unreadable.js';

/** Reads one page. */
export type ReadPage = (page: { readonly limit: number; readonly offset: number }) => Observable<Order[]>;

/** Reads of a list that keeps moving. */
const maxReads = 3;

const failed = (problem: string) => new ResponseError(`HTTP 200: ${problem}`, 200, undefined, 'orders.open');

/**
 * The whole list. Each page begins with the last order of the page before: a list that moved between two pages is read
 * again, because an open order may be missing from it. The first of several pages is read again in the end: an order
 * that moved to the front while another ended moves no page.
 */
export function allOpenOrders(read: ReadPage): Observable<ReadList<Order>> {
  const moved = failed(`the list of open orders changed while its pages were read, ${maxReads} times in a row`);
  const whole$ = pagesFrom(read, { items: [], unreadable: undefined, count: 0 }, moved);
  return whole$.pipe(
    retry({ count: maxReads - 1, delay: (error: unknown) => (error === moved ? of(0) : throwError(() => error)) }),
  );
}

interface Pages extends ReadList<Order> {
  /** Records of the list that were read, with the unreadable ones. */
  readonly count: number;
}

function pagesFrom(read: ReadPage, before: Pages, moved: ResponseError): Observable<ReadList<Order>> {
  const offset = Math.max(0, before.count - 1);
  if (offset > maxOffset)
    return throwError(() => failed(`there are more open orders than can be listed: ${maxOffset + maxPageSize}`));
  return read({ limit: maxPageSize, offset }).pipe(
    concatMap((page) => {
      const { items, unreadable } = readListOf(page);
      const known = new Set(before.items.map(({ order_id }) => order_id));
      const added = items.filter(({ order_id }) => !known.has(order_id));
      const count = items.length + (unreadable?.count ?? 0);
      const all: Pages = {
        items: [...before.items, ...added],
        unreadable: joined(before.unreadable, unreadable),
        count: offset + count,
      };
      const isLast = count < maxPageSize;
      // The record that joins the pages may be unreadable: then it is unreadable in both of them.
      const isJoined = isFirst(unreadable)
        ? before.unreadable !== undefined
        : items[0]?.order_id === before.items.at(-1)?.order_id;
      if (before.count > 0 && (!isJoined || (!isLast && added.length === 0))) return throwError(() => moved);
      if (!isLast) return pagesFrom(read, all, moved);
      return before.count === 0 ? of(all) : withFront(read, all, moved);
    }),
  );
}

/** The list with the orders that have come to its front since its first page was read. */
function withFront(read: ReadPage, all: Pages, moved: ResponseError): Observable<ReadList<Order>> {
  const known = new Set(all.items.map(({ order_id }) => order_id));
  return read({ limit: maxPageSize, offset: 0 }).pipe(
    map((page) => {
      const { items, unreadable } = readListOf(page);
      const arrived = items.filter(({ order_id }) => !known.has(order_id));
      // More orders than those of one page may have come, or one that cannot be read.
      const isUnreadable = (unreadable?.count ?? 0) > (all.unreadable?.count ?? 0);
      if (arrived.length === items.length || isUnreadable) throw moved;
      return { ...all, items: [...arrived, ...all.items] };
    }),
  );
}

/** Whether the first record of a page is unreadable: the sample begins with the position of the first such record. */
function isFirst(unreadable: Unreadable | undefined): boolean {
  return unreadable?.sample.startsWith('0.') ?? false;
}

function joined(before: Unreadable | undefined, unreadable: Unreadable | undefined): Unreadable | undefined {
  if (before === undefined || unreadable === undefined) return before ?? unreadable;
  return { count: before.count + unreadable.count, sample: before.sample };
}
