// Written by `npm run docs`: the names of the rate limits.

/** The name of a rate limit: that of an endpoint, or of a limit that several endpoints share. */
export type RateLimitName =
  | 'collateral.balance'
  | 'collateral.balanceSummary'
  | 'collateral.hedgeMode'
  | 'collateral.openPositions'
  | 'collateral.placeLimitOrder'
  | 'collateral.placeLimitOrders'
  | 'collateral.setLeverage'
  | 'collateral.summary'
  | 'mainAccount'
  | 'mining.listAccounts'
  | 'oauth.refreshToken'
  | 'orders'
  | 'orders.cancel'
  | 'orders.modify'
  | 'orders.setKillSwitch'
  | 'public'
  | 'public.candles'
  | 'public.miningPool'
  | 'public.orderBook'
  | 'spot.fees'
  | 'spot.placeLimitOrder'
  | 'spot.placeLimitOrders'
  | 'spot.placeMarketOrder'
  | 'spot.placeStockMarketOrder'
  | 'subAccounts.list';
