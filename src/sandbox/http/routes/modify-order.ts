// Modifying an open order.
import { apiErrorCodes } from '../../../model/error-body.js';
import { invalid } from '../../rejection.js';
import { renderOrder } from '../dialect.js';
import { signed, type SignedCall } from '../route.js';
import { orderReference } from './order-fields.js';

export const modifyOrderRoutes = [signed('/api/v4/order/modify', 'modifyOrder', modifyOrder)];

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
  return renderOrder(fields.dialect, order);
}
