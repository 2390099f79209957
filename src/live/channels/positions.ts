// Channels of the collateral account: open positions, loans, and the events of both. And the ranks for deleveraging.
import type * as v from 'valibot';
import {
  adlQuantileSchema,
  type AdlQuantile,
  borrowSchema,
  type Borrow,
  livePositionSchema,
  type LivePosition,
} from '../../model/position.js';
import type { LiteralUnion } from '../../model/tolerant.js';
import { isRecord } from '../../model/map.js';
import { everyKey, type Channel, type PushItem } from '../channel.js';
import { listIn, readBy, type Part } from './read.js';

/** What happens to a position or a loan. The exchange may add other events, which are texts of digits. */
export type CollateralEvent = LiteralUnion<'margin_call' | 'liquidation'>;

/** A record, and what happens to it. */
export interface RecordEvent<Item> {
  readonly event: CollateralEvent;
  readonly record: Item;
}

const events: ReadonlyMap<unknown, CollateralEvent> = new Map([
  [1, 'margin_call'],
  [2, 'liquidation'],
]);

/** The records of a list; the list is partial where one of them is unreadable, or more of them are announced. */
function partOf<Item>(
  list: readonly unknown[],
  total: unknown,
  schema: v.GenericSchema<unknown, Item>,
): readonly PushItem<Part<readonly Item[]>>[] {
  const state = list.flatMap((one) => readBy(schema, one) ?? []);
  const expected = typeof total === 'number' ? Math.max(total, list.length) : list.length;
  return [{ key: everyKey, item: { state, isWhole: state.length >= expected } }];
}

/** The reader of `{ total, records }`. Every other channel has a list instead. */
function recordsReader<Item>(schema: v.GenericSchema<unknown, Item>) {
  return (params: unknown) => {
    const records = isRecord(params) ? listIn(params['records']) : undefined;
    return records === undefined || !isRecord(params) ? undefined : partOf(records, params['total'], schema);
  };
}

/** The reader of `[event, record]`. */
function eventReader<Item>(schema: v.GenericSchema<unknown, Item>) {
  return (params: unknown): readonly PushItem<RecordEvent<Item>>[] | undefined => {
    const [number, value] = listIn(params) ?? [];
    const record = readBy(schema, value);
    if (record === undefined || (typeof number !== 'number' && typeof number !== 'string')) return undefined;
    return [{ key: everyKey, item: { event: events.get(Number(number)) ?? String(number), record } }];
  };
}

/** Of the whole account: these subscriptions have no parameters. */
const ofAccount = { params: () => [], isPrivate: true } as const;

/** Every open position, each second. */
export const positions: Channel<Part<readonly LivePosition[]>> = {
  name: 'positions',
  method: 'positionsMargin',
  ...ofAccount,
  read: recordsReader(livePositionSchema),
};

export const positionEvents: Channel<RecordEvent<LivePosition>> = {
  name: 'positionEvents',
  method: 'positionsAccountMargin',
  ...ofAccount,
  read: eventReader(livePositionSchema),
};

/** Every loan, at most every 1.5 s. */
export const borrows: Channel<Part<readonly Borrow[]>> = {
  name: 'borrows',
  method: 'borrowsMargin',
  ...ofAccount,
  read: recordsReader(borrowSchema),
};

export const borrowEvents: Channel<RecordEvent<Borrow>> = {
  name: 'borrowEvents',
  method: 'borrowsAccountMargin',
  ...ofAccount,
  read: eventReader(borrowSchema),
};

/** The markets with a position, at once and every 30 s. */
export const adlQuantiles: Channel<Part<readonly AdlQuantile[]>> = {
  name: 'adlQuantiles',
  method: 'ADLQuantile',
  ...ofAccount,
  read: (params) => {
    const list = listIn(params)?.map((tuple) => {
      const [market, long, short] = listIn(tuple) ?? [];
      return { market, long, short };
    });
    return list === undefined ? undefined : partOf(list, undefined, adlQuantileSchema);
  },
};
