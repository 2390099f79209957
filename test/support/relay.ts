// A TCP relay on a free port of loopback: what connects to it reaches one server now, and another after a failover.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listening } from './ports.js';

export interface Relay {
  readonly port: number;
  /** New connections go to this port from now on; those that exist are cut. */
  switchTo(port: number): void;
  close(): Promise<void>;
}

export async function startRelay(target: number): Promise<Relay> {
  let targetPort = target;
  const sockets = new Set<Socket>();
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((incoming) => {
    const outgoing = connect(targetPort, '127.0.0.1');
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  return {
    port: await listening(server),
    switchTo(port) {
      targetPort = port;
      cut();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
