// Bodies of requests, up to a bound. One that is longer is refused without being read to its end, as a gateway does.

/** Bytes of the longest body that the sandbox takes: no request of the exchange's comes near. */
export const maxBodyBytes = 65_536;

/** Why a request is refused, although its body was not read. */
export interface Unread {
  readonly status: number;
  readonly message: string;
}

/** A body of more than {@link maxBodyBytes}. */
export const tooLong: Unread = { status: 413, message: `the sandbox takes a body of at most ${maxBodyBytes} bytes` };

/** Puts the pieces of a body together. As text: an object for each byte would take hundreds of times the memory. */
export class BodyText {
  #text = '';
  #bytes = 0;
  readonly #decoder = new TextDecoder();

  /** Adds a piece; false when the body is longer than {@link maxBodyBytes}. */
  add(piece: Uint8Array): boolean {
    this.#bytes += piece.length;
    if (this.#bytes > maxBodyBytes) return false;
    this.#text += this.#decoder.decode(piece, { stream: true });
    return true;
  }

  /** The whole body. */
  end(): string {
    return this.#text + this.#decoder.decode();
  }
}

/** The body of a request; {@link tooLong} when it is. The rest is not read then. */
export async function readBody({ body }: Request): Promise<string | Unread> {
  if (body === null) return '';
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const whole = new BodyText();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (whole.add(next.value)) continue;
    // Whether its source minds is not the caller's concern.
    reader.cancel().catch(() => undefined);
    return tooLong;
  }
  return whole.end();
}
