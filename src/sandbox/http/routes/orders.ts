// Orders wherever they were placed: canceling, modifying, lists, history, deals, and the kill switch.
import { apiErrorCodes } from '../../../model/error-body.js';
import type { LedgerOrder } from '../../ledger.js';
import { invalid, malformed } from '../../rejection.js';
import {
  renderConditionalOcoOrder,
  renderConditionalOrder,
  renderDeal,
  renderHistoricalOrder,
  renderKillSwitch,
  renderOrder,
} from '../render.js';
import type { FieldReader } from '../fields.js';
import { listedMarket, orderKinds, orderReference } from './order-fields.js';
import { per10s } from '../rate-limiter.js';
import { page, signed, type Call } from '../route.js';

const rateLimit = per10s(12_000);
const maxOffset = 4_294_967_295;

export const ordersRoutes = [
  signed('/api/v4/order/cancel', cancelOrder),
  signed('/api/v4/order/kill-switch', setKillSwitch),
  signed('/api/v4/orders', openOrders, { rateLimit, fields: page(100, 50, maxOffset) }),
  signed('/api/v4/conditional-orders', conditionalOrders, { rateLimit, fields: page(100, 100, maxOffset) }),
  signed('/api/v4/trade-account/order/history', orderHistory, { fields: page(500, 50) }),
  signed('/api/v4/trade-account/executed-history', deals, { fields: page(500, 50) }),
  signed('/api/v4/trade-account/order', dealsOfOrder, {
    ...{ required: ['order_id'], fields: page(Number.MAX_SAFE_INTEGER, 50) },
  }),
  signed('/api/v4/order/modify', modifyOrder),
];

function cancelOrder({ state, account, fields }: Call) {
  const { market, reference } = orderReference(fields);
  return renderOrder(state.engine.cancel(account, market, reference));
}

function setKillSwitch({ state, account, fields }: Call) {
  fields.require('market', ...(fields.has('timeout') ? [] : ['timeout']));
  const market = fields.market();
  const seconds = killSwitchSeconds(fields);
  const types = orderKinds(fields, 'types');
  const made = state.engine.killSwitches.set(account, market, seconds, types);
  return made === undefined ? [] : renderKillSwitch(made);
}

function openOrders(call: Call) {
  const { state, account, fields } = call;
  const filter = orderFilter(fields);
  if (filter.isByIdentifier) fields.require('market');
  listedMarket(call, 'Market is not available');
  const inOco = new Set(
    state.engine.oco.list(account).flatMap((oco) => [oco.stopLoss.order_id, oco.takeProfit.order_id]),
  );
  const isConditional = ({ oto, order_id }: LedgerOrder) => oto !== undefined || inOco.has(order_id);
  const found = state.engine
    .openOrders(account, filter.matches)
    .filter((order) => !state.behavior.separatesConditionalOrders || !isConditional(order));
  return fields.page(found).records.map(renderOrder);
}

function conditionalOrders({ state, account, fields }: Call) {
  const { engine } = state;
  const otos = fields
    .ofMarket(engine.openOrders(account), ({ market }) => market)
    .flatMap((order) => (order.oto === undefined ? [] : [renderConditionalOrder(order, order.oto)]));
  const ocos = fields.ofMarket(engine.oco.list(account), ({ takeProfit }) => takeProfit.market);
  const all = [...ocos.map(renderConditionalOcoOrder), ...otos];
  return { total: all.length, ...fields.page(all) };
}

function orderHistory({ state, account, fields }: Call) {
  const filter = orderFilter(fields);
  const period = fields.period();
  const status = fields.value('status');
  const found = state.engine
    .history(account, filter.matches)
    .filter((order) => period.has(order.timestamp) && state.history.showsOrder(order))
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

function modifyOrder({ state, account, fields }: Call) {
  const { market, reference } = orderReference(fields);
  const amount = fields.value('amount') === undefined ? undefined : fields.amount();
  const total = fields.optionalPrice('total');
  const price = fields.optionalPrice('price');
  const activation_price = fields.optionalPrice('activationPrice');
  if ([amount, total, price, activation_price].every((value) => value === undefined))
    throw malformed('amount', 'Nothing to modify.');
  if (amount !== undefined && total !== undefined) throw malformed('total', 'Either amount or total is allowed.');
  const order = state.engine.modify(account, market, reference, {
    ...{ amount, total, price, activation_price, stp: fields.stp() },
  });
  return renderOrder(order);
}

function deals({ state, account, fields }: Call) {
  const client_order_id = fields.clientOrderId();
  const market = fields.optionalMarket();
  if (market !== undefined && !market.includes('_'))
    throw invalid(422, apiErrorCodes.market, 'market', 'Market field format is invalid.');
  const period = fields.period();
  const ofOrder = state.engine
    .deals(account)
    .filter((deal) => state.history.showsDeal(deal))
    .filter((deal) => client_order_id === '' || deal.client_order_id === client_order_id);
  if (client_order_id !== '' && ofOrder.length === 0) throw noHistory();
  const found = fields.ofMarket(ofOrder, (deal) => deal.market).filter(({ at }) => period.has(at / 1000));
  const { records } = fields.page(found);
  if (market !== undefined) return records.map(renderDeal);
  return byMarket(records.map((deal) => ({ market: deal.market, record: renderDeal(deal) })));
}

function dealsOfOrder({ state, account, fields }: Call) {
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
  const timeout = fields.value('timeout');
  if (timeout === undefined) return undefined;
  const seconds = typeof timeout === 'string' && /^\d{1,3}$/.test(timeout) ? Number(timeout) : Number.NaN;
  if (!(seconds <= killSwitchMaxSeconds))
    throw malformed('timeout', `Timeout should be at most ${killSwitchMaxSeconds}.`);
  if (seconds < killSwitchMinSeconds) throw malformed('timeout', `Timeout should be at least ${killSwitchMinSeconds}.`);
  return seconds;
}
