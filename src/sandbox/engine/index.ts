// The matching engine, as the rest of the sandbox uses it. Its times are Unix milliseconds, unless they say otherwise.
export type { AccountEvent } from './account-events.js';
export type { NewOrder } from './book-order.js';
export type { OcoView } from './oco-orders.js';
export { Engine } from './engine.js';
export type { Changes } from './liquidity.js';
export type { MarketEvent, QueueModel, RecordedTrade } from './queue.js';
export { RecordedBook } from './recorded-book.js';
export { fundingFixedBeforeMs, fundingIntervalMs, maxFundingRate, type FundingSettlement } from './funding.js';
export { liquidationPrefix } from './collateral.js';
export type { MarketView } from './markets.js';
export type { OrderReference } from './orders.js';
export type { OpenPosition, PositionChange } from './positions.js';
export { killSwitchTypes, type KillSwitch, type KillSwitchType } from './cancels.js';
export * from './listing.js';
