// Request bodies up to a maximum size. As at a gateway, the rest of a larger body is not read.

/** Maximum size of a request body, bytes; the requests of the exchange's API are far smaller. */
export const maxBodyBytes = 65_536;

/** The rejection of a request whose body was not read. */
export interface UnreadBody {
  readonly status: number;
  readonly message: string;
}

/** The rejection of a body of more than {@link maxBodyBytes}. */
export const bodyTooLarge: UnreadBody = {
  status: 413,
  message: `the sandbox accepts request bodies of at most ${maxBodyBytes} bytes`,
};

/** Joins the pieces of a body as text, because one-byte pieces kept as objects take hundreds of times the memory. */
export class BodyText {
  #text = '';
  #bytes = 0;
  readonly #decoder = new TextDecoder();

  /** Adds a piece; false when the body is larger than {@link maxBodyBytes}. */
  add(piece: Uint8Array): boolean {
    this.#bytes += piece.length;
    if (this.#bytes > maxBodyBytes) return false;
    this.#text += this.#decoder.decode(piece, { stream: true });
    return true;
  }

  /** The complete body. */
  end(): string {
    return this.#text + this.#decoder.decode();
  }
}

/** Reads the body of a request; {@link bodyTooLarge} when it is, and the rest is not read. */
export async function readBody({ body }: Request): Promise<string | UnreadBody> {
  if (body === null) return '';
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const text = new BodyText();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (text.add(next.value)) continue;
    // A failure of the stream's source does not concern the caller.
    reader.cancel().catch(() => undefined);
    return bodyTooLarge;
  }
  return text.end();
}
