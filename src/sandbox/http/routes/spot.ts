// Spot trading: placing market orders.
import { published, publishedLimit } from '../../published/index.js';
import { renderOrder } from '../dialect.js';
import { routeGroup, type SignedCall } from '../route.js';
import { orderFields } from './order-fields.js';

export const spotGroup = routeGroup({
  rateLimits: {
    stockMarket: publishedLimit('/api/v4/order/stock_market'),
    marketOrder: publishedLimit('/api/v4/order/market'),
  },
  routes: [
    {
      ...published('/api/v4/order/stock_market'),
      rateLimit: 'stockMarket',
      authentication: 'signed',
      respond: (call) => placeMarketOrder('stock market', call),
    },
    {
      ...published('/api/v4/order/market'),
      rateLimit: 'marketOrder',
      authentication: 'signed',
      respond: (call) => placeMarketOrder('market', call),
    },
  ],
});

function placeMarketOrder(type: 'market' | 'stock market', { state, account, fields }: SignedCall) {
  fields.require();
  return renderOrder(fields.dialect, state.engine.place(account, { type, ...orderFields(fields) }));
}
