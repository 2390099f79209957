// A client of the real-time interface that sends any frames, and reads when it likes.
import { createHash } from 'node:crypto';
import { rawConnection, type RawConnection } from './raw-client.js';

/** A connection whose upgrade was requested. */
export interface RawWebSocket extends RawConnection {
  /** The key that the response must have. */
  readonly accept: string;
}

/** Requests an upgrade, with these bytes at once after it. */
export async function rawWebSocket(port: number, first: Buffer = Buffer.alloc(0)): Promise<RawWebSocket> {
  const connection = await rawConnection(port);
  const key = Buffer.alloc(16).toString('base64');
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const head = ['GET /ws HTTP/1.1', 'host: 127.0.0.1', 'connection: upgrade', 'upgrade: websocket'];
  const upgrade = [...head, 'sec-websocket-version: 13', `sec-websocket-key: ${key}`, '', ''].join('\r\n');
  connection.socket.write(Buffer.concat([Buffer.from(upgrade), first]));
  return { ...connection, accept };
}

/** A frame of at most 125 bytes with a mask of zeros; a text frame unless another first byte is given. */
export function clientFrame(text: string, firstByte = 0x81): Buffer {
  return Buffer.concat([Buffer.from([firstByte, 0x80 + text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}
