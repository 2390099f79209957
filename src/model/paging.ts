// The pages of a list.
import * as v from 'valibot';
import * as t from './tolerant.js';

/** Spec, Limits: `limit` is 1 to 100. */
export const maxPageSize = 100;
/** Spec, Limits: `offset` is 0 to 10000. */
export const maxOffset = 10_000;

const pageFields = {
  /** Number of items that were skipped. */
  offset: t.optionalNumber,
  /** Maximum number of items of the page. */
  limit: t.optionalNumber,
};

/** A page of a list. Unknown fields are kept. */
export interface PageOf<Item> extends t.RecordOf<typeof pageFields> {
  /** The items of the page, in the order of the list, without those that cannot be read: see {@link unreadableIn}. */
  data: Item[];
}

/** A page of a list, as the exchange sends it. */
export function pageOf<Item>(item: v.GenericSchema<unknown, Item>): v.GenericSchema<unknown, PageOf<Item>>;
export function pageOf(item: v.GenericSchema) {
  return t.record({ ...pageFields, data: t.listOf(item) });
}

const recordsPageFields = {
  ...pageFields,
  /** Number of all items, where the exchange sends it. */
  total: t.optionalNumber,
};

/** A page of a list. Unknown fields are kept. */
export interface RecordsPage<Item> extends t.RecordOf<typeof recordsPageFields> {
  /** The items of the page, in the order of the list, without those that cannot be read: see {@link unreadableIn}. */
  records: Item[];
}

/** A page whose items are its `records`. A bare list is a page, too. */
export function recordsPageOf<Item>(item: v.GenericSchema<unknown, Item>): v.GenericSchema<unknown, RecordsPage<Item>>;
export function recordsPageOf(item: v.GenericSchema) {
  return v.pipe(
    v.unknown(),
    v.transform((page) => (Array.isArray(page) ? { records: page as unknown[] } : page)),
    t.record({ ...recordsPageFields, records: t.listOf(item) }),
  );
}
