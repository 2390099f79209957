// How many requests of one client may be in flight at once. A request gets its permit only when it can be sent in the
// same tick, so that no request waits for a socket while its nonce and its signature grow old.
import { byTurn, type Waiter } from './priority.js';

/** A queue whose requests wait for another request of their client to end. */
export interface Waiting {
  /** The next request of this client. */
  firstOf(client: InFlight): Waiter | undefined;
  /** Grants every permit that can be granted. */
  pump(): void;
}

/** A bound beside the number of requests: each one takes a nonce. */
export interface Pace {
  /** How many requests may be sent now. */
  free(): number;
  /** Milliseconds until the next request may be sent. */
  freeInMs(): number;
}

/** Why a request of this client cannot be sent now: too many are in flight, or no nonce is free. */
export type InFlightBlock = 'in-flight' | 'nonce';

/** What bounds the requests of a client beside their number. */
export interface InFlightBounds {
  /** How many urgent requests may be in flight beyond the bound of all requests. Default 0. */
  readonly urgent?: number;
  /** The requests of which these are a part: its bounds apply, too. */
  readonly parent?: InFlight;
  /** The nonces. Default: no bound. */
  readonly pace?: Pace | undefined;
  /** The part of the parent's `urgent` that these requests may use, from 0 to 1. Default 1. */
  readonly urgentShare?: number;
}

/** Lookups of quotes that hang come in numbers and hang, too: without this bound, cancels would wait behind them. */
const urgentShareOfReads = 0.5;
/** After this many others, an urgent read has its turn: the outcome of an order must not stay unknown for ever. */
const maxBeforeRead = 3;

/** A queue, and its next request of a client. */
interface Turn {
  readonly queue: Waiting;
  readonly first: Waiter;
  /** Whether the request only reads. */
  readonly isRead: boolean;
}

/** The requests of one client that are in flight. */
export class InFlight {
  readonly #max: number;
  readonly #urgent: number;
  readonly #parent: InFlight | undefined;
  readonly #pace: Pace | undefined;
  readonly #urgentShare: number;
  #reads: InFlight | undefined;
  #count = 0;
  /** The queues to pump when a request ends, and the parts of this client that wait there. */
  readonly #waiting = new Map<Waiting, Set<InFlight>>();
  /** Whether a timer is set for the next nonce. */
  #isTimed = false;
  /** How often in a row an urgent request was preferred to an urgent read that had arrived earlier. */
  #beforeRead = 0;

  /**
   * @internal
   * @param max how many requests may be in flight at once
   */
  constructor(max = Number.POSITIVE_INFINITY, { urgent = 0, parent, pace, urgentShare = 1 }: InFlightBounds = {}) {
    this.#max = max;
    this.#urgent = urgent;
    this.#parent = parent;
    this.#pace = pace;
    this.#urgentShare = urgentShare;
  }

  /**
   * The part of these requests that takes nonces, with a bound of its own.
   *
   * @internal
   */
  paced(pace: Pace, max?: number): InFlight {
    return new InFlight(max, { parent: this, pace });
  }

  /**
   * The part of these requests that changes nothing. Lookups that hang must not hold up a cancel, so reads use at most
   * half of what is reserved for urgent requests.
   *
   * @internal
   */
  get reads(): InFlight {
    this.#reads ??= new InFlight(Number.POSITIVE_INFINITY, {
      parent: this,
      pace: this.#pace,
      urgentShare: urgentShareOfReads,
    });
    return this.#reads;
  }

  /** How many more requests that are not urgent may be sent now. */
  get free(): number {
    return this.#freeWith(0);
  }

  /** How many more urgent requests may be sent now. */
  get urgentFree(): number {
    return this.#freeWith(this.#urgentShare);
  }

  #freeWith(urgentShare: number): number {
    const max = this.#max + (urgentShare === 0 ? 0 : Math.floor(this.#urgent * urgentShare));
    const ofParent = this.#parent === undefined ? Number.POSITIVE_INFINITY : this.#parent.#freeWith(urgentShare);
    return Math.max(0, Math.min(max - this.#count, ofParent, this.#pace?.free() ?? Number.POSITIVE_INFINITY));
  }

  /** All requests of the client. */
  get #root(): InFlight {
    return this.#parent === undefined ? this : this.#parent.#root;
  }

  /**
   * Why no further request can be sent now; `undefined` when one can.
   *
   * @internal
   */
  blockedBy(isUrgent: boolean): InFlightBlock | undefined {
    const urgentShare = isUrgent ? this.#urgentShare : 0;
    if (this.#freeWith(urgentShare) > 0) return undefined;
    return this.#root.#freeWith(urgentShare) > 0 ? 'nonce' : 'in-flight';
  }

  /**
   * Counts a request that is sent.
   *
   * @internal
   */
  enter(): void {
    this.#count += 1;
    this.#parent?.enter();
  }

  /**
   * Counts a request that has ended, and wakes the queues whose requests wait for that.
   *
   * @internal
   */
  leave(): void {
    this.#count -= 1;
    if (this.#parent === undefined) this.#wake();
    else this.#parent.leave();
  }

  /**
   * Pumps the queue once when a request of this client ends or a nonce becomes free.
   *
   * @internal
   */
  wakeWhenFree(queue: Waiting): void {
    const root = this.#root;
    const clients = root.#waiting.get(queue);
    if (clients === undefined) root.#waiting.set(queue, new Set([this]));
    else clients.add(this);
    if (this.#pace === undefined || this.#pace.free() > 0 || this.#isTimed) return;
    this.#isTimed = true;
    // The timer need not keep the process alive: the waiting requests do.
    setTimeout(() => {
      this.#isTimed = false;
      root.#wake();
    }, Math.ceil(this.#pace.freeInMs())).unref();
  }

  #wake(): void {
    if (this.#waiting.size === 0) return;
    const byArrival = (one: Turn, other: Turn) => byTurn(one.first, other.first);
    const turns = [...this.#waiting].flatMap(([queue, clients]) => {
      const ofQueue = [...clients].flatMap((client) => {
        const first = queue.firstOf(client);
        return first === undefined ? [] : [{ queue, first, isRead: client.#isReads }];
      });
      return ofQueue.sort(byArrival).slice(0, 1);
    });
    turns.sort(byArrival);
    const isReadFirst = turns[0]?.isRead === true && turns[0].first.priority === 'urgent';
    if (isReadFirst && this.#beforeRead < maxBeforeRead) {
      // The sort keeps the order of arrival.
      turns.sort((one, other) => byUrgency(one) - byUrgency(other));
    }
    this.#beforeRead = isReadFirst && turns[0]?.isRead === false ? this.#beforeRead + 1 : 0;
    this.#waiting.clear();
    for (const { queue } of turns) queue.pump();
  }

  get #isReads(): boolean {
    return this.#parent !== undefined && this.#parent.#reads === this;
  }
}

/** Cancels first, then urgent reads, such as lookups, then all that is not urgent. */
function byUrgency({ first, isRead }: Turn): number {
  if (first.priority !== 'urgent') return 2;
  return isRead ? 1 : 0;
}
