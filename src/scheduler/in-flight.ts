// How many requests of one client may be on the wire at once. A request is granted its permit only when there is room
// for it here, and is sent in the same tick, so that nothing waits for a socket with its nonce made and its signature
// growing old.
import { byTurn, type Waiter } from './waiting-line.js';

/** A group in which requests of a client wait until there is room on the wire. */
export interface Waiting {
  /** The request of this client whose turn is first. */
  firstOf(client: InFlight): Waiter | undefined;
  /** Grants what can be granted. */
  pump(): void;
}

/** What else bounds requests than their number: there is a nonce for each. */
export interface Pace {
  /** How many may be sent now. */
  free(): number;
  /** Milliseconds until one may. */
  freeInMs(): number;
}

/** What the requests of one client lack that cannot be sent now: room in flight, or a nonce. */
export type Lack = 'in-flight' | 'nonce';

/** What bounds requests beside their number. */
export interface InFlightBounds {
  /** How many urgent requests may be in flight beyond the number of all. Default 0. */
  readonly urgent?: number;
  /** What they are a part of. */
  readonly wire?: InFlight;
  readonly pace?: Pace | undefined;
  /** How much of the room for urgent requests they may use, from 0 to 1. Default 1. */
  readonly urgentShare?: number;
}

/** Lookups of quotes that hang come in numbers, and hang, too: without a bound, cancels would wait behind them. */
const urgentShareOfReads = 0.5;

/** The requests of one client that are on the wire. */
export class InFlight {
  readonly #max: number;
  readonly #urgent: number;
  readonly #wire: InFlight | undefined;
  readonly #pace: Pace | undefined;
  readonly #urgentShare: number;
  #reads: InFlight | undefined;
  #count = 0;
  /** Who waits, and as which part of this client. */
  readonly #waiting = new Map<Waiting, Set<InFlight>>();
  /** Whether a timer will wake those who wait for the pace. */
  #isTimed = false;

  /**
   * @internal
   * @param max how many may be on the wire at once
   */
  constructor(max = Number.POSITIVE_INFINITY, { urgent = 0, wire, pace, urgentShare = 1 }: InFlightBounds = {}) {
    this.#max = max;
    this.#urgent = urgent;
    this.#wire = wire;
    this.#pace = pace;
    this.#urgentShare = urgentShare;
  }

  /**
   * Those of these requests that are bound by a pace, and by an own number.
   *
   * @internal
   */
  paced(pace: Pace, max?: number): InFlight {
    return new InFlight(max, { wire: this, pace });
  }

  /**
   * Those of these requests that change nothing: they use half of the room for urgent requests at most, so that lookups
   * which hang keep no cancel back.
   *
   * @internal
   */
  get reads(): InFlight {
    this.#reads ??= new InFlight(Number.POSITIVE_INFINITY, {
      wire: this,
      pace: this.#pace,
      urgentShare: urgentShareOfReads,
    });
    return this.#reads;
  }

  /** How many more may be sent now that are not urgent. */
  get room(): number {
    return this.#roomWith(0);
  }

  /** How many more urgent requests may be sent now. */
  get urgentRoom(): number {
    return this.#roomWith(this.#urgentShare);
  }

  /** @param urgentShare of the room for urgent requests */
  #roomWith(urgentShare: number): number {
    const max = this.#max + (urgentShare === 0 ? 0 : Math.floor(this.#urgent * urgentShare));
    const ofAll = this.#wire === undefined ? Number.POSITIVE_INFINITY : this.#wire.#roomWith(urgentShare);
    return Math.max(0, Math.min(max - this.#count, ofAll, this.#pace?.free() ?? Number.POSITIVE_INFINITY));
  }

  /** What all of them are a part of. */
  get #whole(): InFlight {
    return this.#wire === undefined ? this : this.#wire.#whole;
  }

  /**
   * What a request lacks that cannot be sent now; `undefined` when it could be.
   *
   * @internal
   */
  lack(isUrgent: boolean): Lack | undefined {
    const urgentShare = isUrgent ? this.#urgentShare : 0;
    if (this.#roomWith(urgentShare) > 0) return undefined;
    return this.#whole.#roomWith(urgentShare) > 0 ? 'nonce' : 'in-flight';
  }

  /**
   * One more is on the wire.
   *
   * @internal
   */
  enter(): void {
    this.#count += 1;
    this.#wire?.enter();
  }

  /**
   * One has ended: who waits for room is woken.
   *
   * @internal
   */
  leave(): void {
    this.#count -= 1;
    if (this.#wire === undefined) this.#wake();
    else this.#wire.leave();
  }

  /**
   * The group is asked to pump when there is more room.
   *
   * @internal
   */
  await(group: Waiting): void {
    const wire = this.#whole;
    const clients = wire.#waiting.get(group);
    if (clients === undefined) wire.#waiting.set(group, new Set([this]));
    else clients.add(this);
    if (this.#pace === undefined || this.#pace.free() > 0 || this.#isTimed) return;
    this.#isTimed = true;
    // It keeps nothing alive: whoever waits does.
    setTimeout(() => {
      this.#isTimed = false;
      wire.#wake();
    }, Math.ceil(this.#pace.freeInMs())).unref();
  }

  #wake(): void {
    if (this.#waiting.size === 0) return;
    const inTurn = [...this.#waiting]
      .flatMap(([group, clients]) => {
        const [first] = [...clients].flatMap((client) => group.firstOf(client) ?? []).sort(byTurn);
        return first === undefined ? [] : [{ group, first }];
      })
      .sort((one, other) => byTurn(one.first, other.first));
    this.#waiting.clear();
    for (const { group } of inTurn) group.pump();
  }
}
