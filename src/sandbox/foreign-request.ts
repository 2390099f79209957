// Requests to a port of the sandbox that a web page makes: any page in a browser of this machine can send them, and
// none must disturb a test.
import type { IncomingHttpHeaders } from 'node:http';
import type { Unread } from './http/body.js';

/** Every name of this machine itself. A page whose own name was made to point here sends that name. */
const loopbackHost = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d+)?$/i;
/**
 * A program that is no browser, an address that a user types, and what a development server passes on of its own page.
 */
const ownSites: readonly unknown[] = [undefined, 'none', 'same-origin'];

const otherHost: Unread = {
  status: 403,
  message: 'the sandbox answers requests to 127.0.0.1 and localhost only, by their Host header',
};
const webPage: Unread = {
  status: 403,
  message:
    'the sandbox refuses requests of web pages. Allow the origin of yours with sandbox.listen({ allowedOrigins: ["http://localhost:5173"] }), ' +
    'or exchange-rx sandbox --allow-origin http://localhost:5173',
};

/**
 * Why a request that came to a port is refused, by its headers; `undefined` when a page of another site cannot have
 * sent it.
 */
export function refusalOfForeign(headers: IncomingHttpHeaders, allowedOrigins: readonly string[]): Unread | undefined {
  const { host = '', origin } = headers;
  if (!loopbackHost.test(host)) return otherHost;
  const isOwn = origin === undefined ? ownSites.includes(headers['sec-fetch-site']) : allowedOrigins.includes(origin);
  return isOwn ? undefined : webPage;
}
