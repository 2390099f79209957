// `ordersPending`: the events of open orders. `ordersExecuted`: each order when it has ended.
import type { AccountEvent } from '../../engine/index.js';
import { oneMarket, type Channel } from '../channel.js';
import { invalidArgument } from '../envelope.js';
import { accountChannel } from './account-channel.js';
import { onPage, pageOf, type LiveAccount } from './live-account.js';
import { executedRecord, orderRecord, typeNumber } from './order-record.js';

/** The types of orders with a limit price. The others are market orders. */
const limitTypes: readonly number[] = [1, 3, 7, 9];
/** Published filters: 0 for all orders, 1 for limit orders, 2 for market orders. */
const filters = [0, 1, 2] as const;

export function ordersPendingChannel(account: LiveAccount): Channel {
  return accountChannel(account.exchange, {
    name: 'ordersPending',
    queries: { ordersPending_request: (params) => openOrders(account, params) },
    list: { allowsAll: false },
    paramsOf: (event) => (event.kind === 'order' ? [event.event, orderRecord(event.order)] : undefined),
  });
}

export function ordersExecutedChannel(account: LiveAccount): Channel {
  return accountChannel(account.exchange, {
    name: 'ordersExecuted',
    queries: { ordersExecuted_request: (params) => endedOrders(account, params) },
    list: { allowsAll: false },
    read: readFiltered,
    paramsOf: (event) => (event.kind === 'order' && event.event === 3 ? [orderRecord(event.order)] : undefined),
  });
}

function readFiltered(params: readonly unknown[]) {
  const [markets, given] = params;
  const filter = filters.find((one) => one === given);
  if (params.length !== 2 || !Array.isArray(markets) || filter === undefined) throw invalidArgument();
  const wants = (event: AccountEvent) =>
    filter === 0 || (event.kind === 'order' && limitTypes.includes(typeNumber(event.order)) === (filter === 1));
  return { markets, wants };
}

/** Newest first. */
function openOrders({ exchange, parts, name }: LiveAccount, [market, ...rest]: readonly unknown[]) {
  const page = pageOf(rest);
  const { listing } = oneMarket(exchange, [market]);
  const open = parts.engine.openOrders(name).filter((order) => order.market === listing.name);
  return { ...page, total: open.length, records: onPage(open, page).map(orderRecord) };
}

/** Newest first; as over REST, an order can be missing for a while. */
function endedOrders({ exchange, parts, name }: LiveAccount, [filter, ...rest]: readonly unknown[]) {
  const page = pageOf(rest);
  const { market, types } = readHistoryFilter(filter);
  const { listing } = oneMarket(exchange, [market]);
  const ended = parts.engine
    .history(name)
    .filter((order) => order.market === listing.name && parts.history.showsOrder(order))
    .filter((order) => types.length === 0 || types.includes(typeNumber(order)));
  return { ...page, records: onPage(ended, page).map(executedRecord) };
}

function readHistoryFilter(filter: unknown): { readonly market: unknown; readonly types: readonly unknown[] } {
  if (typeof filter !== 'object' || filter === null) throw invalidArgument();
  const { market, order_types: types = [] }: { market?: unknown; order_types?: unknown } = filter;
  if (!Array.isArray(types)) throw invalidArgument();
  return { market, types };
}
