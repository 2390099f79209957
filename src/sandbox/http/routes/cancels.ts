// Cancels of more than one order, the kill switches that are set, and the orders that a delisting ended.
import { apiErrorCodes } from '../../../model/error-body.js';
import type { PositionSide } from '../../../model/order.js';
import { unixSeconds } from '../../clock.js';
import { malformed, Rejection } from '../../rejection.js';
import { per10s } from '../rate-limiter.js';
import { rejectionBody, renderDelistedOrder, renderKillSwitch, wireField } from '../render.js';
import { page, signed, type Call } from '../route.js';
import { listedMarket, orderKinds, orderReference } from './order-fields.js';

export const cancelsRoutes = [
  signed('/api/v4/order/cancel/all', cancelAll),
  signed('/api/v4/order/cancel/bulk', cancelMany),
  signed('/api/v4/order/conditional-cancel', (call) => cancelByNumber('id', call), { required: ['market', 'id'] }),
  signed('/api/v4/order/oto-cancel', (call) => cancelByNumber('otoId', call), { required: ['market', 'otoId'] }),
  signed('/api/v4/order/kill-switch/status', killSwitches),
  signed('/api/v4/trade-account/order/history/query', delistedOrders, {
    ...{ rateLimit: per10s(10_000), fields: page(500, 500, 9999) },
  }),
];

const sides: Readonly<Record<string, PositionSide>> = { both: 'BOTH', long: 'LONG', short: 'SHORT' };

function cancelAll(call: Call) {
  const { state, account, fields } = call;
  fields.marketToCancel();
  const market = listedMarket(call);
  const types = orderKinds(fields, 'type');
  const given = fields.text('positionSide');
  const positionSide = given === undefined ? undefined : sides[given];
  const isOfFutures = market?.endsWith('_PERP') === true;
  if (given !== undefined && (positionSide === undefined || !isOfFutures))
    throw malformed('positionSide', 'The selected positionSide is invalid.');
  state.engine.cancels.all(account, { market, types, positionSide });
  return [];
}

const maxOrders = 100;
/** Published: the code of an item whose order is not open. */
const unknownOrder = 404;

function cancelMany({ state, account, fields }: Call) {
  const orders = fields.value('orders');
  const reject = (rule: string) => malformed('orders', `validation.${rule}`);
  if (orders === undefined) throw reject('required');
  if (!Array.isArray(orders)) throw reject('array');
  if (orders.length === 0 || orders.length > maxOrders) throw reject('between');
  return orders.map((order: unknown) => {
    try {
      const { market, reference } = orderReference(fields.ofItem(order));
      const { order_id, client_order_id } = state.engine.cancel(account, market, reference);
      return { result: { [wireField('order_id')]: order_id, [wireField('client_order_id')]: client_order_id, market } };
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      const body = rejectionBody(error);
      return { error: error.code === apiErrorCodes.orderNotFound ? { ...body, code: unknownOrder } : body };
    }
  });
}

function cancelByNumber(name: 'id' | 'otoId', { state, account, fields }: Call) {
  const id = fields.integer(name, { minimum: 1 });
  if (id !== undefined) state.engine.cancels.conditional(account, fields.market(), id, name);
  return [];
}

function killSwitches(call: Call) {
  const { state, account, fields } = call;
  listedMarket(call);
  return fields.ofMarket(state.engine.killSwitches.list(account), ({ market }) => market).map(renderKillSwitch);
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
