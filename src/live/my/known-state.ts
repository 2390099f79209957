// A state of the account, such as its balances, as far as it is known: pure functions of pushes and of what was read.
import { isRecord } from '../../model/map.js';
import type { Part } from '../channels/read.js';

/** A state with a push; `undefined` when it is larger than a state can be. */
export type Apply<State> = (known: Part<State>, pushed: Part<State>) => Part<State> | undefined;

/** The pushes of about one time, as one. */
export interface RecentPushes<State> {
  /** When the first of them came, milliseconds. */
  readonly at: number;
  readonly pushed: Part<State>;
}

/** Assets of a balance: more than the exchange has, and about what a whole response may have. */
const maxAssets = 10_000;

/** The balances with those that were pushed; `undefined` for more than there can be. */
export function applyBalances<Balance>(
  known: Part<Readonly<Record<string, Balance>>>,
  pushed: Part<Readonly<Record<string, Balance>>>,
): Part<Readonly<Record<string, Balance>>> | undefined {
  const state = { ...known.state, ...pushed.state };
  return Object.keys(state).length > maxAssets ? undefined : { state, isWhole: known.isWhole && pushed.isWhole };
}

/** A list that each push holds as a whole. */
export function applyList<Item>(_known: unknown, pushed: Part<readonly Item[]>): Part<readonly Item[]> {
  return pushed;
}

/**
 * The recent pushes, oldest first, with one more; `undefined` for more than there can be.
 *
 * @param togetherFrom pushes since this time are one
 */
export function withPush<State>(
  recent: readonly RecentPushes<State>[],
  next: RecentPushes<State>,
  togetherFrom: number,
  apply: Apply<State>,
): readonly RecentPushes<State>[] | undefined {
  const last = recent.at(-1);
  if (last === undefined || last.at < togetherFrom) return [...recent, next];
  const pushed = apply(last.pushed, next.pushed);
  return pushed && [...recent.slice(0, -1), { at: last.at, pushed }];
}

/**
 * What was read, with the pushes of about its time: where it is newer than they are, the exchange pushes it, too, within
 * its interval. An unreadable record of such a push says nothing about what was read.
 */
export function bridgeStates<State>(
  page: Part<State>,
  recent: readonly RecentPushes<State>[],
  apply: Apply<State>,
): Part<State> | undefined {
  return recent.reduce<Part<State> | undefined>(
    (known, { pushed }) => known && apply(known, { ...pushed, isWhole: true }),
    page,
  );
}

/** Whether two states say the same; the fields of a push and of a response have different orders. */
export function isSameState<State>(one: Part<State> | undefined, other: Part<State>): boolean {
  return one?.isWhole === other.isWhole && textOf(one.state) === textOf(other.state);
}

function textOf(state: unknown): string {
  const sorted = (_key: string, value: unknown): unknown =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value;
  return JSON.stringify(state, sorted);
}
