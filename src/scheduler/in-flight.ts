// How many requests of one client may be on the wire at once. A request is granted its permit only when there is room for it here, and
// is sent in the same tick, so that nothing waits for a socket with its nonce made and its signature growing old.
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

/** The requests of one client that are on the wire. */
export class InFlight {
  readonly #max: number;
  readonly #wire: InFlight | undefined;
  readonly #pace: Pace | undefined;
  #count = 0;
  /** Who waits, and as which part of this client. */
  readonly #waiting = new Map<Waiting, Set<InFlight>>();
  /** Whether a timer will wake those who wait for the pace. */
  #isTimed = false;

  /**
   * @internal
   * @param max how many may be on the wire at once
   * @param wire what they are a part of
   */
  constructor(max = Number.POSITIVE_INFINITY, wire?: InFlight, pace?: Pace) {
    this.#max = max;
    this.#wire = wire;
    this.#pace = pace;
  }

  /**
   * Those of these requests that are bound by a pace, and by an own number.
   *
   * @internal
   */
  paced(pace: Pace, max?: number): InFlight {
    return new InFlight(max, this, pace);
  }

  /** How many more may be sent now. */
  get room(): number {
    const own = Math.min(this.#max - this.#count, this.#pace?.free() ?? Number.POSITIVE_INFINITY);
    return this.#wire === undefined ? own : Math.min(own, this.#wire.room);
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
    const wire = this.#wire ?? this;
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
