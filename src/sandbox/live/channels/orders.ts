// `ordersPending`: the events of open orders. `ordersExecuted`: each order when it has ended. `deals`: executions.
import { liveStpModes } from '../../../model/order.js';
import { currenciesOf, liquidationPrefix, type AccountEvent, type MarketView } from '../../engine/index.js';
import { dealRoles, liveStatusOf } from '../../http/index.js';
import type { LedgerFill, LedgerOrder } from '../../ledger.js';
import { isIntegerFrom, oneMarket, type ChannelRules, type LiveAccount } from '../channel.js';
import { invalidArgument } from '../envelope.js';
import { listChannel } from '../list-channel.js';
import type { LiveExchange } from '../live-exchange.js';

const spotTypes = { limit: 1, market: 2, 'stock market': 202, 'stop limit': 3, 'stop market': 4 } as const;
const collateralTypes = { limit: 7, market: 8, 'stock market': 8, 'stop limit': 9, 'stop market': 10 } as const;
const sides = { sell: 1, buy: 2 } as const;

/** With a limit price. */
const limitTypes: readonly number[] = [1, 3, 7, 9];
/** Published filters: 0 for all orders, 1 for limit orders, 2 for market orders. */
const filters = [0, 1, 2] as const;

export function ordersPending(account: LiveAccount): ChannelRules {
  return listChannel(account.exchange, {
    queries: { request: (params) => openOrders(account, params) },
    list: { allowsAll: false },
    paramsOf: (event) => (event.kind === 'order' ? [event.event, orderRecord(event.order)] : undefined),
  });
}

export function ordersExecuted(account: LiveAccount): ChannelRules {
  return listChannel(account.exchange, {
    queries: { request: (params) => endedOrders(account, params) },
    list: { allowsAll: false },
    read: readFiltered,
    paramsOf: (event) => (event.kind === 'order' && event.event === 3 ? [orderRecord(event.order)] : undefined),
  });
}

export function deals(account: LiveAccount): ChannelRules {
  return listChannel(account.exchange, {
    queries: { request: (params) => ownDeals(account, params) },
    list: { allowsAll: true },
    read: ([markets, ...rest]) => {
      if (rest.length > 0 || !Array.isArray(markets)) throw invalidArgument();
      return { markets };
    },
    paramsOf: (event) => (event.kind === 'deal' ? dealTuple(event.fill) : undefined),
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

function openOrders({ exchange, state, name }: LiveAccount, params: readonly unknown[]) {
  const { view: _, ...page } = pageOf(exchange, params, state.engine.openOrders(name));
  return { ...page, records: page.records.map(orderRecord) };
}

/** As over REST, an order can be missing for a while. */
function endedOrders({ exchange, state, name }: LiveAccount, [filter, ...rest]: readonly unknown[]) {
  if (typeof filter !== 'object' || filter === null) throw invalidArgument();
  const { market, order_types: types = [] }: { market?: unknown; order_types?: unknown } = filter;
  if (!Array.isArray(types)) throw invalidArgument();
  const ended = state.engine
    .history(name)
    .filter((order) => state.history.shows(order) && (types.length === 0 || types.includes(typeNumber(order))));
  const { records, limit, offset } = pageOf(exchange, [market, ...rest], ended);
  return { limit, offset, records: records.map(executedRecord) };
}

function ownDeals({ exchange, state, name }: LiveAccount, params: readonly unknown[]) {
  const shown = state.engine.deals(name).filter((fill) => state.history.shows(fill));
  const { records, view, limit, offset } = pageOf(exchange, params, shown);
  return { limit, offset, records: records.map((fill) => dealRecord(fill, view)) };
}

const maxPageLimit = 100;

function pageOf<Item extends { readonly market: string }>(
  exchange: LiveExchange,
  [market, offset, limit, ...rest]: readonly unknown[],
  all: readonly Item[],
) {
  if (rest.length > 0 || !isIntegerFrom(0, offset) || !isIntegerFrom(1, limit, maxPageLimit)) throw invalidArgument();
  const view = oneMarket(exchange, [market]);
  const items = all.filter((item) => item.market === view.listing.name);
  return { view, limit, offset, total: items.length, records: items.slice(offset, offset + limit) };
}

function typeNumber({ type, collateral }: LedgerOrder): number {
  return (collateral ? collateralTypes : spotTypes)[type];
}

function orderRecord(order: LedgerOrder) {
  const { retail, reduceOnly: reduce_only, positionSide: position_side = 'BOTH', stp, collateral, left } = order;
  const own = { left, stp: liveStpModes[stp], position_side, reduce_only };
  return { ...sharedFields(order), ...own, ...(collateral ? {} : { retail }) };
}

function executedRecord(order: LedgerOrder) {
  const isLiquidation = order.client_order_id.startsWith(liquidationPrefix);
  const own = { ftime: order.ftime, source: isLiquidation ? 'liquidation' : 'api' };
  return { ...sharedFields(order), ...own, fee_asset: currenciesOf(order.market).money };
}

function sharedFields(order: LedgerOrder) {
  const { order_id: id, market, postOnly: post_only, ioc, rpi, timestamp: ctime, mtime, price, amount } = order;
  const { deal_stock, deal_money, deal_fee, client_order_id } = order;
  const { activation_price, activationCondition: activation_condition, activated } = order;
  return {
    ...{ id, market, type: typeNumber(order), side: sides[order.side], post_only, ioc, rpi, ctime, mtime },
    ...{ price, amount, deal_stock, deal_money, deal_fee, client_order_id },
    ...{ activation_price, activation_condition, activated },
    status: liveStatusOf(order),
  };
}

function dealTuple({ id, at, market, order_id, price, amount, fee, client_order_id, side, role }: LedgerFill) {
  return [
    ...[id, at / 1000, market, order_id, price, amount, fee, client_order_id],
    ...[sides[side], dealRoles[role], currenciesOf(market).money],
  ];
}

function dealRecord(fill: LedgerFill, { listing, tape }: MarketView) {
  const { id, at, market, order_id, client_order_id, side, role, price, amount, money, fee } = fill;
  const trade = tape.trades.findLast((one) => one.id === id);
  const otherId = role === 'maker' ? trade?.takerOrderId : trade?.makerOrderId;
  return {
    ...{ id, time: at / 1000, side: sides[side], role: dealRoles[role], price, amount, deal: money, fee },
    // The sandbox itself has no orders.
    ...{ order_id, deal_order_id: otherId ?? 0, market, client_order_id, fee_asset: listing.money },
  };
}
