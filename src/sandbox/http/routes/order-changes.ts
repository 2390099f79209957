// Changes of open orders: canceling one or several, modifying one, and the kill switches.
import { apiErrorCodes } from '../../../model/error-body.js';
import type { PositionSide } from '../../../model/order.js';
import { killSwitchTypes, type KillSwitchType, type OrderReference } from '../../engine/index.js';
import { malformed, Rejection } from '../../rejection.js';
import type { FieldReader } from '../fields.js';
import { listedMarket } from './market-data.js';
import { rejectionBody, renderKillSwitch, renderOcoOrder, renderOrder, wireField } from '../render.js';
import { signed, type Call } from '../route.js';

export const orderChangesRoutes = [
  signed('/api/v4/order/cancel', cancelOrder),
  signed('/api/v4/order/cancel/all', cancelAll),
  signed('/api/v4/order/cancel/bulk', cancelMany),
  signed('/api/v4/order/conditional-cancel', (call) => cancelByNumber('id', call), { required: ['market', 'id'] }),
  signed('/api/v4/order/oto-cancel', (call) => cancelByNumber('otoId', call), { required: ['market', 'otoId'] }),
  signed('/api/v4/order/oco-cancel', cancelOcoOrder),
  signed('/api/v4/order/modify', modifyOrder),
  signed('/api/v4/order/kill-switch', setKillSwitch),
  signed('/api/v4/order/kill-switch/status', killSwitches),
];

function cancelOrder({ state, account, fields }: Call) {
  const { market, reference } = orderReference(fields);
  return renderOrder(state.engine.current.cancels.one(account, market, reference));
}

function orderReference(fields: FieldReader): { readonly market: string; readonly reference: OrderReference } {
  fields.require('market', ...(fields.value('client_order_id') === undefined ? ['order_id'] : []));
  const market = fields.marketToCancel() ?? fields.market();
  const order_id = fields.orderId({ asDigits: false });
  const client_order_id = fields.clientOrderId();
  if ((order_id === undefined) === (client_order_id === ''))
    throw malformed('order_id', 'Exactly one of the identifiers is required.');
  return { market, reference: order_id === undefined ? { client_order_id } : { order_id } };
}

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
  state.engine.current.cancels.all(account, { market, types, positionSide });
  return [];
}

function orderKinds(fields: FieldReader, name: 'type' | 'types'): readonly KillSwitchType[] | undefined {
  const given = fields.value(name);
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) throw malformed(name, `The ${name} must be an array.`);
  const kinds = killSwitchTypes.filter((kind) => given.includes(kind));
  if (kinds.length !== given.length) throw malformed(name, `The selected ${name} is invalid.`);
  return kinds;
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
      const { order_id, client_order_id } = state.engine.current.cancels.one(account, market, reference);
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
  if (id !== undefined) state.engine.current.cancels.conditional(account, fields.market(), id, name);
  return [];
}

function cancelOcoOrder({ state, account, fields }: Call) {
  const { market, reference } = orderReference(fields);
  return renderOcoOrder(state.engine.current.oco.cancel(account, market, reference));
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
  const changes = { amount, total, price, activation_price, stp: fields.stp() };
  return renderOrder(state.engine.current.intake.modify(account, market, reference, changes));
}

function setKillSwitch({ state, account, fields }: Call) {
  fields.require('market', ...(fields.fields['timeout'] === null ? [] : ['timeout']));
  const market = fields.market();
  const seconds = killSwitchSeconds(fields);
  const types = orderKinds(fields, 'types');
  const made = state.engine.current.cancels.setKillSwitch(account, market, seconds, types);
  return made === undefined ? [] : renderKillSwitch(made);
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

function killSwitches(call: Call) {
  listedMarket(call);
  const set = call.state.engine.current.cancels.killSwitches(call.account);
  return call.fields.ofMarket(set, ({ market }) => market).map(renderKillSwitch);
}
