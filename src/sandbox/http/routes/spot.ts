// Spot trading: placing market orders.
import { renderOrder } from '../dialect.js';
import { routeGroup, type SignedCall } from '../route.js';
import { orderFields } from './order-fields.js';

export const spotGroup = routeGroup({
  rateLimits: {
    // Spec, Limits.
    stockMarket: { limit: 10_000, windowMs: 10_000 },
    // Published by the exchange.
    marketOrder: { limit: 10_000, windowMs: 10_000 },
  },
  routes: [
    {
      method: 'POST',
      path: '/api/v4/order/stock_market',
      rateLimit: 'stockMarket',
      authentication: 'signed',
      respond: (call) => placeMarketOrder('stock market', call),
    },
    {
      method: 'POST',
      path: '/api/v4/order/market',
      rateLimit: 'marketOrder',
      authentication: 'signed',
      respond: (call) => placeMarketOrder('market', call),
    },
  ],
});

function placeMarketOrder(type: 'market' | 'stock market', { state, account, fields }: SignedCall) {
  fields.require('market', 'side', 'amount');
  return renderOrder(fields.dialect, state.engine.place(account, { type, ...orderFields(fields) }));
}
