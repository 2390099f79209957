// Spot trading: placing market orders, and the trade balance.
import { published, publishedLimit } from '../../published/index.js';
import { combinedLimits } from '../combined-limits.js';
import { renderOrder } from '../dialect.js';
import { routeGroup, type SignedCall } from '../route.js';
import { requireAsset } from './assets.js';
import { orderFields } from './order-fields.js';

export const spotGroup = routeGroup({
  rateLimits: {
    stockMarket: publishedLimit('/api/v4/order/stock_market'),
    marketOrder: publishedLimit('/api/v4/order/market'),
    orders: combinedLimits.orders,
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
    {
      ...published('/api/v4/trade-account/balance'),
      rateLimit: 'orders',
      authentication: 'signed',
      respond: tradeBalance,
    },
  ],
});

function placeMarketOrder(type: 'market' | 'stock market', { state, account, fields }: SignedCall) {
  fields.require();
  return renderOrder(fields.dialect, state.engine.place(account, { type, ...orderFields(fields) }));
}

/** Open orders reserve nothing in this sandbox: it checks the balance when an order trades. */
const frozen = '0';

/** Without a ticker: every asset of the wallet. With one: published under its name; the live exchange sends it bare. */
function tradeBalance({ state, account, fields }: SignedCall) {
  const wallet = new Map(Object.entries(state.books.wallet(account, 'trade')));
  const balanceOf = (ticker: string) => ({ available: wallet.get(ticker) ?? '0', freeze: frozen });
  const ticker = fields.text('ticker');
  if (ticker === undefined) return Object.fromEntries([...wallet.keys()].map((asset) => [asset, balanceOf(asset)]));
  requireAsset(state, ticker, 'Currency was not found.');
  return fields.dialect === 'live' ? balanceOf(ticker) : { [ticker]: balanceOf(ticker) };
}
