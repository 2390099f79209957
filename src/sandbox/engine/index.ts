// The matching engine, as the rest of the sandbox uses it.
export type { EngineApi, NewOrder, OcoView, OpenPosition, OrderReference, StopOrderParams } from './engine-api.js';
export { EngineTime } from './engine-time.js';
export { Engine } from './engine.js';
export { fundingIntervalMs, maxFundingRate } from './funding.js';
export type { MarketView } from './market-view.js';
export { killSwitchTypes, type KillSwitchType } from './kill-switches.js';
export {
  currenciesOf,
  defaultFee,
  defaultMarkets,
  listMarket,
  priceStep,
  type Listing,
  type MarketDepth,
  type SandboxMarketOptions,
} from './listing.js';
