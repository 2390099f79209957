// Requests that web pages send to the sandbox's port. Any page in a browser of this machine can send them, and none may
// disturb a test.
import type { IncomingHttpHeaders } from 'node:http';
import type { UnreadBody } from '../http/index.js';

/** Every name of this machine. A page whose own domain resolves to 127.0.0.1 (DNS rebinding) sends its domain. */
const loopbackHost = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d+)?$/i;
/**
 * A program that is not a browser, an address typed by the user, and what a development server forwards of its page.
 */
const trustedSites: readonly unknown[] = [undefined, 'none', 'same-origin'];

const otherHost: UnreadBody = {
  status: 403,
  message: 'the sandbox accepts only requests whose Host header is 127.0.0.1, localhost or [::1]',
};
const otherOrigin: UnreadBody = {
  status: 403,
  message:
    'the sandbox rejects requests from web pages. Allow the origin of your page with ' +
    'sandbox.listen({ allowedOrigins: ["http://localhost:5173"] }), ' +
    'or exchange-rx sandbox --allow-origin http://localhost:5173',
};

/** Why a request to the port is rejected by its headers; `undefined` when no page of another site can have sent it. */
export function rejectionOfPage(
  headers: IncomingHttpHeaders,
  allowedOrigins: readonly string[],
): UnreadBody | undefined {
  const { host = '', origin } = headers;
  if (!loopbackHost.test(host)) return otherHost;
  const isTrusted =
    origin === undefined ? trustedSites.includes(headers['sec-fetch-site']) : allowedOrigins.includes(origin);
  return isTrusted ? undefined : otherOrigin;
}
