// Records of a response that could not be read, beside the ones that could: one odd record must not hide the rest of a
// list.
import * as v from 'valibot';

/** What was left out of a list or a map because it could not be read: see {@link unreadableIn}. */
export interface Unreadable {
  /** How many records were left out. */
  readonly count: number;
  /** Where the first one is, and how it differs, without any of its values: `3.side is missing`. */
  readonly sample: string;
  /**
   * The names that a map was left without, as the exchange sent them. Absent for a list, and for what is missing inside
   * of the entries.
   */
  readonly keys?: readonly string[];
}

/** Beside the outputs, so that a list stays a list and a map holds nothing but its entries. */
const found = new WeakMap<object, Unreadable>();

/**
 * Whether a response is partial: what was left out of its lists and maps because it could not be read, or `undefined`
 * when the response is whole. A list that is partial does not prove that something is missing from it: place nothing
 * because of it.
 *
 * For what an endpoint emits, a list within it, or the balance of {@link watchBalance}. A copy, such as by `filter` or
 * a spread, is not known, and neither are single items of `subAccounts.listAll` and `mining.listAllAccounts`; the event
 * `unreadable` reports those.
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

/** Notes for an output what was left out of it, or of a part of it. */
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

/** The same, of what stands under a key. Its own keys are none of the whole. */
export function under(key: string | number, unreadable: Unreadable): Unreadable;
export function under(key: string | number, unreadable: Unreadable | undefined): Unreadable | undefined;
export function under(key: string | number, unreadable: Unreadable | undefined): Unreadable | undefined {
  return unreadable === undefined ? undefined : { count: unreadable.count, sample: `${key}.${unreadable.sample}` };
}

/** Where a value differs from its schema, without the values that it holds. */
export function describeIssue(issue: v.BaseIssue<unknown>): string {
  const place = v.getDotPath(issue) ?? 'the body';
  if (issue.received === 'undefined') return `${place} is missing`;
  // A pattern says little to a reader.
  return issue.expected === null || issue.expected.startsWith('/')
    ? `${place} is not as expected`
    : `${place} is not ${issue.expected}`;
}
