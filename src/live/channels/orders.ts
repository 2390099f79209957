// Channels `ordersPending` and `ordersExecuted`: what happens to the orders of the account, and how they have ended.
import { liveOrderSchema, liveOtoOrderSchema, type LiveOrder } from '../../model/live-order.js';
import { isRecord } from '../../model/map.js';
import { itemOf, listIn, readBy } from './read.js';
import type { Channel, PushItem } from '../channel.js';
import type { OtoOrderChange } from '../my/order-change.js';
import type { SeenOrder } from '../my/order-states.js';

const newEvent = 1;
const endEvent = 3;
const eventNames: ReadonlyMap<unknown, OtoOrderChange['event']> = new Map([
  [newEvent, 'opened'],
  [2, 'updated'],
  [endEvent, 'ended'],
]);

function readPending(params: unknown): SeenOrder | undefined {
  const [event, value] = listIn(params) ?? [];
  const order = readBy(liveOrderSchema, value);
  if (typeof event !== 'number' || order === undefined) return undefined;
  return { order, via: 'push', hasEnded: event === endEvent, isNew: event === newEvent };
}

/** The market of an order that cannot be read. */
function marketIn(order: unknown): unknown {
  return isRecord(order) ? order['market'] : undefined;
}

export const ordersPending: Channel<SeenOrder> = {
  name: 'ordersPending',
  method: 'ordersPending',
  isPrivate: true,
  read: (params) => [itemOf(marketIn(listIn(params)?.[1]), readPending(params))],
};

/** The exchange's filter of channel `ordersExecuted`: limit and market orders. */
const everyType = 0;

function readExecuted(value: unknown): SeenOrder | undefined {
  const order: LiveOrder | undefined = readBy(liveOrderSchema, value);
  return order === undefined ? undefined : { order, via: 'push', hasEnded: true };
}

export const ordersExecuted: Channel<SeenOrder> = {
  name: 'ordersExecuted',
  method: 'ordersExecuted',
  isPrivate: true,
  params: (markets) => [markets, everyType],
  read: (params) => listIn(params)?.map((value) => itemOf(marketIn(value), readExecuted(value))),
};

/** Conditional orders are pushed to the subscribers of `ordersPending`, by a method of their own. */
export const otoOrdersUpdate = 'otoOrdersPending_update';

export function readOtoChange(params: unknown): PushItem<OtoOrderChange> {
  const [number, value] = listIn(params) ?? [];
  const oto = readBy(liveOtoOrderSchema, value);
  const market = isRecord(value) ? marketIn(value['trigger_order']) : undefined;
  if (oto === undefined) return itemOf<OtoOrderChange>(market, undefined);
  const event = eventNames.get(number) ?? String(number);
  return itemOf(market, { kind: 'oto', market: oto.trigger_order.market, event, oto });
}
