// The unreadable records of a response: one malformed record must not hide the rest of a list.
import * as v from 'valibot';

/** What was left out of a list or a map because it could not be read: see {@link unreadableIn}. */
export interface Unreadable {
  /** Number of omitted records. */
  readonly count: number;
  /** The position of the first one, and how it is malformed, without its values: `3.side is missing`. */
  readonly sample: string;
  /**
   * The omitted keys of a map, as the exchange sent them. Absent for a list, and for records that are missing inside the
   * entries.
   */
  readonly keys?: readonly string[];
}

/** Beside the outputs, so that a list stays a list and a map holds nothing but its entries. */
const found = new WeakMap<object, Unreadable>();

/**
 * The records that a response omits because they could not be read; `undefined` for a complete response. A record that
 * a partial list lacks may exist: place no order because of it.
 *
 * Takes the output of an endpoint, a list within it, or the balance of {@link watchBalance}. Copies, such as by `filter`
 * or a spread, are not recognized, and neither are the single items of `orders.listAllOpen` and other such lists; the
 * event `unreadable` reports those.
 *
 * @example
 * ```ts
 * import { unreadableIn, type Exchange } from 'exchange-rx';
 *
 * const warnWhenPartial = (exchange: Exchange) =>
 *   exchange.orders.open({ market: 'BTC_USDT' }).subscribe((orders) => {
 *     const unreadable = unreadableIn(orders);
 *     if (unreadable !== undefined) console.warn(unreadable.count, 'open orders are missing:', unreadable.sample);
 *   });
 * ```
 */
export function unreadableIn(output: unknown): Unreadable | undefined {
  return typeof output === 'object' && output !== null ? found.get(output) : undefined;
}

/** Records what was omitted from an output, or from a part of it. */
export function noteUnreadable(output: object, unreadable: Unreadable | undefined): void {
  if (unreadable === undefined) return;
  const noted = found.get(output);
  if (noted === undefined) {
    found.set(output, unreadable);
    return;
  }
  const { count, sample, keys = [] } = noted;
  const allKeys = [...keys, ...(unreadable.keys ?? [])];
  found.set(output, { count: count + unreadable.count, sample, ...(allKeys.length === 0 ? {} : { keys: allKeys }) });
}

/** The same for the value of a key: the omitted keys of a part are not keys of the whole. */
export function under(key: string | number, unreadable: Unreadable): Unreadable;
export function under(key: string | number, unreadable: Unreadable | undefined): Unreadable | undefined;
export function under(key: string | number, unreadable: Unreadable | undefined): Unreadable | undefined {
  return unreadable === undefined ? undefined : { count: unreadable.count, sample: `${key}.${unreadable.sample}` };
}

/** Where a value differs from its schema, without quoting it. */
export function describeIssue(issue: v.BaseIssue<unknown>): string {
  const place = v.getDotPath(issue) ?? 'the body';
  if (issue.received === 'undefined') return `${place} is missing`;
  // A pattern says little to a reader.
  return issue.expected === null || issue.expected.startsWith('/')
    ? `${place} is not as expected`
    : `${place} is not ${issue.expected}`;
}
