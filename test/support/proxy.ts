// An HTTP proxy that opens tunnels.
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { opened } from './ports.js';

/** @param user the user name and password that it requires; without one, it is open to all */
export async function openProxy(user?: string) {
  const tunnels = new Set<string>();
  const required = user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`;
  const proxy = createServer().on('connect', ({ url = '', headers }, socket: Socket) => {
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
  const { port, close } = await opened(proxy);
  /** `used`: what its tunnels to each target were used for, if it can see it. */
  return { host: `127.0.0.1:${port}`, used: () => [...tunnels].sort(), close };
}
