// The body of a response while it arrives, in one growing buffer: an object for each chunk can take a hundred times the
// chunk's bytes.

const minCapacity = 16 * 2 ** 10;

/** A response exceeds its maximum size. Has a code, as errors of connections have. */
export class ResponseTooLarge extends Error {
  readonly code = 'ERR_BUFFER_TOO_LARGE';
}

export class ReceivedBody {
  readonly #maxBytes: number;
  #buffer: Uint8Array = new Uint8Array();
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Throws {@link ResponseTooLarge}. */
  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.byteLength;
    if (length > this.#maxBytes) throw new ResponseTooLarge();
    // Most bodies are one chunk, which is not copied.
    if (this.#length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.byteLength || this.#length === this.#buffer.byteLength) {
        const buffer = Buffer.allocUnsafe(Math.max(2 * this.#length, length, minCapacity));
        buffer.set(this.bytes);
        this.#buffer = buffer;
      }
      this.#buffer.set(chunk, this.#length);
    }
    this.#length = length;
  }

  /** The bytes received so far. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }
}
