// The collateral account: its balances, and its margin.
import { formatDecimal } from '../../../model/decimal.js';
import { published, publishedLimit } from '../../published/index.js';
import { routeGroup, type SignedCall } from '../route.js';
import { requireAsset } from './assets.js';

export const collateralAccountGroup = routeGroup({
  rateLimits: {
    collateralBalance: publishedLimit('/api/v4/collateral-account/balance'),
    collateralBalanceSummary: publishedLimit('/api/v4/collateral-account/balance-summary'),
    collateralSummary: publishedLimit('/api/v4/collateral-account/summary'),
  },
  routes: [
    {
      ...published('/api/v4/collateral-account/balance'),
      rateLimit: 'collateralBalance',
      authentication: 'signed',
      respond: balance,
    },
    {
      ...published('/api/v4/collateral-account/balance-summary'),
      rateLimit: 'collateralBalanceSummary',
      authentication: 'signed',
      respond: balanceSummary,
    },
    {
      ...published('/api/v4/collateral-account/summary'),
      rateLimit: 'collateralSummary',
      authentication: 'signed',
      respond: summary,
    },
  ],
});

/** Published as numbers; the live exchange sends strings. */
function balance(call: SignedCall) {
  const { dialect } = call.fields;
  return Object.fromEntries(
    assetsOf(call).map(([asset, amount]) => [asset, dialect === 'live' ? amount : Number(amount)]),
  );
}

/** The sandbox lends nothing. */
function balanceSummary(call: SignedCall) {
  const { money, freeMargin } = call.state.engine.collateralAccount(call.account);
  return assetsOf(call).map(([asset, amount]) => {
    const available = asset === money ? formatDecimal(freeMargin) : amount;
    return {
      asset,
      balance: amount,
      borrow: '0',
      availableWithoutBorrow: available,
      availableWithBorrow: available,
    };
  });
}

/** The sandbox charges no funding. */
function summary({ state, account }: SignedCall) {
  const { equity, margin, freeMargin, unrealizedPnl, leverage } = state.engine.collateralAccount(account);
  return {
    equity: formatDecimal(equity),
    margin: formatDecimal(margin),
    freeMargin: formatDecimal(freeMargin),
    unrealizedFunding: '0',
    pnl: formatDecimal(unrealizedPnl),
    leverage,
  };
}

/** The assets of the collateral wallet, or the requested one, with their amounts. */
function assetsOf({ state, account, fields }: SignedCall): [asset: string, amount: string][] {
  const wallet = Object.entries(state.books.wallet(account, 'collateral'));
  const ticker = fields.text('ticker');
  if (ticker === undefined) return wallet;
  requireAsset(state, ticker, 'ticker is invalid.');
  return [[ticker, wallet.find(([asset]) => asset === ticker)?.[1] ?? '0']];
}
