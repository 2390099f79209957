// The body of a response while it arrives, in one growing buffer: an object for each chunk can take a hundred times the
// chunk's bytes.

const minCapacity = 16 * 2 ** 10;
/**
 * A buffer of at most this size, bytes, is not counted: large lists must never cost an order its response. It is the
 * maximum of a response to an order; 288 such buffers, the default number in flight, have 72 MiB together.
 */
const maxUncountedBytes = 256 * 2 ** 10;
/**
 * Maximum of all larger buffers of one transport, bytes. 256 lists of all markets, the default number in flight, take
 * 128 MiB; 256 responses of the maximum size would take 2 GiB.
 */
const maxCountedBytes = 256 * 2 ** 20;

/** The larger buffers of one transport. */
export class LargeBuffers {
  readonly maxBytes: number;
  bytes = 0;

  constructor(maxBytes = maxCountedBytes) {
    this.maxBytes = maxBytes;
  }
}

/** A response exceeds its maximum size. Has a code, as errors of connections have. */
export class ResponseTooLarge extends Error {
  readonly code = 'ERR_BUFFER_TOO_LARGE';
}

/** The buffers of all responses exceed their maximum. Has a code, as errors of connections have. */
export class TooManyLargeResponses extends Error {
  readonly code = 'ERR_TOO_MANY_LARGE_RESPONSES';
}

export class ReceivedBody {
  readonly #maxBytes: number;
  readonly #large: LargeBuffers;
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;
  /** The part of this buffer in the bytes of all. */
  #counted = 0;

  constructor(maxBytes: number, large: LargeBuffers) {
    this.#maxBytes = maxBytes;
    this.#large = large;
  }

  /** Throws {@link ResponseTooLarge} or {@link TooManyLargeResponses}. */
  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.byteLength;
    if (length > this.#maxBytes) throw new ResponseTooLarge();
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

  /** Ends the response, however it ended: its buffer no longer counts. */
  release(): void {
    this.#count(0);
  }

  #grow(length: number): void {
    const capacity = Math.min(Math.max(2 * this.#bytes.byteLength, length, minCapacity), this.#maxBytes);
    if (capacity > maxUncountedBytes) this.#count(capacity);
    const bytes = Buffer.allocUnsafe(capacity);
    bytes.set(this.bytes);
    this.#bytes = bytes;
  }

  #count(capacity: number): void {
    const total = this.#large.bytes + capacity - this.#counted;
    if (total > this.#large.maxBytes) throw new TooManyLargeResponses();
    this.#large.bytes = total;
    this.#counted = capacity;
  }
}
