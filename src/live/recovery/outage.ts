// An outage from its interruption to the read that fills it, and its two gaps: items may be missing, and none is any more.
import type { LiveGap } from '../../model/stream-gap.js';

/** What a gap says. Its market, channel and end are those of the stream. */
export interface GapFact {
  readonly reason: LiveGap['reason'];
  readonly from: number;
  readonly filled: boolean;
}

/** A gap of a channel, up to a time; without a market, of all of its markets. */
export function gapOf(
  channel: string,
  market: string | undefined,
  { reason, from, filled }: GapFact,
  to: number,
): LiveGap {
  const ofOne = market === undefined ? {} : { market };
  return { kind: 'gap', channel, ...ofOne, reason, filled, from, to: Math.max(from, to) };
}

export class Outage {
  /** Why items are missing; `undefined`: none is. */
  reason: LiveGap['reason'] | undefined;
  /** Whether a gap has said that items are missing. */
  isReported = false;
  /** Whether they were read since. What the exchange lists late is missing still. */
  isRead = false;
  #from = 0;

  /** Missing items are not before this time; `undefined`: none is missing. */
  get from(): number | undefined {
    return this.reason === undefined ? undefined : this.#from;
  }

  /** Items may be missing since a time. What an earlier interruption has lost may be missing still. */
  begin(reason: LiveGap['reason'], from: number): void {
    if (this.reason === undefined) this.#from = from;
    if (this.reason === undefined || this.isReported) this.reason = reason;
    this.isReported = false;
    this.isRead = false;
  }

  /** The first gap, once. */
  report(): GapFact | undefined {
    const { reason, isReported } = this;
    if (reason === undefined || isReported) return undefined;
    this.isReported = true;
    return { reason, from: this.#from, filled: false };
  }

  /**
   * The gap of a page: the first one, where it is due; of the next page after it, which ends the outage, the second one.
   *
   * @param isPartial whether more may be missing than the page has: it has a gap of its own
   * @param isWhole whether every item of the page was readable: else no later read fills the gap
   */
  read(isPartial: boolean, isWhole: boolean): GapFact | undefined {
    if (!this.isRead) {
      const gap = this.report();
      this.isReported = this.isRead = this.reason !== undefined && !isPartial;
      return gap;
    }
    const { reason } = this;
    this.reason = undefined;
    this.isReported = this.isRead = false;
    return reason === undefined || !isWhole ? undefined : { reason, from: this.#from, filled: true };
  }
}
