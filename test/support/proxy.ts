// An HTTP proxy that opens tunnels.
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listening } from './ports.js';

export interface Proxy {
  /** Host and port. */
  readonly host: string;
  /** What its tunnels to each target were used for, if it can see it. */
  readonly used: () => readonly string[];
  readonly close: () => void;
}

/** @param user the user name and password that it requires; without one, it is open to all */
export async function openProxy(user?: string): Promise<Proxy> {
  const tunnels = new Set<string>();
  const sockets: Socket[] = [];
  const required = user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`;
  const proxy = createServer().on('connect', ({ url = '', headers }, socket: Socket) => {
    sockets.push(socket.on('error', () => undefined));
    if (headers['proxy-authorization'] !== required) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    socket.once('data', (bytes: Buffer) => {
      tunnels.add(`${/^upgrade: websocket/im.test(bytes.toString()) ? 'live' : 'requests'} to ${url}`);
    });
    const { hostname, port } = new URL(`http://${url}`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
  });
  return {
    host: `127.0.0.1:${await listening(proxy)}`,
    used: () => [...tunnels].sort(),
    close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}
