// The body of a response while it arrives, in one growing buffer: an object for each chunk can take a hundred times the
// chunk's bytes.
import { placesOrders, type Endpoint } from '../endpoint/index.js';

/** Maximum size of most responses, bytes. The largest valid response, the list of markets, has some hundred kilobytes. */
export const defaultMaxResponseBytes = 8 * 2 ** 20;
/**
 * Maximum size of the response to an order, or to some orders, bytes. An order has less than 1 kB; a gateway's error may
 * be a page.
 */
const orderMaxBytes = 256 * 2 ** 10;
const minCapacity = 16 * 2 ** 10;

/** Maximum size of a response of the endpoint, bytes, both compressed and decompressed. */
export function maxResponseBytesOf({ maxResponseBytes, safety }: Endpoint): number {
  return maxResponseBytes ?? (placesOrders({ safety }) ? orderMaxBytes : defaultMaxResponseBytes);
}

/** A response exceeds its maximum size. Has a code, as errors of connections have. */
export class ResponseTooLarge extends Error {
  readonly code = 'ERR_BUFFER_TOO_LARGE';
}

export class ReceivedBody {
  readonly #maxBytes: number;
  readonly #hold: (bytes: number) => void;
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;

  /** @param hold counts the bytes in the response memory of a client, and throws when it is full */
  constructor(maxBytes: number, hold: (bytes: number) => void) {
    this.#maxBytes = maxBytes;
    this.#hold = hold;
  }

  /** Throws {@link ResponseTooLarge}, or the error of a full response memory. */
  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.byteLength;
    // Negated, so that a maximum of NaN from a user's endpoint rejects, too.
    if (!(length <= this.#maxBytes)) throw new ResponseTooLarge();
    this.#hold(chunk.byteLength);
    // Most bodies are one chunk, which is not copied.
    if (this.#length === 0) this.#bytes = chunk;
    else {
      if (length > this.#bytes.byteLength || this.#length === this.#bytes.byteLength) this.#grow(length);
      this.#bytes.set(chunk, this.#length);
    }
    this.#length = length;
  }

  /** The bytes received so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const capacity = Math.min(Math.max(2 * this.#bytes.byteLength, length, minCapacity), this.#maxBytes);
    const bytes = Buffer.allocUnsafe(capacity);
    bytes.set(this.bytes);
    this.#bytes = bytes;
  }
}
