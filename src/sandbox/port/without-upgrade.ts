// Requests that offer an upgrade which the sandbox does not take, such as to HTTP/2: served as ordinary requests, as the
// protocol says. A Node before 24.9 (22.21) hands every upgrade over with its connection, which begins again without the
// offer.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

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
