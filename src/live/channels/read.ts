// What the readers of the channels share.
import * as v from 'valibot';
import type { PushItem } from '../channel.js';

export function readBy<Output>(schema: v.GenericSchema<unknown, Output>, value: unknown): Output | undefined {
  const result = v.safeParse(schema, value, { abortEarly: true });
  return result.success ? result.output : undefined;
}

export function listIn(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The item of a market; unreadable without either. */
export function itemOf<Item>(market: unknown, item: Item | undefined): PushItem<Item> {
  if (typeof market !== 'string') return { unreadable: true };
  return item === undefined ? { key: market, unreadable: true } : { key: market, item };
}

/** The reader of pushes `[market, value]`. */
export function marketReader<Item>(
  read: (value: unknown) => Item | undefined,
): (params: unknown) => readonly PushItem<Item>[] {
  return (params) => {
    const [market, value] = listIn(params) ?? [];
    return [itemOf(market, read(value))];
  };
}

/** The reader of pushes that are a list of tuples. */
export function tuplesReader<Item>(
  read: (tuple: readonly unknown[]) => PushItem<Item>,
): (params: unknown) => readonly PushItem<Item>[] | undefined {
  return (params) => {
    const items = (listIn(params) ?? []).map((tuple) => read(listIn(tuple) ?? []));
    if (items.length === 0) return undefined;
    // First what may be of any market: the items of the same push are newer.
    return [...items.filter(({ key }) => key === undefined), ...items.filter(({ key }) => key !== undefined)];
  };
}
