// The pages of a list.
import type * as v from 'valibot';
import { listOf, optionalNumber, record, type RecordOf } from './tolerant.js';

/** Spec, Limits: `limit` is 1 to 100. */
export const maxPageSize = 100;
/** Spec, Limits: `offset` is 0 to 10000. */
export const maxOffset = 10_000;

/** Whether a page starts at the requested offset, as far as it says where it starts. */
export function isRequestedPage(
  fields: Readonly<Record<string, unknown>>,
  { offset }: { readonly offset?: number | undefined },
): boolean {
  return offset === undefined || offset === (fields['offset'] ?? 0);
}

const pageFields = {
  /** Number of items that were skipped. */
  offset: optionalNumber,
  /** Maximum number of items of the page. */
  limit: optionalNumber,
};

/** A page of a list. Unknown fields are kept. */
export interface PageOf<Item> extends RecordOf<typeof pageFields> {
  /** The items of the page, in the order of the list, without those that cannot be read: see {@link unreadableIn}. */
  data: Item[];
}

/** A page of a list, as the exchange sends it. */
export function pageOf<Item>(item: v.GenericSchema<unknown, Item>): v.GenericSchema<unknown, PageOf<Item>>;
export function pageOf(item: v.GenericSchema) {
  return record({ ...pageFields, data: listOf(item) });
}
