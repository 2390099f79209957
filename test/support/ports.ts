// Ports of loopback.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** Listens on this port, by default a free one, and returns it. */
export async function listening(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Listens on this port, by default a free one, until it is closed: that cuts its connections. */
export async function opened(server: Server, port = 0) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: await listening(server, port),
    cut,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  server.close();
  await once(server, 'close');
  return port;
}
