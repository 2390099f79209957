// Spot limit orders and stop orders.
import type { NewOrder } from '../../engine/index.js';
import { renderOrder } from '../dialect.js';
import { signed, type SignedCall } from '../route.js';
import { orderFields, requireSpotFields, spotFlagFields, spotPriceFields } from './order-fields.js';

export const spotOrdersRoutes = [
  signed('/api/v4/order/new', 'limitOrder', placeLimitOrder),
  signed('/api/v4/order/stop_limit', 'stopLimitOrder', placeStopLimitOrder),
  signed('/api/v4/order/stop_market', 'stopMarketOrder', placeStopMarketOrder),
];

export function placeLimitOrder(call: SignedCall) {
  const { fields } = call;
  requireSpotFields(fields);
  const flags = spotFlagFields(fields);
  return place(call, { type: 'limit', ...orderFields(fields), ...flags, ...spotPriceFields(fields, flags) });
}

/** With `bboRole` the order gets its price when it is placed. */
function placeStopLimitOrder(call: SignedCall) {
  const { fields } = call;
  requireSpotFields(fields, 'activation_price');
  const activation_price = fields.price('activation_price');
  return place(call, { type: 'stop limit', ...orderFields(fields), ...spotPriceFields(fields), activation_price });
}

function placeStopMarketOrder(call: SignedCall) {
  const { fields } = call;
  fields.require();
  return place(call, {
    type: 'stop market',
    ...orderFields(fields),
    activation_price: fields.price('activation_price'),
  });
}

function place({ state, account, fields }: SignedCall, order: Omit<NewOrder, 'collateral'>) {
  return renderOrder(fields.dialect, state.engine.place(account, { ...order, collateral: false }));
}
