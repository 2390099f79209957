// How many requests of one client may be in flight at once. A request gets its permit only when it can be sent in the
// same tick, so that no request waits for a socket while its nonce and its signature grow old.
import type { ExchangeClock, Nonces } from '../auth/index.js';

/** The nonces of a client: each of its requests takes one. */
interface Pace {
  readonly nonces: Pick<Nonces, 'free' | 'freeInMs'>;
  readonly clock: Pick<ExchangeClock, 'now'>;
}

/** Lookups of quotes that hang come in numbers and hang, too: without this bound, cancels would wait behind them. */
const urgentShareOfReads = 0.5;

export class InFlight {
  /** All requests of the client. */
  readonly root: InFlight;
  readonly isRead: boolean;
  readonly #max: number;
  readonly #urgent: number;
  readonly #parent: InFlight | undefined;
  readonly #pace: Pace | undefined;
  #reads: InFlight | undefined;
  #count = 0;

  /**
   * @param max how many requests may be in flight at once
   * @param urgent how many urgent requests may be in flight beyond this bound
   * @param parent the requests of which these are a part: its bounds apply, too
   */
  constructor(max = Number.POSITIVE_INFINITY, urgent = 0, parent?: InFlight, pace?: Pace, isRead = false) {
    this.root = parent?.root ?? this;
    this.isRead = isRead;
    this.#max = max;
    this.#urgent = urgent;
    this.#parent = parent;
    this.#pace = pace;
  }

  /** The part of these requests that takes nonces. */
  paced(pace: Pace): InFlight {
    return new InFlight(Number.POSITIVE_INFINITY, 0, this, pace);
  }

  /**
   * The part of these requests that changes nothing. Lookups that hang must not hold up a cancel, so reads use at most
   * half of what is reserved for urgent requests.
   */
  get reads(): InFlight {
    this.#reads ??= new InFlight(Number.POSITIVE_INFINITY, 0, this, this.#pace, true);
    return this.#reads;
  }

  free(isUrgent: boolean): number {
    const unused = Math.max(0, this.#unused(this.#urgentShare(isUrgent)));
    if (unused === 0 || this.#pace === undefined) return unused;
    const { nonces, clock } = this.#pace;
    return Math.min(unused, nonces.free(clock.now()));
  }

  /** Why no further request can be sent now: too many are in flight, or no nonce is free. */
  blockedBy(isUrgent: boolean): 'in-flight' | 'nonce' | undefined {
    if (this.free(isUrgent) > 0) return undefined;
    return this.root.#unused(this.#urgentShare(isUrgent)) > 0 ? 'nonce' : 'in-flight';
  }

  /** Milliseconds until a nonce is free; Infinity when none is lacking. */
  freeInMs(): number {
    if (this.#pace === undefined) return Number.POSITIVE_INFINITY;
    const { nonces, clock } = this.#pace;
    const now = clock.now();
    return nonces.free(now) > 0 ? Number.POSITIVE_INFINITY : nonces.freeInMs(now);
  }

  enter(): void {
    this.#count += 1;
    this.#parent?.enter();
  }

  leave(): void {
    this.#count -= 1;
    this.#parent?.leave();
  }

  /** How many more requests may be in flight, whether or not nonces are free. */
  #unused(urgentShare: number): number {
    const urgent = urgentShare === 0 ? 0 : Math.floor(this.#urgent * urgentShare);
    const unused = this.#max + urgent - this.#count;
    return this.#parent === undefined ? unused : Math.min(unused, this.#parent.#unused(urgentShare));
  }

  /** The part of the urgent requests beyond the bound of all that these requests may use. */
  #urgentShare(isUrgent: boolean): number {
    if (!isUrgent) return 0;
    return this.isRead ? urgentShareOfReads : 1;
  }
}
