// Several orders in one request: each is placed, or rejected, on its own.
import { apiErrorCodes } from '../../../model/error-body.js';
import { isRecord } from '../../../model/map.js';
import { invalid, Rejection } from '../../rejection.js';
import { rejectionBody } from '../render.js';
import { signed, type SignedCall } from '../route.js';
import { placeLimitOrder as placeCollateralOrder } from './collateral.js';
import { placeLimitOrder as placeSpotOrder } from './spot.js';

/** Published in a guide only. */
const maxOrders = 20;

export const bulkOrdersRoutes = [
  signed('/api/v4/order/bulk', (call) => placeAll(call, placeSpotOrder)),
  signed('/api/v4/order/collateral/bulk', (call) => placeAll(call, placeCollateralOrder)),
];

/** The order or the error of each, in their order; with `stopOnFail` nothing after the first error. */
function placeAll(call: SignedCall, place: (call: SignedCall) => unknown) {
  const { fields } = call;
  const orders = fields.value('orders');
  const rejected = (message: string) => invalid(422, apiErrorCodes.validation, 'orders', message);
  if (!Array.isArray(orders)) throw rejected('The orders must be an array.');
  if (orders.length === 0 || orders.length > maxOrders)
    throw rejected(`The orders must have between 1 and ${maxOrders} items.`);
  const stopOnFail = fields.flag('stopOnFail');
  const entries = [];
  for (const order of orders) {
    const rawFields = isRecord(order) ? order : {};
    try {
      const result = place({ ...call, rawFields, fields: fields.ofItem(rawFields) });
      entries.push({ result, error: null });
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      entries.push({ result: null, error: rejectionBody(error) });
      if (stopOnFail) break;
    }
  }
  return entries;
}
