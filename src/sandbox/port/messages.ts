// Reading a request of the port up to the maximum body size, and writing the responses that need the raw socket.
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TruncatedResponse } from '../faults/index.js';
import { BodyText, bodyTooLarge, maxBodyBytes, type UnreadBody } from '../http/index.js';
import { rejectionOfPage } from './browser-request.js';

/** How long a client may read the rejection of its body: closing at once would lose the response. */
const lingerMs = 1000;

interface Incoming {
  readonly incoming: IncomingMessage;
  readonly allowedOrigins: readonly string[];
  /** Called with the number of bytes of each piece of the body. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Calls back with the complete body, or with the reason why the rest of the body is not read. Does not call back when
 * the connection is lost before.
 */
export function receive(
  { incoming, allowedOrigins, onBytes }: Incoming,
  then: (body: string | UnreadBody) => void,
): void {
  const { headers } = incoming;
  const rejection =
    rejectionOfPage(headers, allowedOrigins) ??
    (Number(headers['content-length'] ?? 0) > maxBodyBytes ? bodyTooLarge : undefined);
  if (rejection !== undefined) {
    then(rejection);
    return;
  }
  const text = new BodyText();
  const add = (piece: Uint8Array) => {
    onBytes(piece.length);
    if (text.add(piece)) return;
    incoming.off('data', add);
    incoming.pause();
    then(bodyTooLarge);
  };
  incoming.on('data', add);
  incoming.on('end', () => {
    then(text.end());
  });
  // An incomplete request has not arrived.
  incoming.on('error', () => undefined);
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
