// The options of a client, and what is made of them. A client that cannot work is refused when it is made, not when it trades.
import type { Credentials } from './auth/index.js';
import { RequestError, type RequestIssue } from './errors.js';
import type { Fetch } from './http/index.js';
import { longestTimerMs } from './longest-timer.js';
import type { RetryOn503Options } from './operators/index.js';
import type { LimitOverrides, Scheduler } from './scheduler/index.js';

/** Options of a client. */
export interface SessionOptions {
  /** The base address, such as `https://exchange.example`. Plain http is accepted for loopback addresses only. */
  readonly baseUrl: string;
  /** The base address of the exchange's EU server: the same paths. */
  readonly baseUrlEu?: string;
  /** Which of the two addresses to use. Default `global`. */
  readonly region?: 'global' | 'eu';
  /** The key to sign private requests with. Public endpoints work without. */
  readonly credentials?: Credentials;
  /** How requests are sent. Default: the platform's `fetch`. The sandbox brings its own. */
  readonly fetch?: Fetch;
  /** Limits that replace the default ones, by group. Not together with `scheduler`. */
  readonly limits?: LimitOverrides;
  /** A scheduler to share with other clients behind the same address. Default: an own one. */
  readonly scheduler?: Scheduler;
  /**
   * How many requests may be on the wire at once, 1 or more; the next ones wait, the most urgent first. Default 256: at 100 ms an answer, 2560
   * requests a second.
   */
  readonly maxInFlight?: number;
  /** The longest an attempt may take, from sending to the end of the answer, milliseconds. Default 10000. */
  readonly timeoutMs?: number;
  /** How reads are repeated after HTTP 503. `false` does not repeat them. Default: 4 times, see {@link retryOn503}. */
  readonly retry?: Omit<RetryOn503Options, 'onRetry'> | false;
  /** The clock that nonces are made by, Unix ms. Default `Date.now`. The exchange accepts ±5 s. */
  readonly now?: () => number;
}

/** The base address that the options choose, without a trailing slash; throws {@link RequestError}. */
export function baseUrlOf({ baseUrl, baseUrlEu, region = 'global' }: SessionOptions): string {
  if (region === 'global') return checkedBaseUrl('baseUrl', baseUrl);
  if (baseUrlEu === undefined) throw refused('baseUrlEu', 'is required with region "eu"');
  return checkedBaseUrl('baseUrlEu', baseUrlEu);
}

/** Checks what is not an address; throws {@link RequestError}. */
export function checkOptions({ credentials, limits, scheduler, maxInFlight = 1, timeoutMs }: SessionOptions): void {
  if (credentials !== undefined) {
    if (!isHeaderText(credentials.apiKey)) throw refused('credentials.apiKey', 'must be a non-empty string of visible ASCII characters');
    if (typeof credentials.apiSecret !== 'string' || credentials.apiSecret === '') throw refused('credentials.apiSecret', 'must be a non-empty string');
  }
  if (limits !== undefined && scheduler !== undefined) throw refused('limits', 'belong to the scheduler when one is given');
  if (timeoutMs !== undefined) checkTimeout('createExchange', timeoutMs);
  if (!(maxInFlight >= 1)) throw refused('maxInFlight', `${maxInFlight} must be 1 or more`);
}

/** Checks the time-out of a client or of one call; throws {@link RequestError}. A bad one would end every attempt at once. */
export function checkTimeout(endpoint: string, timeoutMs: number): void {
  if (timeoutMs > 0 && timeoutMs <= longestTimerMs) return;
  throw new RequestError(endpoint, [{ field: 'timeoutMs', message: `${timeoutMs} must be above 0 and at most ${longestTimerMs}` }]);
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function checkedBaseUrl(field: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw refused(field, 'must be a URL such as "https://exchange.example"');
  if (url.username !== '' || url.password !== '') throw refused(field, 'must not hold a user name or password');
  if (url.search !== '' || url.hash !== '') throw refused(field, 'must not have a query or fragment');
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));
  if (!secure) throw refused(field, 'must be https (plain http is for loopback addresses only)');
  return url.href.replace(/\/+$/, '');
}

function isHeaderText(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

function refused(field: string, message: string): RequestError {
  const issue: RequestIssue = { field, message };
  return new RequestError('createExchange', [issue]);
}
