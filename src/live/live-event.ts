// The events of live channels, for logs and metrics. No event has a token or a parameter of a request.
import type { LiveGap } from '../model/stream-gap.js';
import type { LiveState } from './connection/index.js';

/** The state of a live connection has changed. */
export interface LiveConnectionEvent {
  /** Discriminates the events. */
  readonly type: 'live-connection';
  /** The connection: `public`, `private` (of the account), or one of its own, such as `candles BTC_USDT 1m`. */
  readonly connection: string;
  /** The state now. */
  readonly state: LiveState;
  /** The close code of the last connection, where it had one; 1006 when it was lost. */
  readonly code?: number;
  /** The HTTP status by which the exchange refused the connection. */
  readonly status?: number;
}

/** Items of a channel may be missing: of a book, updates; it is stale until the next snapshot. */
export interface LiveGapEvent extends Omit<LiveGap, 'kind'> {
  /** Discriminates the events. */
  readonly type: 'live-gap';
}

/** The events of live channels, on `events$`. Switch on `type`. */
export type LiveEvent = LiveConnectionEvent | LiveGapEvent;
