// A discontinuity of a live stream of events. It is an item of the stream, in its place among the others.
import type { LiteralUnion } from './tolerant.js';

/** Items may be missing here. */
export interface LiveGap {
  /** Discriminates the items. */
  readonly kind: 'gap';
  /**
   * Why items may be missing. Other reasons may be added.
   * - `overflow`: more happened than the exchange replays, or than one response lists.
   * - `unreadable`: a response or a message had records that could not be read.
   * - `late`: a trade was listed after a newer one, which was emitted already. It is not emitted. Or an
   *   execution was pushed more than ten minutes late: whether it was emitted is not known.
   * - `reconnect`: the connection was lost, and made again.
   * - `sequence`: the exchange's numbering shows that a message is missing.
   * - `silence`: the exchange sent nothing for longer than it ever does.
   * - `silent-loss`: a comparison with REST found items that the exchange had not pushed on a working connection.
   * - `unavailable`: the items before the subscription could not be read.
   */
  readonly reason: LiteralUnion<
    'overflow' | 'unreadable' | 'late' | 'reconnect' | 'sequence' | 'silence' | 'silent-loss' | 'unavailable'
  >;
  /** Missing items are not before this time of the exchange, Unix seconds. */
  readonly from: number;
  /** Missing items are not after this time of the exchange, Unix seconds. */
  readonly to: number;
  /** The channel whose messages may be missing, such as `trades`. */
  readonly channel: string;
  /** The market, `BASE_QUOTE`; absent for every market of the channel. */
  readonly market?: string;
  /** Whether the missing items have come or follow at once, read by requests. */
  readonly filled: boolean;
}
