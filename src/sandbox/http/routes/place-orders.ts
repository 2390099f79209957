// Placing orders, on spot and on collateral, one by one and several in one request.
import { apiErrorCodes } from '../../../model/error-body.js';
import type { NewOrder } from '../../engine/index.js';
import { invalid, malformed, Rejection } from '../../rejection.js';
import type { FieldReader } from '../fields.js';
import { rejectionBody, renderCollateralOrder, renderOrder } from '../render.js';
import { signed, type Call } from '../route.js';
import { orderFields, readPositionSide } from './order-fields.js';

const { conflictingFlags, price: badPrice, rpiWithIoc, rpiWithRetail } = apiErrorCodes;

const required = ['market', 'side', 'amount'];
const activated = [...required, 'activation_price'];

export const placeOrdersRoutes = [
  signed('/api/v4/order/new', placing(spotLimit)),
  signed('/api/v4/order/stop_limit', placing(spotStopLimit)),
  signed('/api/v4/order/stop_market', placing(spotStopMarket), { required: activated }),
  signed('/api/v4/order/stock_market', placing(spotMarket('stock market')), { required }),
  signed('/api/v4/order/market', placing(spotMarket('market')), { required }),
  signed('/api/v4/order/collateral/limit', placing(collateralLimit), { required: [...required, 'price'] }),
  signed('/api/v4/order/collateral/market', placing(collateralMarket), { required }),
  signed('/api/v4/order/collateral/stop-limit', placing(collateralStopLimit), {
    required: [...required, 'price', 'activation_price'],
  }),
  signed('/api/v4/order/collateral/trigger-market', placing(collateralTriggerMarket), { required: activated }),
  signed('/api/v4/order/bulk', placingAll(spotLimit)),
  signed('/api/v4/order/collateral/bulk', placingAll(collateralLimit)),
];

type Read = (fields: FieldReader) => NewOrder;

function placing(read: Read) {
  return ({ state, account, fields }: Call) => {
    const order = read(fields);
    const placed = state.engine.place(account, order);
    return order.collateral ? renderCollateralOrder(placed) : renderOrder(placed);
  };
}

/** Published in a guide only. */
const maxOrders = 20;

function placingAll(read: Read) {
  const place = placing(read);
  return (call: Call) => {
    const { fields } = call;
    const orders = fields.value('orders');
    const rejected = (message: string) => malformed('orders', message);
    if (!Array.isArray(orders)) throw rejected('The orders must be an array.');
    if (orders.length === 0 || orders.length > maxOrders)
      throw rejected(`The orders must have between 1 and ${maxOrders} items.`);
    const stopOnFail = fields.flag('stopOnFail');
    const entries = [];
    for (const order of orders) {
      try {
        const result = place({ ...call, fields: fields.ofItem(order) });
        entries.push({ result, error: null });
      } catch (error) {
        if (!(error instanceof Rejection)) throw error;
        entries.push({ result: null, error: rejectionBody(error) });
        if (stopOnFail) break;
      }
    }
    return entries;
  };
}

function spotLimit(fields: FieldReader): NewOrder {
  requireSpotFields(fields);
  const flags = spotFlagFields(fields);
  const order = { type: 'limit', collateral: false, ...orderFields(fields), ...flags } as const;
  return { ...order, ...spotPriceFields(fields, flags) };
}

/** With `bboRole` the order gets its price when it is placed. */
function spotStopLimit(fields: FieldReader): NewOrder {
  requireSpotFields(fields, 'activation_price');
  const activation_price = fields.price('activation_price');
  const order = { type: 'stop limit', collateral: false, ...orderFields(fields) } as const;
  return { ...order, ...spotPriceFields(fields), activation_price };
}

function spotStopMarket(fields: FieldReader): NewOrder {
  const order = { type: 'stop market', collateral: false, ...orderFields(fields) } as const;
  return { ...order, activation_price: fields.price('activation_price') };
}

function spotMarket(type: 'market' | 'stock market'): Read {
  return (fields) => ({ type, collateral: false, ...orderFields(fields) });
}

function collateralLimit(fields: FieldReader): NewOrder {
  const own = { type: 'limit', ...flagFields(fields), price: fields.price('price') } as const;
  return { ...own, ...collateralFields(fields), ...orderFields(fields) };
}

function collateralMarket(fields: FieldReader): NewOrder {
  return { type: 'market', ...collateralFields(fields), ...orderFields(fields) };
}

function collateralStopLimit(fields: FieldReader): NewOrder {
  const activation_price = fields.price('activation_price');
  const own = { type: 'stop limit', price: fields.price('price'), activation_price } as const;
  return { ...own, ...collateralFields(fields), ...orderFields(fields) };
}

function collateralTriggerMarket(fields: FieldReader): NewOrder {
  const own = { type: 'stop market', activation_price: fields.price('activation_price') } as const;
  return { ...own, ...collateralFields(fields), ...orderFields(fields) };
}

function flagFields(fields: FieldReader) {
  const postOnly = fields.flag('postOnly');
  const rpi = fields.flag('rpi');
  const ioc = fields.flag('ioc');
  if (ioc && rpi) throw invalid(422, rpiWithIoc, 'ioc', 'IOC cannot be combined with RPI.');
  if (ioc && postOnly)
    throw invalid(422, conflictingFlags, 'ioc', 'Either IOC or PostOnly flag in true state is allowed.');
  return { postOnly, rpi, ioc };
}

function spotFlagFields(fields: FieldReader) {
  const flags = flagFields(fields);
  const retail = fields.flag('retail');
  if (flags.rpi && retail) throw invalid(422, rpiWithRetail, 'retail', 'api.tradeErrors.flagsCantBeCombined.rpiRetail');
  if (flags.rpi && flags.postOnly) throw malformed('postOnly', 'PostOnly cannot be combined with RPI.');
  return { ...flags, retail };
}

function requireSpotFields(fields: FieldReader, ...others: string[]): void {
  fields.require('market', 'side', 'amount', ...(fields.value('bboRole') === undefined ? ['price'] : []), ...others);
}

function spotPriceFields(fields: FieldReader, { postOnly = false, ioc = false } = {}) {
  const role = fields.value('bboRole');
  if (role === undefined) return { price: fields.price('price') };
  if (role !== 1 && role !== 2) throw malformed('bboRole', 'The selected bboRole is invalid.');
  if (fields.value('price') !== undefined)
    throw invalid(422, badPrice, 'price', 'The price cannot be combined with bboRole.');
  if (postOnly) throw malformed('bboRole', 'BboRole cannot be combined with postOnly.');
  if (ioc && role === 1) throw malformed('bboRole', 'IOC can be combined with bboRole 2 only.');
  return { bboRole: role } as const;
}

function collateralFields(fields: FieldReader) {
  const stopLoss = fields.optionalPrice('stopLoss');
  const takeProfit = fields.optionalPrice('takeProfit');
  const reduceOnly = fields.flag('reduceOnly');
  if (reduceOnly && (stopLoss !== undefined || takeProfit !== undefined)) {
    throw malformed('reduceOnly', 'reduceOnly cannot be combined with stopLoss or takeProfit.');
  }
  const positionSide = readPositionSide(fields);
  return { collateral: true, reduceOnly, positionSide, stopLoss, takeProfit } as const;
}
