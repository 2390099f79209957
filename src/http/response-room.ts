// What the responses of one client take together: of memory, while they come; of a turn of the event loop, when they are read.
import { ResponseTooLarge } from './received-body.js';

/** What all responses of a client may hold that were not read yet, bytes: the free part of each not counted. */
const defaultRoomBytes = 64 * 2 ** 20;
/**
 * So many bytes of each response are free: the response to an order has less than 1 KiB, so lists that fill the room never keep an order from its
 * response. As many as may be in flight, 288 by default, have 4.5 MiB together.
 */
const freeBytes = 16 * 2 ** 10;

/** What the responses of a client hold. */
export class ResponseRoom {
  #left: number;

  constructor(bytes = defaultRoomBytes) {
    this.#left = bytes;
  }

  /** The part of it that one response has. */
  open(): RoomPart {
    let held = 0;
    let taken = 0;
    let isClosed = false;
    return {
      hold: (bytes) => {
        held += bytes;
        const more = Math.max(0, held - freeBytes) - taken;
        if (isClosed || more > this.#left) throw new ResponseTooLarge();
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
export interface RoomPart {
  /** Counts bytes that it holds from now on. Throws {@link ResponseTooLarge} when the room has not got them, or the part is closed. */
  readonly hold: (bytes: number) => void;
  /** Gives back what it held. */
  readonly close: () => void;
}

/** Smaller responses are read when they come: even hundreds of them take no time. The response to an order is one. */
const smallBytes = 2 ** 10;
/** How many bytes of larger responses are read in one turn of the event loop; one response is read whole, whatever it has. */
const turnBytes = 64 * 2 ** 10;

interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
}

/** Reads what comes at once one after the other, so that timers and other responses have their turn in between. */
export class ResponseTurns {
  readonly #waiting: Waiting[] = [];
  /** Of this turn. */
  #readBytes = 0;

  /** Resolves in the turn in which a response of so many bytes may be read; `undefined` says that it is this one. */
  take(bytes: number): Promise<void> | undefined {
    if (bytes <= smallBytes) return undefined;
    if (this.#waiting.length > 0 || !this.#fits(bytes)) {
      return new Promise((start) => {
        this.#waiting.push({ bytes, start });
      });
    }
    if (this.#readBytes === 0) setImmediate(this.#next);
    this.#readBytes += bytes;
    return undefined;
  }

  #fits(bytes: number): boolean {
    return this.#readBytes === 0 || this.#readBytes + bytes <= turnBytes;
  }

  readonly #next = () => {
    this.#readBytes = 0;
    for (let [first] = this.#waiting; first !== undefined && this.#fits(first.bytes); [first] = this.#waiting) {
      this.#waiting.shift();
      this.#readBytes += first.bytes;
      first.start();
    }
    // What is set here runs after the timers.
    if (this.#readBytes > 0) setImmediate(this.#next);
  };
}
