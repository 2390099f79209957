// A program that reads a response whose every byte is a chunk of its own, in a heap that cannot hold an object for
// each; prints its length.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import * as v from 'valibot';
import { createClient, defineEndpoint, type Fetch } from '../../src/index.js';

const text = defineEndpoint({
  name: 'text',
  method: 'GET',
  path: '/text',
  rateLimit: { name: 'text', limit: 10, windowMs: 1000 },
  authentication: 'none',
  safety: 'read',
  request: v.strictObject({}),
  response: v.string(),
});

const [, , transport, size] = process.argv;
/** Bytes of the body, quotes included. */
const length = Number(size);
const chunksAtOnce = 4096;

/** Chunks of HTTP, as many at once as the connection takes. */
function respond(socket: Socket): void {
  const piece = Buffer.from('1\r\na\r\n'.repeat(chunksAtOnce));
  let left = length - 2;
  const go = () => {
    while (left > 0) {
      const chunks = Math.min(left, chunksAtOnce);
      left -= chunks;
      if (!socket.write(piece.subarray(0, 6 * chunks))) return;
    }
    socket.off('drain', go);
    socket.end('1\r\n"\r\n0\r\n\r\n');
  };
  socket.on('drain', go);
  socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n"\r\n');
  go();
}

/** The same from a `fetch` of the user's own. */
const ownFetch: Fetch = () => {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(Buffer.from(at === 0 || at === length - 1 ? '"' : 'a'));
      at += 1;
      if (at === length) controller.close();
    },
  });
  return Promise.resolve(new Response(body));
};

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', () => {
    respond(socket);
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('no port');
const client = createClient({
  baseUrl: `http://127.0.0.1:${address.port}`,
  timeoutMs: 120_000,
  callTimeoutMs: 120_000,
  retry: false,
  ...(transport === 'own' ? { fetch: ownFetch } : {}),
});
client.call(text).subscribe((output) => {
  process.stdout.write(String(output.length + 2));
  process.exit();
});
