// The memory that the responses of one client may take together while they arrive.

/**
 * Maximum of all unread responses of a client, bytes, without the free part of each. 256 market lists of 500 kB fit:
 * the default number of requests in flight.
 */
const defaultTotalBytes = 128 * 2 ** 20;
/** The first bytes of each response are not counted. 288 responses, the default maximum, have 4.5 MiB of them. */
const freeBytes = 16 * 2 ** 10;

/** Responses with a maximum of this size, to orders, are not counted: 288 of them have at most 72 MiB together. */
const uncountedBytes = 256 * 2 ** 10;
const uncounted: MemoryShare = { hold: () => undefined, close: () => undefined };

/** The unread responses of a client have reached their maximum. Has a code, as errors of connections have. */
export class ResponseMemoryFull extends Error {
  readonly code = 'ERR_RESPONSE_MEMORY_FULL';
}

/** The memory of the unread responses of one client. */
export class ResponseMemory {
  #left: number;

  constructor(bytes = defaultTotalBytes) {
    this.#left = bytes;
  }

  /** The share of one response of at most `maxBytes`. */
  open(maxBytes: number): MemoryShare {
    // Large lists must never cost an order its response.
    if (maxBytes <= uncountedBytes) return uncounted;
    let held = 0;
    let counted = 0;
    let isClosed = false;
    return {
      hold: (bytes) => {
        held += bytes;
        const more = Math.max(0, held - freeBytes) - counted;
        if (isClosed || more > this.#left) throw new ResponseMemoryFull();
        counted += more;
        this.#left -= more;
      },
      close: () => {
        isClosed = true;
        this.#left += counted;
        counted = 0;
      },
    };
  }
}

/** The memory of one response. */
export interface MemoryShare {
  /** Adds bytes. Throws {@link ResponseMemoryFull} when the client has no memory left or the share is closed. */
  readonly hold: (bytes: number) => void;
  /** Releases all bytes. */
  readonly close: () => void;
}
