// What of fetch() a client needs, on a pool of undici's: connections are kept, bounded in number and in the time they take to be made,
// and nothing is followed, cached or sent twice.
import { Agent } from 'undici';
import type { Fetch } from './send.js';

export interface LeanFetchOptions {
  /** How many connections to one address. */
  readonly connections: number;
  /** The longest that making one may take, milliseconds. */
  readonly connectTimeoutMs: number;
}

/** Makes a `fetch`. Connections that nobody uses do not keep the process alive. */
export function leanFetch({ connections, connectTimeoutMs }: LeanFetchOptions): Fetch {
  // How long an answer may take is the attempt's business.
  const agent = new Agent({ connections, connect: { timeout: connectTimeoutMs }, headersTimeout: 0, bodyTimeout: 0 });
  return async (input, init) => {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init);
    const { origin, pathname, search } = new URL(request.url);
    const body = request.method === 'GET' ? null : await request.text();
    const answer = await agent.request({
      origin,
      path: pathname + search,
      method: request.method === 'GET' ? 'GET' : 'POST',
      headers: Object.fromEntries(request.headers),
      body,
      signal: request.signal,
    });
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) {
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, one);
    }
    const hasBody = ![204, 205, 304].includes(answer.statusCode);
    const text = await answer.body.text();
    return new Response(hasBody ? text : null, { status: answer.statusCode, headers });
  };
}
