// The channels of the account: its balances, executions, orders, positions and loans.
import type * as v from 'valibot';
import {
  assetTradeBalanceSchema,
  pushedCollateralAssetSchema,
  type CollateralAssets,
  type TradeBalance,
} from '../../model/balances.js';
import { dealSchema, executionOf, type Execution } from '../../model/deal.js';
import {
  liveOrderSchema,
  liveOtoOrderSchema,
  sideOf,
  type LiveOrder,
  type LiveOtoOrder,
} from '../../model/live-order.js';
import { isRecord } from '../../model/map.js';
import {
  adlQuantileSchema,
  borrowSchema,
  livePositionSchema,
  type AdlQuantile,
  type Borrow,
  type LivePosition,
} from '../../model/position.js';
import type { LiveGap } from '../../model/stream-gap.js';
import type { LiteralUnion } from '../../model/tolerant.js';
import { everyKey, type Channel, type PushItem } from '../channel.js';
import { itemOf, listIn, readBy } from './read.js';

/** A state of the account, or the changes of one. */
export interface Part<State> {
  readonly state: State;
  /** Whether no record of it was unreadable. */
  readonly isWhole: boolean;
}

/** Of the whole account: these subscriptions have no parameters. */
const ofAccount = { params: () => [], isPrivate: true } as const;

/** One item with all balances of a push, and an unreadable part where one of them is unreadable. */
function balancesReader<Balance>(
  entriesOf: (part: unknown) => readonly (readonly [asset: string, balance: Balance] | undefined)[],
): (params: unknown) => readonly PushItem<Part<Readonly<Record<string, Balance>>>>[] | undefined {
  return (params) => {
    const list = listIn(params);
    if (list === undefined) return undefined;
    const entries = list.flatMap(entriesOf);
    const readable = entries.filter((entry) => entry !== undefined);
    return [
      ...(readable.length === 0
        ? []
        : [{ key: everyKey, item: { state: Object.fromEntries(readable), isWhole: true } }]),
      ...(readable.length < entries.length ? [{ unreadable: true as const }] : []),
    ];
  };
}

/** At most every 1 s. A push is a list of maps, each with one asset or more. */
export const balances: Channel<Part<TradeBalance>> = {
  name: 'balances',
  method: 'balanceSpot',
  ...ofAccount,
  read: balancesReader((map) =>
    isRecord(map)
      ? Object.entries(map).map(([asset, value]) => {
          const balance = readBy(assetTradeBalanceSchema, value);
          return balance === undefined ? undefined : [asset, balance];
        })
      : [undefined],
  ),
};

/** At most every 1.5 s. A push is a list of assets, with short names. */
export const marginBalances: Channel<Part<CollateralAssets>> = {
  name: 'marginBalances',
  method: 'balanceMargin',
  ...ofAccount,
  read: balancesReader((value) => {
    const balance = readBy(pushedCollateralAssetSchema, value);
    return [balance === undefined ? undefined : [balance.asset, balance]];
  }),
};

/** The executions of all markets. A push is one execution: a tuple, of which older messages lack the end. */
export const deals: Channel<Execution> = {
  name: 'deals',
  stream: 'live.my.executions',
  method: 'deals',
  params: () => [[]],
  isPrivate: true,
  read: (params) => {
    const [id, time, market, order_id, price, amount, fee, client_order_id, side, role, feeAsset] =
      listIn(params) ?? [];
    if (typeof market !== 'string') return undefined;
    const record = { id, time, order_id, price, amount, fee, client_order_id, role, feeAsset };
    const deal = readBy(dealSchema, { ...record, side: sideOf(side) });
    return [itemOf(market, deal === undefined ? undefined : executionOf(market, deal))];
  },
};

export interface SeenOrder {
  readonly order: LiveOrder;
  /** Whether the exchange reports that it has ended, whatever its status is. */
  readonly hasEnded?: boolean;
  /** Whether the push says that the order is new: of a known stop order, that it is active. */
  readonly isNew?: boolean;
}

