// A watched list: its items by identifier, and which of them were added, changed or have gone since the last poll.
import type { ReadList, Unreadable } from '../model/unreadable.js';

export { readListOf, type ReadList } from '../model/unreadable.js';

/** A change of a watched list. Switch on `kind`. */
export type ListChange<Item> =
  /** The item was not in the list before. */
  | { readonly kind: 'added'; readonly after: Item }
  /** A field of the item differs, or was added or removed. */
  | { readonly kind: 'changed'; readonly before: Item; readonly after: Item }
  /** The item is not in the list any more, and the list is whole; or a few partial lists in a row lacked the item. */
  | { readonly kind: 'gone'; readonly before: Item };

/** A list after a poll. */
export interface ListState<Item> {
  readonly items: ReadonlyMap<number, Item>;
  readonly changes: readonly ListChange<Item>[];
  readonly unreadable: Unreadable | undefined;
}

/** Partial lists in a row that an item may be missing from, when more items are missing than records are unreadable. */
const maxPartialLists = 3;

/**
 * A list from poll to poll. An item that a partial list lacks may be the unreadable one: it stays as it was. When more
 * items are missing than records are unreadable, some of them have ended: each is gone after a few partial lists.
 */
export class WatchedList<Item extends Readonly<Record<string, unknown>>> {
  /** From how many partial lists in a row an item has been missing. */
  #missing: ReadonlyMap<number, number> = new Map();

  constructor(private readonly idOf: (item: Item) => number) {}

  /** The list after a poll; `last` is `undefined` after the first successful one. */
  next({ items, unreadable }: ReadList<Item>, last: ReadonlyMap<number, Item> | undefined): ListState<Item> {
    const read = new Map(items.map((item) => [this.idOf(item), item]));
    const missing = new Map([...(last ?? [])].filter(([id]) => !read.has(id)));
    const kept = this.#keptOf([...missing.keys()], unreadable?.count ?? 0);
    const changes = last === undefined ? [] : [...read].flatMap(([id, after]) => changeOf(last.get(id), after));
    const gone: ListChange<Item>[] = [];
    for (const [id, before] of missing) {
      if (kept.has(id)) read.set(id, before);
      else gone.push({ kind: 'gone', before });
    }
    return { items: read, changes: [...changes, ...gone], unreadable };
  }

  #keptOf(missing: readonly number[], unreadable: number): ReadonlySet<number> {
    const counts = new Map(unreadable === 0 ? [] : missing.map((id) => [id, (this.#missing.get(id) ?? 0) + 1]));
    this.#missing = counts;
    if (missing.length <= unreadable) return new Set(missing);
    return new Set([...counts].flatMap(([id, count]) => (count <= maxPartialLists ? [id] : [])));
  }
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
