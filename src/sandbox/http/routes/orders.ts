// Orders wherever they were placed: canceling, modifying, lists, history, deals, and the kill switch.
import { apiErrorCodes } from '../../../model/error-body.js';
import type { LedgerOrder } from '../../ledger.js';
import { invalid } from '../../rejection.js';
import {
  renderConditionalOcoOrder,
  renderConditionalOrder,
  renderDeal,
  renderHistoricalOrder,
  renderOrder,
} from '../render.js';
import type { FieldReader } from '../fields.js';
import { listedMarket, orderKinds, orderReference } from './order-fields.js';
import { page, per10s, signed, type SignedCall } from '../route.js';

const rateLimit = per10s(12_000);
const maxOffset = 4_294_967_295;

export const ordersRoutes = [
  signed('/api/v4/order/cancel', cancelOrder),
  signed('/api/v4/order/kill-switch', setKillSwitch),
  signed('/api/v4/orders', openOrders, { rateLimit, fields: page(100, 50, maxOffset) }),
  signed('/api/v4/conditional-orders', conditionalOrders, { rateLimit, fields: page(100, 100, maxOffset) }),
  signed('/api/v4/trade-account/order/history', orderHistory, { rateLimit, fields: page(500, 50) }),
  signed('/api/v4/trade-account/executed-history', deals, { rateLimit, fields: page(500, 50) }),
  signed('/api/v4/trade-account/order', dealsOfOrder, {
    ...{ rateLimit, fields: page(Number.MAX_SAFE_INTEGER, 50) },
  }),
  signed('/api/v4/order/modify', modifyOrder),
];

function cancelOrder({ state, account, fields }: SignedCall) {
  const { market, reference } = orderReference(fields);
  return renderOrder(state.engine.cancel(account, market, reference));
}

function setKillSwitch({ state, account, fields }: SignedCall) {
  fields.require('market', ...(fields.has('timeout') ? [] : ['timeout']));
  const market = fields.market();
  const seconds = killSwitchSeconds(fields);
  const types = orderKinds(fields, 'types');
  const times = state.engine.killSwitches.set(account, market, seconds, types);
  return times === undefined ? [] : { market, ...times, types: types ?? null };
}

/** Resting and dormant orders; in a separate list of conditional orders, without those that are listed as conditional orders. */
function openOrders(call: SignedCall) {
  const { state, account, fields } = call;
  const filter = orderFilter(fields);
  if (filter.isByIdentifier) fields.require('market');
  listedMarket(call, 'Market is not available');
  const inOco = new Set(
    state.engine.oco.list(account).flatMap((oco) => [oco.stopLoss.order_id, oco.takeProfit.order_id]),
  );
  const isConditional = ({ oto, order_id }: LedgerOrder) => oto !== undefined || inOco.has(order_id);
  const found = state.engine
    .openOrders(account, filter.identifier)
    .filter((order) => filter.matches(order) && !(state.behavior.separatesConditionalOrders && isConditional(order)));
  return fields.page(found).records.map(renderOrder);
}

function conditionalOrders({ state, account, fields }: SignedCall) {
  const market = fields.optionalMarket();
  const { engine } = state;
  const isOfMarket = (order: LedgerOrder) => market === undefined || order.market === market;
  const otos = engine
    .openOrders(account)
    .filter(isOfMarket)
    .flatMap((order) => (order.oto === undefined ? [] : [renderConditionalOrder(order, order.oto)]));
  const ocos = engine.oco
    .list(account)
    .filter(({ takeProfit }) => isOfMarket(takeProfit))
    .map((oco) => renderConditionalOcoOrder(oco));
  const all = [...ocos, ...otos];
  return { total: all.length, ...fields.page(all) };
}

function orderHistory({ state, account, fields }: SignedCall) {
  const filter = orderFilter(fields);
  const { from, to } = fields.period();
  const status = fields.value('status');

  const found = state.engine
    .history(account, filter.identifier)
    .filter(
      (order) =>
        filter.matches(order) && order.timestamp >= from && order.timestamp <= to && state.history.showsOrder(order),
    )
    .map((order) => ({ market: order.market, record: renderHistoricalOrder(order) }))
    .filter(({ record }) => status === undefined || record['status'] === status);
  const { records } = fields.page(found);
  if (records.length === 0 && filter.client_order_id !== '') {
    throw invalid(422, apiErrorCodes.validation, 'orderHistory', 'OrderHistory was not found.');
  }
  const byMarket: Record<string, unknown[]> = {};
  for (const { market, record } of records) (byMarket[market] ??= []).push(record);
  return records.length === 0 ? [] : byMarket;
}

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

function modifyOrder({ state, account, fields }: SignedCall) {
  const { market, reference } = orderReference(fields);
  const amount = fields.value('amount') === undefined ? undefined : fields.amount();
  const total = fields.optionalPrice('total');
  const price = fields.optionalPrice('price');
  const activation_price = fields.optionalPrice('activationPrice');
  const { validation } = apiErrorCodes;
  if ([amount, total, price, activation_price].every((value) => value === undefined))
    throw invalid(422, validation, 'amount', 'Nothing to modify.');
  if (amount !== undefined && total !== undefined)
    throw invalid(422, validation, 'total', 'Either amount or total is allowed.');
  const order = state.engine.modify(account, market, reference, {
    ...(amount === undefined ? {} : { amount }),
    ...(total === undefined ? {} : { total }),
    ...(price === undefined ? {} : { price }),
    ...(activation_price === undefined ? {} : { activation_price }),
    stp: fields.stp(),
  });
  return renderOrder(order);
}

/** With a market a list, and without one an object of lists, which is an empty list when it is empty. */
function deals({ state, account, fields }: SignedCall) {
  const client_order_id = fields.clientOrderId();
  const market = fields.optionalMarket();
  if (market !== undefined && !market.includes('_'))
    throw invalid(422, apiErrorCodes.market, 'market', 'Market field format is invalid.');
  const { from, to } = fields.period();
  const ofOrder = state.engine
    .deals(account)
    .filter((deal) => state.history.showsDeal(deal))
    .filter((deal) => client_order_id === '' || deal.client_order_id === client_order_id);
  if (client_order_id !== '' && ofOrder.length === 0)
    throw invalid(422, apiErrorCodes.validation, 'orderHistory', 'OrderHistory was not found.');
  const { records: shown } = fields.page(
    ofOrder.filter(
      (deal) => (market === undefined || deal.market === market) && deal.at >= from * 1000 && deal.at <= to * 1000,
    ),
  );
  if (market !== undefined) return shown.map((deal) => renderDeal(deal));
  const byMarket: Record<string, unknown[]> = {};
  for (const deal of shown) (byMarket[deal.market] ??= []).push(renderDeal(deal));
  return shown.length === 0 ? [] : byMarket;
}

function dealsOfOrder({ state, account, fields }: SignedCall) {
  fields.require('order_id');
  const order_id = fields.orderId({ asDigits: false });
  const ofOrder = state.engine
    .deals(account)
    .filter((deal) => deal.order_id === order_id && state.history.showsDeal(deal));
  const { records: shown, ...bounds } = fields.page(ofOrder);
  const records = shown.map((deal) => {
    const { side: _side, orderId: _orderId, ...record } = renderDeal(deal);
    // By the published samples: the number of the order itself.
    return { ...record, dealOrderId: deal.order_id };
  });
  return { records, ...bounds };
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
