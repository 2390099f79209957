// What the responses of one client take together: of memory, while they come; of a turn of the event loop, when they
// are read.

/**
 * What all responses of a client may hold that were not read yet, bytes: the free part of each not counted. As many
 * lists of all markets as may be in flight by default, 256 of 500 kB, have room.
 */
const defaultRoomBytes = 128 * 2 ** 20;
/** So many bytes of each response are free. As many as may be in flight, 288 by default, have 4.5 MiB together. */
const freeBytes = 16 * 2 ** 10;

/**
 * Responses of so few bytes at most, those to orders, are not counted: as many as may be in flight, 288 by default,
 * have 72 MiB together.
 */
const uncountedBytes = 256 * 2 ** 10;
const uncounted: MemoryShare = { hold: () => undefined, close: () => undefined };

/** The responses of a client hold as much as they may; with a code, as errors of connections have. */
export class ResponseMemoryFull extends Error {
  readonly code = 'ERR_NO_ROOM_FOR_RESPONSE';
}

/** What the responses of a client hold. */
export class ResponseMemory {
  #left: number;

  constructor(bytes = defaultRoomBytes) {
    this.#left = bytes;
  }

  /** The part of it that one response has, which has so many bytes at most. */
  open(maxBytes: number): MemoryShare {
    // Lists that fill the room keep no order from its response.
    if (maxBytes <= uncountedBytes) return uncounted;
    let held = 0;
    let taken = 0;
    let isClosed = false;
    return {
      hold: (bytes) => {
        held += bytes;
        const more = Math.max(0, held - freeBytes) - taken;
        if (isClosed || more > this.#left) throw new ResponseMemoryFull();
        taken += more;
        this.#left -= more;
      },
      close: () => {
        isClosed = true;
        this.#left += taken;
        taken = 0;
      },
    };
  }
}

/** What one response holds. */
export interface MemoryShare {
  /**
   * Counts bytes that it holds from now on. Throws {@link ResponseMemoryFull} when the room has not got them, or the
   * part is closed.
   */
  readonly hold: (bytes: number) => void;
  /** Gives back what it held. */
  readonly close: () => void;
}

/** Smaller responses are read when they come: even hundreds of them take no time. */
const smallBytes = 2 ** 10;
/**
 * How many bytes of larger responses are read in one turn of the event loop; one response is read whole, whatever it
 * has.
 */
const turnBytes = 64 * 2 ** 10;

interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
}

/** Reads what comes at once one after the other, so that timers and other responses have their turn in between. */
export class ResponseTurns {
  readonly #urgent: Waiting[] = [];
  readonly #ordinary: Waiting[] = [];
  /** Of this turn. */
  #readBytes = 0;

  /**
   * Resolves in the turn in which a response of so many bytes may be read, an urgent one before the others; `undefined`
   * says that it is this one.
   */
  take(bytes: number, isUrgent: boolean): Promise<void> | undefined {
    if (bytes <= smallBytes) return undefined;
    if (this.#first() !== undefined || !this.#fits(bytes)) {
      return new Promise((start) => {
        (isUrgent ? this.#urgent : this.#ordinary).push({ bytes, start });
      });
    }
    if (this.#readBytes === 0) setImmediate(this.#next);
    this.#readBytes += bytes;
    return undefined;
  }

  #first(): Waiting | undefined {
    return this.#urgent[0] ?? this.#ordinary[0];
  }

  #fits(bytes: number): boolean {
    return this.#readBytes === 0 || this.#readBytes + bytes <= turnBytes;
  }

  readonly #next = () => {
    this.#readBytes = 0;
    for (let first = this.#first(); first !== undefined && this.#fits(first.bytes); first = this.#first()) {
      (first === this.#urgent[0] ? this.#urgent : this.#ordinary).shift();
      this.#readBytes += first.bytes;
      first.start();
    }
    // What is set here runs after the timers.
    if (this.#readBytes > 0) setImmediate(this.#next);
  };
}
