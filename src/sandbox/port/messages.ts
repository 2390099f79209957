// Reading a request of the port up to the maximum body size, and writing the responses that need the raw socket.
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TruncatedResponse } from '../faults/index.js';
import { bodyTooLarge, maxBodyBytes, readBody, type UnreadBody } from '../http/index.js';
import { rejectionOfPage } from './browser-request.js';

/** How long a client may read the rejection of its body: closing at once would lose the response. */
const lingerMs = 1000;

/** The complete body, or the reason why it is not read. Rejects when the connection is lost before. */
export async function receive(
  incoming: IncomingMessage,
  allowedOrigins: readonly string[],
): Promise<string | UnreadBody> {
  const { headers } = incoming;
  const rejection = rejectionOfPage(headers, allowedOrigins);
  if (rejection !== undefined) return rejection;
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) return bodyTooLarge;
  // The response to a body that is too large needs the connection.
  return readBody(incoming.iterator({ destroyOnReturn: false }));
}

/** Responds to a request whose body is not read, and closes the connection. */
export async function respondUnread(response: Response, outgoing: ServerResponse): Promise<Response> {
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
  return RESPONSE_ALREADY_SENT;
}

/** Announces the full length, sends the first half, and closes the connection, so that the client notices the loss. */
export function respondTruncated(
  { status, headers, firstHalf, fullLength }: TruncatedResponse,
  outgoing: ServerResponse,
): Response {
  outgoing.statusCode = status;
  outgoing.setHeaders(headers);
  outgoing.setHeader('content-length', fullLength);
  outgoing.write(firstHalf, () => {
    outgoing.destroy();
  });
  return RESPONSE_ALREADY_SENT;
}