/** A change of a conditional order, as the exchange pushes it. */
export interface OtoOrderChange {
  /** Discriminates the items. */
  readonly kind: 'oto';
  /** The market, `BASE_QUOTE`. */
  readonly market: string;
  /** What has happened to it; an event that the exchange adds is its number. */
  readonly event: LiteralUnion<'opened' | 'updated' | 'ended'>;
  readonly oto: LiveOtoOrder;
}

const newEvent = 1;
const endEvent = 3;
const orderEvents: ReadonlyMap<unknown, OtoOrderChange['event']> = new Map([
  [newEvent, 'opened'],
  [2, 'updated'],
  [endEvent, 'ended'],
]);

function marketIn(order: unknown): unknown {
  return isRecord(order) ? order['market'] : undefined;
}

export const ordersPending: Channel<SeenOrder> = {
  name: 'ordersPending',
  stream: 'live.my.orders',
  method: 'ordersPending',
  isPrivate: true,
  read: (params) => {
    const [event, value] = listIn(params) ?? [];
    const order = typeof event === 'number' ? readBy(liveOrderSchema, value) : undefined;
    const seen = order && { order, hasEnded: event === endEvent, isNew: event === newEvent };
    return [itemOf(marketIn(value), seen)];
  },
};

/** The exchange's filter of channel `ordersExecuted`: limit and market orders. */
const everyType = 0;

export const ordersExecuted: Channel<SeenOrder> = {
  name: 'ordersExecuted',
  stream: 'live.my.orders',
  method: 'ordersExecuted',
  isPrivate: true,
  params: (markets) => [markets, everyType],
  read: (params) =>
    listIn(params)?.map((value) => {
      const order = readBy(liveOrderSchema, value);
      return itemOf(marketIn(value), order && { order, hasEnded: true });
    }),
};

/** Conditional orders are pushed to the subscribers of `ordersPending`, by a method of their own. */
export const otoOrdersUpdate = 'otoOrdersPending_update';

export function readOtoChange(params: unknown): PushItem<OtoOrderChange> {
  const [number, value] = listIn(params) ?? [];
  const oto = readBy(liveOtoOrderSchema, value);
  const market = isRecord(value) ? marketIn(value['trigger_order']) : undefined;
  if (oto === undefined) return itemOf<OtoOrderChange>(market, undefined);
  const event = orderEvents.get(number) ?? String(number);
  return itemOf(market, { kind: 'oto', market: oto.trigger_order.market, event, oto });
}

/** What happens to a position or a loan. The exchange may add other events, which are texts of digits. */
export type CollateralEvent = LiteralUnion<'margin_call' | 'liquidation'>;

/** An item of {@link My.positionEvents} and {@link My.borrowEvents}. Switch on `kind`. */
export type CollateralEventItem<Item> =
  | {
      /** Discriminates the items. */
      readonly kind: 'event';
      /** What happens to the position, or to the loan. */
      readonly event: CollateralEvent;
      /** The position, or the loan. */
      readonly record: Item;
    }
  | LiveGap;

const collateralEvents: ReadonlyMap<unknown, CollateralEvent> = new Map([
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

function eventReader<Item>(schema: v.GenericSchema<unknown, Item>) {
  return (params: unknown): readonly PushItem<CollateralEventItem<Item>>[] | undefined => {
    const [number, value] = listIn(params) ?? [];
    const record = readBy(schema, value);
    if (record === undefined || (typeof number !== 'number' && typeof number !== 'string')) return undefined;
    const event = collateralEvents.get(Number(number)) ?? String(number);
    return [{ key: everyKey, item: { kind: 'event', event, record } }];
  };
}

/** Every open position, each second. */
export const positions: Channel<Part<readonly LivePosition[]>> = {
  name: 'positions',
  method: 'positionsMargin',
  ...ofAccount,
  read: recordsReader(livePositionSchema),
};

export const positionEvents: Channel<CollateralEventItem<LivePosition>> = {
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

export const borrowEvents: Channel<CollateralEventItem<Borrow>> = {
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
