export { readDepthUpdate, type DepthUpdate } from './depth-frame.js';
export {
  applyDelta,
  asStale,
  bridgeSnapshot,
  cutTo,
  type DepthRefusal,
  type KnownBook,
  type LiveOrderBook,
} from './live-order-book.js';
