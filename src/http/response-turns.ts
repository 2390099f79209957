// Spreads the parsing of large responses over turns of the event loop, so that timers and small responses run between.

/** Smaller responses are parsed immediately: hundreds of them take no noticeable time. */
const smallBytes = 2 ** 10;
/** Maximum bytes of larger responses that one turn parses. A single response is parsed whole, whatever its size. */
const turnBytes = 64 * 2 ** 10;

interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
}

/** The queue of responses that wait to be parsed. */
export class ResponseTurns {
  readonly #urgent: Waiting[] = [];
  readonly #ordinary: Waiting[] = [];
  /** Bytes that the current turn has parsed. */
  #turnBytes = 0;

  /**
   * Resolves in the turn that parses a response of this size, urgent responses first; `undefined` means the current
   * turn.
   */
  take(bytes: number, isUrgent: boolean): Promise<void> | undefined {
    if (bytes <= smallBytes) return undefined;
    if (this.#first() !== undefined || !this.#fits(bytes)) {
      return new Promise((start) => {
        (isUrgent ? this.#urgent : this.#ordinary).push({ bytes, start });
      });
    }
    if (this.#turnBytes === 0) setImmediate(this.#next);
    this.#turnBytes += bytes;
    return undefined;
  }

  #first(): Waiting | undefined {
    return this.#urgent[0] ?? this.#ordinary[0];
  }

  #fits(bytes: number): boolean {
    return this.#turnBytes === 0 || this.#turnBytes + bytes <= turnBytes;
  }

  readonly #next = () => {
    this.#turnBytes = 0;
    for (let first = this.#first(); first !== undefined && this.#fits(first.bytes); first = this.#first()) {
      (first === this.#urgent[0] ? this.#urgent : this.#ordinary).shift();
      this.#turnBytes += first.bytes;
      first.start();
    }
    // An immediate that is set here runs after the timers.
    if (this.#turnBytes > 0) setImmediate(this.#next);
  };
}
