// An outage from its interruption to the read that fills it, and its two gaps: items may be missing, and none is any more.
import type { LiveGap } from '../../model/stream-gap.js';

/** What a gap says. Its market, channel and end are those of the stream. */
export interface GapFact {
  readonly reason: LiveGap['reason'];
  readonly from: number;
  readonly filled: boolean;
}

export class Outage {
  #reason: LiveGap['reason'] | undefined;
  #from = 0;
  #isReported = false;
  #isRead = false;

  /** Why items are missing; `undefined`: none is. */
  get reason(): LiveGap['reason'] | undefined {
    return this.#reason;
  }

  /** Missing items are not before this time; `undefined`: none is missing. */
  get from(): number | undefined {
    return this.#reason === undefined ? undefined : this.#from;
  }

  /** Whether a gap has said that items are missing. */
  get isReported(): boolean {
    return this.#reason !== undefined && this.#isReported;
  }

  /** Whether they were read since. What the exchange lists late is missing still. */
  get isRead(): boolean {
    return this.#reason !== undefined && this.#isRead;
  }

  /** Items may be missing since a time. What an earlier interruption has lost may be missing still. */
  begin(reason: LiveGap['reason'], from: number): void {
    if (this.#reason === undefined) this.#from = from;
    if (this.#reason === undefined || this.#isReported) this.#reason = reason;
    this.#isReported = false;
    this.#isRead = false;
  }

  /** The first gap, once. */
  report(): GapFact | undefined {
    const { reason, isReported } = this;
    this.#isReported = true;
    return reason === undefined || isReported ? undefined : { reason, from: this.#from, filled: false };
  }

  /**
   * The first gap, with the items that were read.
   *
   * @param isPartial whether more may be missing than was read: it has a gap of its own
   */
  read(isPartial: boolean): GapFact | undefined {
    const gap = this.report();
    this.#isReported = !isPartial;
    this.#isRead = !isPartial;
    return gap;
  }

  /** Ends it; returns the second gap. */
  end(): GapFact | undefined {
    const reason = this.#reason;
    this.#reason = undefined;
    return reason === undefined ? undefined : { reason, from: this.#from, filled: true };
  }
}
