// Recorded markets, as the rest of the sandbox uses them.
export { Follow } from './follow.js';
export type { MarketClosure, MarketStatus } from './market-state.js';
export { recordedChannel } from './recorded-channels.js';
export { RecordedExchange, type RecordedExchangeParts } from './recorded-exchange.js';
export { listingOf, type MarketFees } from './recorded-frame.js';
export { runProgram, type RunOptions, type RunResult } from './run.js';
