// One request over HTTP, by ky. Everything that could send it a second time is off: ky's retries, and redirects.
import ky from 'ky';

/** The `fetch` that requests are sent with: the platform's, the sandbox's, or your own. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A request, ready for the wire. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer, whole. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends a request and reads its answer to the end. Rejects as `fetch` does. */
export type Send = (request: WireRequest, signal: AbortSignal) => Promise<WireAnswer>;

/** Prepares sending with a `fetch`. */
export function createSend(fetch: Fetch): Send {
  const client = ky.create({ fetch, retry: 0, timeout: false, throwHttpErrors: false, redirect: 'manual' });
  return async ({ url, ...request }, signal) => {
    const response = await client(url, { ...request, signal });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
}
