// What the readers of the channels share.
import * as v from 'valibot';
import { isRecord } from '../../model/map.js';
import type { ChannelItem } from '../define-channel.js';

/** The value by its schema; `undefined` where it is unreadable. */
export function readBy<Output>(schema: v.GenericSchema<unknown, Output>, value: unknown): Output | undefined {
  const result = v.safeParse(schema, value, { abortEarly: true });
  return result.success ? result.output : undefined;
}

/** A list that the exchange writes as an array. */
export function listIn(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The reader of pushes `[market, value]`. */
export function marketReader<Item>(
  read: (value: unknown) => Item | undefined,
): (params: unknown) => readonly ChannelItem<Item>[] | undefined {
  return (params) => {
    const [key, value] = listIn(params) ?? [];
    const item = read(value);
    return typeof key === 'string' && item !== undefined ? [{ key, item }] : undefined;
  };
}

/** The reader of pushes that are a list of tuples. */
export function tuplesReader<Item>(
  read: (tuple: readonly unknown[]) => ChannelItem<Item> | undefined,
): (params: unknown) => readonly ChannelItem<Item>[] | undefined {
  return (params) => {
    const items: ChannelItem<Item>[] = [];
    for (const tuple of listIn(params) ?? []) {
      const item = Array.isArray(tuple) ? read(tuple) : undefined;
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items.length === 0 ? undefined : items;
  };
}

/** The fields of an object by name; of anything else, none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
