// A Response whose body has arrived: it is read without the streams that reading a Response takes, which would be most
// of what a small answer costs.

/** Headers as they came. */
export type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

const utf8 = new TextDecoder();

/** A body as text. A byte order mark is left out, and what is no UTF-8 becomes U+FFFD. */
export function decodeUtf8(body: Uint8Array): string {
  return utf8.decode(body);
}

export class BufferedResponse extends Response {
  override readonly text: () => Promise<string>;

  constructor(
    /** The body as it came. */
    readonly received: Uint8Array,
    status: number,
    headers: ReceivedHeaders,
  ) {
    super(null, { status, headers: pairsOf(headers) });
    this.text = () => Promise.resolve(decodeUtf8(received));
  }
}

function pairsOf(headers: ReceivedHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    return typeof value === 'string' ? [[name, value]] : value.map((one): [string, string] => [name, one]);
  });
}
