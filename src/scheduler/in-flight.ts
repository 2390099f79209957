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

/** The requests of one client that are on the wire. */
export class InFlight {
  #count = 0;
  readonly #waiting = new Set<Waiting>();

  /** @param max how many may be on the wire at once */
  constructor(readonly max = Number.POSITIVE_INFINITY) {}

  /** How many more may be sent now. */
  get room(): number {
    return this.max - this.#count;
  }

  enter(): void {
    this.#count += 1;
  }

  /** The group is asked to pump when there is more room. */
  await(group: Waiting): void {
    this.#waiting.add(group);
  }

  leave(): void {
    this.#count -= 1;
    if (this.#waiting.size === 0) return;
    const inTurn = [...this.#waiting]
      .flatMap((group) => {
        const first = group.firstOf(this);
        return first === undefined ? [] : [{ group, first }];
      })
      .sort((one, other) => byTurn(one.first, other.first));
    this.#waiting.clear();
    for (const { group } of inTurn) {
      if (this.room > 0) group.pump();
      else this.#waiting.add(group);
    }
  }
}
