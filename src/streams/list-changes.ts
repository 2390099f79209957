// A watched list: its items by identifier, and which of them were added, changed or have gone since the last poll.
import { unreadableIn, type Unreadable } from '../model/unreadable.js';

/** A change of a watched list. Switch on `kind`. */
export type ListChange<Item> =
  /** The item was not in the list before. */
  | { readonly kind: 'added'; readonly after: Item }
  /** A field of the item differs, or was added or removed. */
  | { readonly kind: 'changed'; readonly before: Item; readonly after: Item }
  /** The item is not in the list any more, and the list is whole. */
  | { readonly kind: 'gone'; readonly before: Item };

/** A list after a poll. */
export interface ListState<Item> {
  readonly items: ReadonlyMap<number, Item>;
  readonly changes: readonly ListChange<Item>[];
  readonly unreadable: Unreadable | undefined;
}

/** What was read of a list. */
export interface ReadList<Item> {
  readonly items: readonly Item[];
  readonly unreadable: Unreadable | undefined;
}

/** A list that one response holds. */
export function readListOf<Item>(items: readonly Item[]): ReadList<Item> {
  return { items, unreadable: unreadableIn(items) };
}

/**
 * The list after a poll; `last` is `undefined` after the first successful one. An item that a partial list lacks may be
 * the unreadable one: it stays as it was.
 */
export function nextList<Item extends Readonly<Record<string, unknown>>>(
  { items, unreadable }: ReadList<Item>,
  last: ReadonlyMap<number, Item> | undefined,
  idOf: (item: Item) => number,
): ListState<Item> {
  const read = new Map(items.map((item) => [idOf(item), item]));
  const missing = [...(last ?? [])].filter(([id]) => !read.has(id));
  if (unreadable !== undefined) for (const [id, item] of missing) read.set(id, item);
  if (last === undefined) return { items: read, changes: [], unreadable };
  const changes = [...read].flatMap(([id, after]) => changeOf(last.get(id), after));
  const gone =
    unreadable === undefined ? missing.map(([, before]): ListChange<Item> => ({ kind: 'gone', before })) : [];
  return { items: read, changes: [...changes, ...gone], unreadable };
}

function changeOf<Item extends Readonly<Record<string, unknown>>>(
  before: Item | undefined,
  after: Item,
): ListChange<Item>[] {
  if (before === undefined) return [{ kind: 'added', after }];
  return isSame(before, after) ? [] : [{ kind: 'changed', before, after }];
}

/** Fields have no order: a response may list them differently than the one before. */
function isSame(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].every((name) => {
    const [was, is] = [before[name], after[name]];
    return Object.is(was, is) || (typeof was === 'object' && JSON.stringify(was) === JSON.stringify(is));
  });
}
