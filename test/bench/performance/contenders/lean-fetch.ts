// A `fetch` on undici's dispatcher without the streams of the platform's: the baseline that a transport is measured
// against. It checks nothing, and bounds nothing but its connections.
import { Agent } from 'undici';

/** What the baseline needs of `fetch`. */
export type LeanFetch = (
  url: string,
  init: {
    readonly method: 'GET' | 'POST' | 'DELETE';
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

const utf8 = new TextDecoder();

/** A Response whose body has arrived. */
class BufferedResponse extends Response {
  override readonly text: () => Promise<string>;

  constructor(received: Uint8Array, status: number, headers: readonly (readonly [string, string])[]) {
    super(null, { status, headers: headers.map(([name, value]): [string, string] => [name, value]) });
    this.text = () => Promise.resolve(utf8.decode(received));
  }
}

export function leanFetch(connections: number): LeanFetch {
  const agent = new Agent({ connections, headersTimeout: 0, bodyTimeout: 0 });
  return (url, { method, headers, body, signal }) => {
    const { origin, pathname, search } = new URL(url);
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = [];
      let status = 0;
      let received: readonly (readonly [string, string])[] = [];
      let abortRequest: (() => void) | undefined;
      const end = () => {
        signal.removeEventListener('abort', abort);
      };
      const abort = () => {
        end();
        abortRequest?.();
        reject(new DOMException('This operation was aborted', 'AbortError'));
      };
      signal.addEventListener('abort', abort);
      agent.dispatch(
        { origin, path: pathname + search, method, headers, body: body ?? null },
        {
          onRequestStart(controller) {
            abortRequest = () => {
              controller.abort(new Error('aborted'));
            };
          },
          onResponseStart(_controller, statusCode, responseHeaders) {
            status = statusCode;
            received = Object.entries(responseHeaders).map(([name, value]) => [name, String(value)]);
          },
          onResponseData(_controller, chunk) {
            chunks.push(chunk);
          },
          onResponseEnd() {
            end();
            const [only] = chunks;
            const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
            resolve(new BufferedResponse(bytes, status, received));
          },
          onResponseError(_controller, error) {
            end();
            reject(error);
          },
        },
      );
    });
  };
}
