// The body of a response as it comes, in one buffer that grows: an object for each chunk can take a hundred times its
// bytes.
import type { Endpoint } from '../endpoints/define-endpoint.js';
import type { MemoryShare } from './response-room.js';

/**
 * The largest response of most endpoints, bytes. The list of markets, which is the longest, has some hundred kilobytes.
 */
export const defaultMaxResponseBytes = 8 * 2 ** 20;
/** The largest response to an order, bytes. One has less than a kilobyte; an error of a gateway may be a page. */
const orderMaxBytes = 256 * 2 ** 10;
const firstCapacity = 16 * 2 ** 10;

/** How many bytes a response of this endpoint may have, before and after it is decompressed. */
export function maxResponseBytesOf({ maxResponseBytes, safety }: Endpoint): number {
  return maxResponseBytes ?? (safety === 'order' ? orderMaxBytes : defaultMaxResponseBytes);
}

/** A response has more bytes than it may have; with a code, as errors of connections have. */
export class ResponseTooLarge extends Error {
  readonly code = 'ERR_BUFFER_TOO_LARGE';
}

export class ReceivedBody {
  readonly #maxBytes: number;
  readonly #room: MemoryShare | undefined;
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;

  /** Without a `room`, what it holds is counted nowhere. */
  constructor(maxBytes: number, room: MemoryShare | undefined) {
    this.#maxBytes = maxBytes;
    this.#room = room;
  }

  /** Throws {@link ResponseTooLarge} when it would have more than its maximum, or than its client has room for. */
  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.byteLength;
    // NaN from an endpoint of the user's own bounds, too.
    if (!(length <= this.#maxBytes)) throw new ResponseTooLarge();
    this.#room?.hold(chunk.byteLength);
    // Most come in one chunk, which is not copied.
    if (this.#length === 0) this.#bytes = chunk;
    else {
      if (length > this.#bytes.byteLength || this.#length === this.#bytes.byteLength) this.#grow(length);
      this.#bytes.set(chunk, this.#length);
    }
    this.#length = length;
  }

  /** What has come so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const capacity = Math.min(Math.max(2 * this.#bytes.byteLength, length, firstCapacity), this.#maxBytes);
    const bytes = Buffer.allocUnsafe(capacity);
    bytes.set(this.bytes);
    this.#bytes = bytes;
  }
}
