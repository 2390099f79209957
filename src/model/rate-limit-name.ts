// Written by `npm run docs` from the definitions of the endpoints.

/** The name of a rate limit of this package's endpoints: an endpoint's name, or that of a limit that several share. */
export type RateLimitName =
  | 'account.mainBalance'
  | 'collateral.placeLimitOrder'
  | 'collateral.setLeverage'
  | 'mining.listAccounts'
  | 'oauth.refreshToken'
  | 'orders'
  | 'orders.cancel'
  | 'orders.setKillSwitch'
  | 'public'
  | 'spot.placeMarketOrder'
  | 'spot.placeStockMarketOrder'
  | 'subAccounts.list';
