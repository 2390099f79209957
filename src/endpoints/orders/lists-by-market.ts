// Lists by market, in one response: `{ BTC_USDT: [ … ] }`.
import * as v from 'valibot';
import { namedSchema } from '../../model/map.js';
import { mapOf, partOf } from '../../model/tolerant.js';
import { unreadableIn } from '../../model/unreadable.js';
import { marketName } from '../fields.js';

type Fields = Readonly<Record<string, unknown>>;

/** The lists by market. `prepare` changes the lists before their items are read. */
export function byMarket<Item>(
  item: v.GenericSchema<unknown, Item>,
  prepare: (lists: Fields) => Fields = (lists) => lists,
) {
  const unread = v.pipe(
    namedSchema,
    v.record(v.string(), v.unknown()),
    v.check((lists) => Object.keys(lists).every((market) => v.is(marketName, market)), 'must have markets as its keys'),
    v.transform((lists): unknown => prepare(lists)),
  );
  return v.pipe(
    unread,
    mapOf(partOf(item)),
    v.check((lists) => unreadableIn(lists) === undefined || hasItem(lists), 'must have an item that can be read'),
  );
}

function hasItem(lists: Readonly<Record<string, readonly unknown[]>>): boolean {
  return Object.values(lists).some((items) => items.length > 0);
}
