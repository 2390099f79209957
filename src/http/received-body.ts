// The body of a response while it arrives, in one growing buffer: an object for each chunk can take a hundred times the
// chunk's bytes.

const minCapacity = 16 * 2 ** 10;
/** Maximum of a buffer that does not count, that of the response to an order: lists never cost an order its response. */
const maxUncountedBytes = 256 * 2 ** 10;
/** 256 lists of all markets, the default `maxInFlight`, take 128 MiB; responses of the maximum size would take 2 GiB. */
const maxLargeBytes = 256 * 2 ** 20;

/** The buffers above 256 KiB of one transport. */
export interface LargeBuffers {
  bytes: number;
}

/** A response exceeds its maximum size, or all of them theirs. Has a code, as errors of connections have. */
export class ResponseTooLarge extends Error {
  constructor(readonly code = 'ERR_BUFFER_TOO_LARGE') {
    super();
  }
}

export class ReceivedBody {
  readonly #maxBytes: number;
  readonly #large: LargeBuffers;
  /** The bytes of this buffer that count. */
  #counted = 0;
  #buffer: Uint8Array = new Uint8Array();
  #length = 0;

  constructor(maxBytes: number, large: LargeBuffers) {
    this.#maxBytes = maxBytes;
    this.#large = large;
  }

  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.byteLength;
    if (length > this.#maxBytes) throw new ResponseTooLarge();
    // Most bodies are one chunk, which is not copied.
    if (this.#length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.byteLength || this.#length === this.#buffer.byteLength) {
        const capacity = Math.min(Math.max(2 * this.#length, length, minCapacity), this.#maxBytes);
        if (capacity > maxUncountedBytes) this.#count(capacity);
        const buffer = Buffer.allocUnsafe(capacity);
        buffer.set(this.bytes);
        this.#buffer = buffer;
      }
      this.#buffer.set(chunk, this.#length);
    }
    this.#length = length;
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** The response ended, in any way: its buffer does not count any more. */
  release(): void {
    this.#count(0);
  }

  #count(capacity: number): void {
    const bytes = this.#large.bytes + capacity - this.#counted;
    if (bytes > maxLargeBytes) throw new ResponseTooLarge('ERR_TOO_MANY_LARGE_RESPONSES');
    this.#large.bytes = bytes;
    this.#counted = capacity;
  }
}
