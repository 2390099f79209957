// Request bodies up to a maximum size. As at a gateway, the rest of a larger body is not read.

/** Maximum size of a request body, bytes; the requests of the exchange's API are far smaller. */
export const maxBodyBytes = 65_536;

export interface UnreadBody {
  readonly status: number;
  readonly message: string;
}

export const bodyTooLarge: UnreadBody = {
  status: 413,
  message: `the sandbox accepts request bodies of at most ${maxBodyBytes} bytes`,
};

export async function readBody(pieces: AsyncIterable<Uint8Array> | null): Promise<string | UnreadBody> {
  if (pieces === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maxBodyBytes) return bodyTooLarge;
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
