// The pages of a list.
import * as v from 'valibot';
import { listOf, optionalNumber, record, type RecordOf } from './tolerant.js';

/** An integer parameter with bounds, which its message names. */
export function boundedInteger(from: number, to: number, kind = 'an integer') {
  const rule = `must be ${kind} from ${from} to ${to}`;
  return v.pipe(v.number(rule), v.integer(rule), v.minValue(from, rule), v.maxValue(to, rule));
}

/** Spec, Limits: `limit` is 1 to 100. */
export const maxPageSize = 100;
/** Spec, Limits: `offset` is 0 to 10000. */
export const maxOffset = 10_000;

export const pageParams = {
  limit: v.exactOptional(boundedInteger(1, maxPageSize)),
  offset: v.exactOptional(boundedInteger(0, maxOffset)),
};

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
