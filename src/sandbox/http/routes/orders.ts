// Orders wherever they were placed: canceling, open orders, conditional orders, history, and the kill switch.
import { apiErrorCodes } from '../../../model/error-body.js';
import type { LedgerOrder } from '../../ledger.js';
import { invalid } from '../../rejection.js';
import { renderConditionalOcoOrder, renderConditionalOrder, renderHistoricalOrder, renderOrder } from '../dialect.js';
import type { FieldReader } from '../fields.js';
import { orderKinds, orderReference } from './order-fields.js';
import { signed, type SignedCall } from '../route.js';

export const ordersRoutes = [
  signed('/api/v4/order/cancel', 'cancelOrder', cancelOrder),
  signed('/api/v4/order/kill-switch', 'killSwitch', setKillSwitch),
  signed('/api/v4/orders', 'orders', openOrders),
  signed('/api/v4/conditional-orders', 'conditionalOrders', conditionalOrders),
  signed('/api/v4/trade-account/order/history', 'orders', orderHistory),
];

function cancelOrder({ state, account, fields }: SignedCall) {
  const { market, reference } = orderReference(fields);
  return renderOrder(fields.dialect, state.engine.cancel(account, market, reference));
}

function setKillSwitch({ state, account, fields }: SignedCall) {
  fields.require('market', ...(fields.has('timeout') ? [] : ['timeout']));
  const market = fields.market();
  const seconds = killSwitchSeconds(fields);
  const types = orderKinds(fields, 'types');
  const times = state.engine.setKillSwitch(account, market, seconds, types);
  return times === undefined ? [] : { market, ...times, types: types ?? null };
}

/** Resting and dormant orders; with `separateConditionalOrders`, without those that are listed as conditional orders. */
function openOrders({ state, account, fields }: SignedCall) {
  const filter = orderFilter(fields);
  if (filter.isByIdentifier) fields.require('market');
  const market = fields.optionalMarket();
  if (market !== undefined && !state.engine.markets().some(({ name }) => name === market))
    throw invalid(422, apiErrorCodes.market, 'market', 'Market is not available');
  const { limit, offset } = pageBounds(fields);
  const inOco = new Set(
    state.engine.oco.list(account).flatMap((oco) => [oco.stopLoss.order_id, oco.takeProfit.order_id]),
  );
  const isConditional = ({ oto, order_id }: LedgerOrder) => oto !== undefined || inOco.has(order_id);
  return state.engine
    .openOrders(account, filter.identifier)
    .filter((order) => filter.matches(order) && !(state.separateConditionalOrders && isConditional(order)))
    .slice(offset, offset + limit)
    .map((order) => renderOrder(fields.dialect, order));
}

/** The open orders with a stop loss or take profit, and the open OCO orders. */
function conditionalOrders({ state, account, fields }: SignedCall) {
  const market = fields.optionalMarket();
  const { limit, offset } = pageBounds(fields);
  const { engine } = state;
  const isOfMarket = (order: LedgerOrder) => market === undefined || order.market === market;
  const otos = engine
    .openOrders(account)
    .filter(isOfMarket)
    .flatMap((order) => (order.oto === undefined ? [] : [renderConditionalOrder(fields.dialect, order, order.oto)]));
  const ocos = engine.oco
    .list(account)
    .filter(({ takeProfit }) => isOfMarket(takeProfit))
    .map((oco) => renderConditionalOcoOrder(fields.dialect, oco));
  const records = [...ocos, ...otos];
  return { limit, offset, total: records.length, records: records.slice(offset, offset + limit) };
}

function orderHistory({ state, account, fields }: SignedCall) {
  const filter = orderFilter(fields);
  const { limit, offset } = pageBounds(fields);
  const from = fields.integer('startDate') ?? 0;
  const to = fields.integer('endDate') ?? Number.POSITIVE_INFINITY;
  const status = fields.value('status');

  const found = state.engine
    .history(account, filter.identifier)
    .filter(
      (order) =>
        filter.matches(order) && order.timestamp >= from && order.timestamp <= to && state.history.showsOrder(order),
    )
    .map((order) => ({ market: order.market, record: renderHistoricalOrder(fields.dialect, order) }))
    .filter(({ record }) => status === undefined || record['status'] === status)
    .slice(offset, offset + limit);
  if (found.length === 0 && filter.client_order_id !== '') {
    throw invalid(422, apiErrorCodes.validation, 'orderHistory', 'OrderHistory was not found.');
  }
  const byMarket: Record<string, unknown[]> = {};
  for (const { market, record } of found) (byMarket[market] ??= []).push(record);
  return fields.dialect === 'live' && found.length === 0 ? [] : byMarket;
}

/** The page of a list, with its published bounds and defaults. */
function pageBounds(fields: FieldReader): { readonly limit: number; readonly offset: number } {
  return { limit: fields.integer('limit') ?? 0, offset: fields.integer('offset') ?? 0 };
}

/** The filter of a list: an order must match every field that the request has. */
function orderFilter(fields: FieldReader) {
  const order_id = fields.orderId({ asDigits: true });
  const client_order_id = fields.clientOrderId();
  const market = fields.optionalMarket();
  return {
    client_order_id,
    identifier: market === undefined || client_order_id === '' ? undefined : { market, client_order_id },
    isByIdentifier: order_id !== undefined || client_order_id !== '',
    matches: (order: LedgerOrder): boolean =>
      (market === undefined || order.market === market) &&
      (order_id === undefined || order.order_id === order_id) &&
      (client_order_id === '' || order.client_order_id === client_order_id),
  };
}

const killSwitchMinSeconds = 5;
const killSwitchMaxSeconds = 600;

/** The timeout of a kill switch; `undefined` for `null`, which removes the kill switch. */
function killSwitchSeconds(fields: FieldReader): number | undefined {
  const { validation } = apiErrorCodes;
  const timeout = fields.value('timeout');
  if (timeout === undefined) return undefined;
  const seconds = typeof timeout === 'string' && /^\d{1,3}$/.test(timeout) ? Number(timeout) : Number.NaN;
  if (!(seconds <= killSwitchMaxSeconds))
    throw invalid(422, validation, 'timeout', `Timeout should be at most ${killSwitchMaxSeconds}.`);
  if (seconds < killSwitchMinSeconds)
    throw invalid(422, validation, 'timeout', `Timeout should be at least ${killSwitchMinSeconds}.`);
  return seconds;
}
