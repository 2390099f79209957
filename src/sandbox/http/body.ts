// Bodies of requests, up to a bound. One that is longer is refused without being read to its end, as a gateway does.

/** Bytes of the longest body that the sandbox takes: no request of the exchange's comes near. */
export const maxBodyBytes = 65_536;

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

/** The body of a request; `undefined` when it is longer than {@link maxBodyBytes}. The rest is not read then. */
export async function readBody({ body }: Request): Promise<string | undefined> {
  if (body === null) return '';
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const whole = new BodyText();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (whole.add(next.value)) continue;
    // Whether its source minds is not the caller's concern.
    reader.cancel().catch(() => undefined);
    return undefined;
  }
  return whole.end();
}
