// Lists of orders and of their deals, wherever they were placed: open orders, the history, and what a delisting ended.
import { apiErrorCodes } from '../../../model/error-body.js';
import { unixSeconds } from '../../clock.js';
import type { LedgerOrder } from '../../ledger.js';
import { invalid, malformed } from '../../rejection.js';
import {
  renderConditionalOcoOrder,
  renderConditionalOrder,
  renderDeal,
  renderDelistedOrder,
  renderHistoricalOrder,
  renderOcoOrder,
  renderOrder,
} from '../render.js';
import type { FieldReader } from '../fields.js';
import { listedMarket } from './market-data.js';
import { per10s } from '../rate-limiter.js';
import { page, signed, type Call } from '../route.js';

const rateLimit = per10s(12_000);
const maxOffset = 4_294_967_295;

export const orderListsRoutes = [
  signed('/api/v4/orders', openOrders, { rateLimit, fields: page(100, 50, maxOffset) }),
  signed('/api/v4/oco-orders', ocoOrders, { rateLimit, fields: page(100, 50, maxOffset) }),
  signed('/api/v4/conditional-orders', conditionalOrders, { rateLimit, fields: page(100, 100, maxOffset) }),
  signed('/api/v4/trade-account/order/history', orderHistory, { fields: page(500, 50) }),
  signed('/api/v4/trade-account/order/history/query', delistedOrders, {
    ...{ rateLimit: per10s(10_000), fields: page(500, 500, 9999) },
  }),
  signed('/api/v4/trade-account/executed-history', deals, { fields: page(500, 50) }),
  signed('/api/v4/trade-account/order', dealsOfOrder, {
    ...{ required: ['order_id'], fields: page(Number.MAX_SAFE_INTEGER, 50) },
  }),
];

function openOrders(call: Call) {
  const { state, account, fields } = call;
  const filter = orderFilter(fields);
  if (filter.isByIdentifier) fields.require('market');
  listedMarket(call, 'Market is not available');
  const open = state.engine.openOrders(account, filter.matches);
  const shown = state.behavior.separatesConditionalOrders ? withoutConditional(open, call) : open;
  return fields.page(shown).records.map(renderOrder);
}

/** An order of an OCO order stays when the other one has ended: no other list has it. */
function withoutConditional(open: readonly LedgerOrder[], call: Call): LedgerOrder[] {
  const ocoIds = new Set(ocosOf(call).map(({ id }) => id));
  return open.filter(({ oto, ocoId = 0 }) => oto === undefined && !ocoIds.has(ocoId));
}

function ocosOf({ state, account, fields }: Call) {
  return fields.ofMarket(state.engine.current.oco.list(account), ({ takeProfit }) => takeProfit.market);
}

function ocoOrders(call: Call) {
  return call.fields.page(ocosOf(call)).records.map(renderOcoOrder);
}

function conditionalOrders(call: Call) {
  const { state, account, fields } = call;
  const otos = fields
    .ofMarket(state.engine.openOrders(account), ({ market }) => market)
    .flatMap((order) => (order.oto === undefined ? [] : [renderConditionalOrder(order, order.oto)]));
  const all = [...ocosOf(call).map(renderConditionalOcoOrder), ...otos];
  return { total: all.length, ...fields.page(all) };
}

function orderHistory({ state, account, fields }: Call) {
  const filter = orderFilter(fields);
  const period = fields.period();
  const status = fields.value('status');
  const found = state.engine
    .history(account, filter.matches)
    .filter((order) => period.has(order.timestamp) && state.history.shows(order))
    .map((order) => ({ market: order.market, record: renderHistoricalOrder(order) }))
    .filter(({ record }) => status === undefined || record['status'] === status);
  const { records } = fields.page(found);
  if (records.length === 0 && filter.client_order_id !== '') throw noHistory();
  return byMarket(records);
}

const noHistory = () => malformed('orderHistory', 'OrderHistory was not found.');

/** An object of lists, which is an empty list when it is empty. */
function byMarket(records: readonly { readonly market: string; readonly record: unknown }[]) {
  const lists: Record<string, unknown[]> = {};
  for (const { market, record } of records) (lists[market] ??= []).push(record);
  return records.length === 0 ? [] : lists;
}

function orderFilter(fields: FieldReader) {
  const order_id = fields.orderId({ asDigits: true });
  const client_order_id = fields.clientOrderId();
  const market = fields.optionalMarket();
  return {
    client_order_id,
    isByIdentifier: order_id !== undefined || client_order_id !== '',
    matches: (order: Pick<LedgerOrder, 'market' | 'order_id' | 'client_order_id'>): boolean =>
      (market === undefined || order.market === market) &&
      (order_id === undefined || order.order_id === order_id) &&
      (client_order_id === '' || order.client_order_id === client_order_id),
  };
}

const daySeconds = 24 * 60 * 60;
const maxSpanDays = 31;
const defaultSpanDays = 30;
const maxRows = 10_000;

/** Newest end first. The sandbox cancels the orders of a delisted market, so none of them is listed as filled. */
function delistedOrders({ state, account, fields }: Call) {
  const status = fields.text('status');
  if (status !== undefined && !['filled', 'delisting'].includes(status))
    throw malformed('status', 'The selected status is invalid.');
  const endDate = fields.integer('endDate') ?? unixSeconds(state.clock.now()) + 1;
  const startDate = fields.integer('startDate') ?? endDate - defaultSpanDays * daySeconds;
  if (endDate < startDate || endDate - startDate > maxSpanDays * daySeconds)
    throw malformed('endDate', `The period must be at most ${maxSpanDays} days.`);
  const found = fields
    .ofMarket(state.engine.history(account), ({ market }) => market)
    .filter(({ status: of, ftime = 0 }) => of === 'DELISTING' && ftime >= startDate && ftime <= endDate)
    .sort((one, other) => (other.ftime ?? 0) - (one.ftime ?? 0));
  const { offset, limit, records } = fields.page(found);
  if (offset + limit > maxRows) throw malformed('offset', `The sum of offset and limit must be at most ${maxRows}.`);
  return status === 'filled' ? [] : records.map(renderDelistedOrder);
}

function shownDeals({ state, account }: Call) {
  return state.engine.deals(account).filter((deal) => state.history.shows(deal));
}

function deals(call: Call) {
  const { fields } = call;
  const client_order_id = fields.clientOrderId();
  const market = fields.optionalMarket();
  if (market !== undefined && !market.includes('_'))
    throw invalid(422, apiErrorCodes.market, 'market', 'Market field format is invalid.');
  const period = fields.period();
  const ofOrder = shownDeals(call).filter((deal) => client_order_id === '' || deal.client_order_id === client_order_id);
  if (client_order_id !== '' && ofOrder.length === 0) throw noHistory();
  const found = fields.ofMarket(ofOrder, (deal) => deal.market).filter(({ at }) => period.has(at / 1000));
  const { records } = fields.page(found);
  if (market !== undefined) return records.map(renderDeal);
  return byMarket(records.map((deal) => ({ market: deal.market, record: renderDeal(deal) })));
}

function dealsOfOrder(call: Call) {
  const order_id = call.fields.orderId({ asDigits: false });
  const ofOrder = shownDeals(call).filter((deal) => deal.order_id === order_id);
  const { records: shown, ...bounds } = call.fields.page(ofOrder);
  const records = shown.map((deal) => {
    const { side: _side, orderId: _orderId, ...record } = renderDeal(deal);
    // By the published samples: the number of the order itself.
    return { ...record, dealOrderId: deal.order_id };
  });
  return { records, ...bounds };
}
