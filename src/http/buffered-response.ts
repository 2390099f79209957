// A Response whose body has arrived. Reading a Response through its stream would be most of the cost of a small one.

/** Headers as undici gives them. */
export type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

const utf8 = new TextDecoder();

/** Decodes a body. Removes a byte order mark, and replaces invalid UTF-8 by U+FFFD. */
export function decodeUtf8(body: Uint8Array): string {
  return utf8.decode(body);
}

export class BufferedResponse extends Response {
  override readonly text: () => Promise<string>;

  constructor(
    /** The decompressed body. */
    readonly received: Uint8Array,
    status: number,
    headers: ReceivedHeaders,
  ) {
    super(null, { status, headers: toPairs(headers) });
    this.text = () => Promise.resolve(decodeUtf8(received));
  }
}

function toPairs(headers: ReceivedHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    return typeof value === 'string' ? [[name, value]] : value.map((one): [string, string] => [name, one]);
  });
}
