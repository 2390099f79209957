// The account's balances.
import { routeGroup, type SignedCall } from '../route.js';

const maxTickerLength = 255;

export const accountGroup = routeGroup({
  rateLimits: {
    // Published by the exchange.
    mainBalance: { limit: 1000, windowMs: 10_000 },
  },
  routes: [
    {
      method: 'POST',
      path: '/api/v4/main-account/balance',
      rateLimit: 'mainBalance',
      authentication: 'signed',
      respond: mainBalance,
    },
  ],
});

function mainBalance({ state, account, fields }: SignedCall) {
  const balances = state.books.wallet(account, 'main');
  const ticker = fields.text('ticker', maxTickerLength);
  // Not by index: a ticker may be called `constructor`.
  if (ticker !== undefined)
    return { main_balance: Object.entries(balances).find(([asset]) => asset === ticker)?.[1] ?? '0' };
  return Object.fromEntries(Object.entries(balances).map(([asset, main_balance]) => [asset, { main_balance }]));
}
