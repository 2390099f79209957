// A client that sends any bytes to a port, and reads what comes back.
import { once } from 'node:events';
import { connect } from 'node:net';

export async function rawConnection(port: number) {
  // It goes on writing when the server has said that it writes nothing more.
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.on('data', (piece) => {
    text += piece.toString('latin1');
  });
  // A reset ends a connection, too.
  socket.on('error', () => socket.destroy());
  const ended = new Promise<string>((resolve) => {
    for (const event of ['end', 'close']) {
      socket.once(event, () => {
        resolve(text);
      });
    }
  });
  await once(socket, 'connect');
  return {
    socket,
    /** Everything that was received so far, as Latin-1. */
    received: () => text,
    /** Resolves when the connection has ended, to everything that was received. */
    ended,
    /** Resolves once this was received, or the connection has ended; to everything that was received. */
    until(expected: RegExp): Promise<string> {
      const seen = new Promise<string>((resolve) => {
        const look = () => {
          if (!expected.test(text)) return;
          socket.off('data', look);
          resolve(text);
        };
        socket.on('data', look);
        look();
      });
      return Promise.race([seen, ended]);
    },
  };
}

/**
 * Sends these bytes on a connection of their own; resolves to the first response, or to all that came before the
 * connection ended.
 */
export async function exchangeBytes(port: number, bytes: string): Promise<string> {
  const connection = await rawConnection(port);
  connection.socket.write(bytes, 'latin1');
  const received = await connection.until(/\r\n\r\n/);
  connection.socket.destroy();
  return received;
}

export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}
