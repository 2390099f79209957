// A Response whose body has arrived: it is read without the streams that reading a Response takes, which would be most of what a small answer costs.

/** Headers as they came. */
export type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

const utf8 = new TextDecoder();

export class WholeResponse extends Response {
  override readonly text: () => Promise<string>;

  constructor(body: Uint8Array, status: number, headers: ReceivedHeaders) {
    super(null, { status, headers: pairsOf(headers) });
    this.text = () => Promise.resolve(utf8.decode(body));
  }
}

function pairsOf(headers: ReceivedHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    return typeof value === 'string' ? [[name, value]] : value.map((one): [string, string] => [name, one]);
  });
}
