// A network that cuts, stalls and corrupts what passes through it: a TCP proxy on loopback.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createRandom } from '../../src/sandbox/random.js';

export interface Proxy {
  readonly baseUrl: string;
  /** What it has done to the bytes so far. */
  readonly done: { cut: number; stalled: number; corrupted: number };
  close(): void;
}

export interface ProxyOptions {
  readonly seed: number;
  /** The share of pieces that something is done to, each way. */
  readonly rate: number;
  /** The longest stall, milliseconds. */
  readonly longestStallMs: number;
}

/** Opens a proxy before a server on a port of loopback. */
export async function openProxy(port: number, { seed, rate, longestStallMs }: ProxyOptions): Promise<Proxy> {
  const random = createRandom(seed);
  const done = { cut: 0, stalled: 0, corrupted: 0 };
  const sockets = new Set<Socket>();

  /** Passes pieces on, in their order. */
  const pass = (from: Socket, to: Socket) => {
    let before = Promise.resolve();
    from.on('data', (piece) => {
      const bytes = Buffer.from(piece);
      const fate = random() < rate ? random() : 1;
      before = before.then(async () => {
        if (fate < 0.4) {
          done.cut += 1;
          to.write(bytes.subarray(0, Math.floor(bytes.length * random())));
          from.destroy();
          to.destroy();
          return;
        }
        if (fate < 0.7) {
          done.stalled += 1;
          await new Promise((resolve) => setTimeout(resolve, random() * longestStallMs));
        } else if (fate < 1) {
          done.corrupted += 1;
          // No JSON and no header has such bytes: what is corrupted is seen to be.
          const at = Math.floor(bytes.length * random());
          bytes.fill(0x01, at, Math.min(at + 8, bytes.length));
        }
        if (!to.destroyed) to.write(bytes);
      });
    });
    from.on('close', () => to.destroy());
    from.on('error', () => to.destroy());
  };

  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    pass(client, upstream);
    pass(upstream, client);
  }).listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    done,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
