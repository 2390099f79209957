// Spot limit orders and stop orders.
import { published, publishedLimit } from '../../published/index.js';
import { renderOrder } from '../dialect.js';
import { routeGroup, type SignedCall } from '../route.js';
import { orderFields, spotFlagFields, spotPriceFields } from './order-fields.js';

export const spotOrdersGroup = routeGroup({
  rateLimits: {
    limitOrder: publishedLimit('/api/v4/order/new'),
  },
  routes: [
    {
      ...published('/api/v4/order/new'),
      rateLimit: 'limitOrder',
      authentication: 'signed',
      respond: placeLimitOrder,
    },
  ],
});

export function placeLimitOrder({ state, account, fields }: SignedCall) {
  fields.require();
  const flags = spotFlagFields(fields);
  const order = { ...orderFields(fields), ...flags, ...spotPriceFields(fields, flags) };
  return renderOrder(fields.dialect, state.engine.place(account, { type: 'limit', collateral: false, ...order }));
}
