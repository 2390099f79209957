// Requests of the port, upgrades that are not taken, and the responses that need the raw socket.
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TruncatedResponse } from '../faults/index.js';
import { bodyTooLarge, maxBodyBytes, readBody, type UnreadBody } from '../http/index.js';
import type { Duplex } from 'node:stream';

/** How long a client may read the rejection of its body: closing at once would lose the response. */
const lingerMs = 1000;

export function targetOf({ url = '' }: IncomingMessage): string | undefined {
  const target = url.startsWith('/') ? `http://127.0.0.1${url}` : url;
  return /^https?:/.test(target) && URL.canParse(target) ? target : undefined;
}

export function headersOf({ headers }: IncomingMessage): Headers {
  return new Headers(Object.entries(headers).map(([name, value = '']) => [name, String(value)]));
}

/** The complete body, or the reason why it is not read. Rejects when the connection is lost before. */
export async function receive(incoming: IncomingMessage, allowedOrigins: readonly string[]) {
  const { headers } = incoming;
  const rejection = rejectionOfPage(headers, allowedOrigins);
  if (rejection !== undefined) return rejection;
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) return bodyTooLarge;
  // The response to a body that is too large needs the connection.
  return readBody(incoming.iterator({ destroyOnReturn: false }));
}

export async function respondUnread(response: Response, outgoing: ServerResponse): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.setHeaders(response.headers);
  outgoing.writeHead(response.status, { 'content-length': body.length, connection: 'close' });
  // Without a body (HEAD), nothing else sends the headers.
  outgoing.flushHeaders();
  // Not `end()`: Node would then read the rest of the request.
  outgoing.write(body, () => {
    outgoing.socket?.end();
  });
  const timer = setTimeout(() => {
    outgoing.destroy();
  }, lingerMs);
  outgoing.once('close', () => {
    clearTimeout(timer);
  });
}

/** Announces the full length, sends the first half, and closes the connection, so that the client notices the loss. */
export function respondTruncated(
  { status, headers, firstHalf, fullLength }: TruncatedResponse,
  outgoing: ServerResponse,
): void {
  outgoing.statusCode = status;
  outgoing.setHeaders(headers);
  outgoing.setHeader('content-length', fullLength);
  outgoing.write(firstHalf, () => {
    outgoing.destroy();
  });
}

/** Every name of this machine. A page whose own domain resolves to 127.0.0.1 (DNS rebinding) sends its domain. */
const loopbackHost = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d+)?$/i;
/** Of a program that is no browser, a typed address, and a page that a development server forwards. */
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

export function rejectionOfPage(headers: IncomingHttpHeaders, allowedOrigins: readonly string[]) {
  const { host = '', origin } = headers;
  if (!loopbackHost.test(host)) return otherHost;
  const isTrusted =
    origin === undefined ? trustedSites.includes(headers['sec-fetch-site']) : allowedOrigins.includes(origin);
  return isTrusted ? undefined : otherOrigin;
}

const headersOfOffer = /^(?:upgrade|connection|http2-settings)$/i;

export function serveWithoutUpgrade(
  server: Server,
  { method = '', url = '', rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (const [index, name] of rawHeaders.entries()) {
    if (index % 2 === 0 && !headersOfOffer.test(name)) lines.push(`${name}: ${rawHeaders[index + 1] ?? ''}`);
  }
  lines.push('connection: close', '', '');
  socket.unshift(Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), head]));
  server.emit('connection', socket);
}
