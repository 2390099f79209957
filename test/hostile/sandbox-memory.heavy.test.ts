// The memory that programs of the same machine can make a served sandbox use. The sandbox runs in its own process,
// whose memory is measured.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { start, type Child } from '../support/children.js';
import { rawConnection, statusesIn } from '../support/raw-client.js';
import type { Memory, Served } from './served-sandbox.js';

const MiB = 2 ** 20;

let child: Child;
let port: number;
let before: Memory;
beforeEach(async () => {
  child = start(new URL('./served-sandbox.ts', import.meta.url), {});
  ({ port } = await child.ask<Served>());
  before = await child.ask<Memory>({});
});
afterEach(() => {
  child.process.disconnect();
});

/** Sends the piece until all bytes are sent or the connection is closed; resolves to the bytes received by then. */
async function pour(head: string, piece: string, bytes: number): Promise<string> {
  const connection = await rawConnection(port);
  const closed = new Promise((resolve) => connection.socket.once('close', resolve));
  connection.socket.write(head);
  for (let sent = 0; sent < bytes && !connection.socket.destroyed; sent += piece.length) {
    if (!connection.socket.write(piece))
      await Promise.race([new Promise((resolve) => connection.socket.once('drain', resolve)), closed]);
  }
  const received = connection.socket.destroyed ? connection.received() : await connection.until(/HTTP/);
  connection.socket.destroy();
  return received;
}

describe('a served sandbox', () => {
  it('keeps nothing of bodies of 600 MB, with or without a Content-Length', async () => {
    const bytes = 600_000_000;
    const post = 'POST /oauth2/refresh_token HTTP/1.1\r\nhost: 127.0.0.1\r\n';
    const piece = 'x'.repeat(2 ** 20);
    const received = [
      await pour(`${post}content-length: ${bytes}\r\n\r\n`, piece, bytes),
      await pour(`${post}transfer-encoding: chunked\r\n\r\n`, `100000\r\n${piece}\r\n`, bytes),
    ];
    expect(received.flatMap(statusesIn)).toEqual([413, 413]);
    const { peak, requests } = await child.ask<Memory>({});
    console.log(`two bodies of 600 MB: peak memory grew by ${Math.round((peak - before.peak) / MiB)} MiB`);
    expect(requests).toBe(2);
    expect(peak - before.peak).toBeLessThan(100 * MiB);
  });

  it('keeps little of paths of 12 KB', async () => {
    const count = 20_000;
    const connection = await rawConnection(port);
    let text = '';
    connection.socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    const long = 'x'.repeat(12_000);
    for (let sent = 0; sent < count; sent += 50) {
      text = '';
      const lines = Array.from(
        { length: 50 },
        (_, index) => `GET /${sent + index}/${long} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`,
      );
      connection.socket.write(lines.join(''));
      while (statusesIn(text).length < 50) await new Promise((resolve) => connection.socket.once('data', resolve));
    }
    connection.socket.destroy();
    const { used, requests } = await child.ask<Memory>({});
    console.log(`${count} paths of 12 KB: memory in use grew by ${Math.round((used - before.used) / MiB)} MiB`);
    expect(requests).toBe(count);
    expect(used - before.used).toBeLessThan(40 * MiB);
  });
});
