// The account's balances.
import { published, publishedLimit } from '../../published/index.js';
import { combinedLimits } from '../combined-limits.js';
import { routeGroup, type SignedCall } from '../route.js';

const maxTickerLength = 255;

export const accountGroup = routeGroup({
  rateLimits: {
    mainAccount: combinedLimits.mainAccount,
    mainBalance: publishedLimit('/api/v4/main-account/balance'),
  },
  routes: [
    {
      ...published('/api/v4/main-account/balance'),
      rateLimit: 'mainBalance',
      authentication: 'signed',
      respond: mainBalance,
    },
  ],
});

function mainBalance({ state, account, fields }: SignedCall) {
  const balances = state.books.wallet(account, 'main');
  const ticker = fields.text('ticker', { maxLength: maxTickerLength });
  // Not by index: a ticker may be called `constructor`.
  if (ticker !== undefined)
    return { main_balance: Object.entries(balances).find(([asset]) => asset === ticker)?.[1] ?? '0' };
  return Object.fromEntries(Object.entries(balances).map(([asset, main_balance]) => [asset, { main_balance }]));
}
