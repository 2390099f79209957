// A network that cuts, stalls and corrupts what passes through it: a TCP proxy on loopback.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Proxy {
  readonly baseUrl: string;
  /** What it has done to the bytes so far. */
  readonly done: { cut: number; stalled: number; corrupted: number };
  close(): void;
}

export interface ProxyOptions {
  /** Returns numbers from 0 to 1. */
  readonly random: () => number;
  /** The share of pieces that something is done to, each way. */
  readonly rate: number;
  /** The longest stall, milliseconds. */
  readonly maxStallMs: number;
}

/**
 * Corrupts some bytes from a place on. No JSON and no header has such bytes: what is corrupted is seen to be, and no
 * number becomes another one, as `broken-network.heavy.test.ts` shows for each byte.
 */
export function corrupt(bytes: Buffer, at: number): void {
  bytes.subarray(Math.max(at, 0), Math.max(at + corruptedBytes, 0)).fill(0x01);
}

/** How many bytes are corrupted at a time, at most. */
const corruptedBytes = 8;

/** Opens a proxy before a server on a port of loopback. */
export async function openProxy(port: number, { random, rate, maxStallMs }: ProxyOptions): Promise<Proxy> {
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
          await new Promise((resolve) => setTimeout(resolve, random() * maxStallMs));
        } else if (fate < 1) {
          done.corrupted += 1;
          corrupt(bytes, Math.floor(bytes.length * random()));
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
