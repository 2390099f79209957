// The account's balances.
import { signed, type SignedCall } from '../route.js';

const maxTickerLength = 255;

export const accountRoutes = [signed('/api/v4/main-account/balance', 'mainBalance', mainBalance)];

function mainBalance({ state, account, fields }: SignedCall) {
  const balances = state.books.wallet(account, 'main');
  const ticker = fields.text('ticker', { maxLength: maxTickerLength });
  // Not by index: a ticker may be called `constructor`.
  if (ticker !== undefined)
    return { main_balance: Object.entries(balances).find(([asset]) => asset === ticker)?.[1] ?? '0' };
  return Object.fromEntries(Object.entries(balances).map(([asset, main_balance]) => [asset, { main_balance }]));
}
