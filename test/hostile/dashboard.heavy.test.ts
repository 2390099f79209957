// Connections to the dashboard that never send a complete request.
import { once } from 'node:events';
import { connect } from 'node:net';
import { NEVER } from 'rxjs';
import { expect, it } from 'vitest';
import { serveDashboard } from '../../src/cli/dashboard/server.js';

it('closes connections without a complete request after 5 s, and serves the page again', async () => {
  const server = await serveDashboard({ messages$: NEVER }, 0);
  const { port, pathname } = new URL(server.url);
  const sockets = Array.from({ length: 64 }, (_, index) => {
    const socket = connect(Number(port), '127.0.0.1');
    if (index % 2 === 0) socket.write(`GET ${pathname} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: `);
    socket.on('error', () => undefined).resume();
    return socket;
  });
  const drips = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x');
  }, 200);
  await Promise.all(sockets.map((socket) => once(socket, 'close')));
  clearInterval(drips);
  expect((await fetch(new URL('style.css', server.url))).status).toBe(200);
  await server.close();
}, 30_000);
