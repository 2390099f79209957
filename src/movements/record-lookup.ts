// Looks up what a request did, in the list that shows it. Only a list read back to its time proves that it did nothing.
import { concat, concatMap, defer, EMPTY, map, of, take, throwError, type Observable } from 'rxjs';
import type { Endpoint, RecordLookup, WireFields } from '../endpoint/index.js';
import { LookupError } from '../errors/index.js';
import { maxPageSize } from '../model/paging.js';
import { unreadableIn } from '../model/unreadable.js';

export interface RecordSearch<Output> {
  readonly lookup: RecordLookup<Output>;
  readonly fields: WireFields;
  readonly read: <Page>(list: Endpoint<never, Page>, params: object) => Observable<Page>;
}

/** An account has more records than these within a minute only if programs make them. */
const maxPages = 5;

/** The newest records: their identities, and those that a request of these values makes, by its parts. */
export interface ListedRecords {
  readonly all: ReadonlySet<unknown>;
  readonly matching: readonly (readonly unknown[])[];
}

export function recordsBefore({ lookup, fields, read }: RecordSearch<unknown>): Observable<ListedRecords> {
  const { list } = lookup;
  const idOf = (item: unknown) => lookup.idOf?.(item);
  return read(list, { ...lookup.paramsOf?.(fields), limit: maxPageSize, offset: 0 }).pipe(
    map((page) => {
      const items = lookup.itemsOf(page);
      const parts = Array.from({ length: lookup.partsOf?.(fields) ?? 1 }, (_, part) => part);
      const matching = parts.map((part) =>
        items.filter((item) => lookup.matches(item, fields, part) === true).map(idOf),
      );
      return { all: new Set(items.map(idOf)), matching };
    }),
  );
}

/**
 * Emits the output of the request, and completes without it when no record can be of the request. Fails with
 * {@link LookupError} while the list decides nothing.
 *
 * @param before the records that were listed before the request; `undefined` for a request with a key
 * @param since when the request was sent at the earliest, Unix ms by the exchange's clock
 */
export function findRecord<Output>(
  search: RecordSearch<Output>,
  before: ReadonlySet<unknown> | undefined,
  since: () => number,
): Observable<Output> {
  const filter = search.lookup.filterOf?.(search.fields);
  const unfiltered$ = findIn(search, {}, before, since);
  return filter === undefined ? unfiltered$ : concat(findIn(search, filter, before, since), unfiltered$).pipe(take(1));
}

function findIn<Output>(
  { lookup, fields, read }: RecordSearch<Output>,
  filter: object,
  before: ReadonlySet<unknown> | undefined,
  since: () => number,
): Observable<Output> {
  const { list } = lookup;
  const parts = lookup.partsOf?.(fields) ?? 1;
  const undecided = (message: string) =>
    throwError(() => new LookupError(message, { endpoint: list.name, outcome: 'unknown' }));
  // The list may show whole seconds.
  const isRecent = (item: unknown) => ((lookup.madeAt?.(item) ?? Number.POSITIVE_INFINITY) + 1) * 1000 > since();
  const mayBeIt = (item: unknown) => before === undefined || (!before.has(lookup.idOf?.(item)) && isRecent(item));

  type Found = readonly unknown[][];
  const decision = (found: Found, isWhole: boolean): Observable<Output> => {
    const shown = found.filter((records) => records.length > 0).length;
    if (shown > 0 && shown < parts) return undecided(`${shown} of ${parts} records are listed`);
    if (before !== undefined && found.some((records) => records.length > 1))
      return undecided('several new records have the same values, so another program did the same');
    if (found.some(([record], part) => record !== undefined && lookup.matches(record, fields, part) === 'perhaps'))
      return undecided('the amount of the record may be the requested one, cut');
    if (shown > 0) return of(lookup.outputOf(found[0]?.[0]));
    return isWhole ? EMPTY : undecided('the list is incomplete');
  };

  const pageAt = (number: number, found: Found, wasReadable: boolean): Observable<Output> =>
    defer(() =>
      read(list, { ...lookup.paramsOf?.(fields), ...filter, limit: maxPageSize, offset: number * maxPageSize }),
    ).pipe(
      concatMap((page) => {
        const items = lookup.itemsOf(page);
        for (const [part, records] of found.entries())
          records.push(...items.filter((item) => mayBeIt(item) && lookup.matches(item, fields, part)));
        const unreadable = unreadableIn(page)?.count ?? 0;
        const isReadable = wasReadable && unreadable === 0;
        const isLast = items.length + unreadable < maxPageSize || !items.every(isRecent);
        if (isLast || number + 1 === maxPages) return decision(found, isLast && isReadable);
        return pageAt(number + 1, found, isReadable);
      }),
    );
  const nothing = (): Found => Array.from({ length: parts }, () => []);
  return defer(() => pageAt(0, nothing(), true));
}
