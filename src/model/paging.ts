// The page of a list: which items, and how many.
import * as v from 'valibot';
import { listOf, optionalNumber, record } from './tolerant.js';

/** An integer of a request, with its bounds and a message that says them. */
export function boundedInteger(from: number, to: number) {
  const rule = `must be an integer from ${from} to ${to}`;
  return v.pipe(v.number(rule), v.integer(rule), v.minValue(from, rule), v.maxValue(to, rule));
}

/** Spec, Limits: `limit` is 1 to 100. */
export const maxPageSize = 100;
/** Spec, Limits: `offset` is 0 to 10000. */
export const maxOffset = 10_000;

export const pageFields = {
  /** How many items at most, 1 to 100. Default: the exchange's own for the list. */
  limit: v.exactOptional(boundedInteger(1, maxPageSize)),
  /** How many items to leave out first, 0 to 10000. Default 0. */
  offset: v.exactOptional(boundedInteger(0, maxOffset)),
};

/** Whether a page begins where it was asked to, as far as it says where. */
export function isPageAsked(
  fields: Readonly<Record<string, unknown>>,
  { offset }: { readonly offset?: number | undefined },
): boolean {
  return offset === undefined || offset === (fields['offset'] ?? 0);
}

/** A page of a list as the exchange answers it. */
export function pageOf<const Item extends v.GenericSchema>(item: Item) {
  return record({
    /** How many items were left out before these. */
    offset: optionalNumber,
    /** The most items the page could hold. */
    limit: optionalNumber,
    /** The items of the page, in the order of the list; without those that cannot be read. */
    data: listOf(item),
  });
}
