// A server that is none: it takes whole requests and answers with any bytes, at any pace, in front of a sandbox that
// works.
import type { Sandbox } from 'exchange-rx/sandbox';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A request as it came. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RawServer {
  readonly baseUrl: string;
  readonly requests: readonly RawRequest[];
  /** How many connections were made so far. */
  readonly connections: () => number;
  /** Ends connections on which nothing is asked, as a server does that is restarted. */
  readonly closeIdle: () => void;
  readonly close: () => Promise<void>;
}

export type Answer = (socket: Socket, request: RawRequest) => Promise<void> | void;

/** Listens on a free port of loopback. */
export async function rawServer(answer: Answer): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: RawRequest[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let received = '';
    socket.on('data', (piece) => {
      received += piece.toString('latin1');
      for (let request = take(); request !== undefined; request = take()) {
        requests.push(request);
        Promise.resolve(answer(socket, request)).catch(() => socket.destroy());
      }
    });

    function take(): RawRequest | undefined {
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd === -1) return undefined;
      const [first = '', ...lines] = received.slice(0, headEnd).split('\r\n');
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
      );
      const bodyEnd = headEnd + 4 + Number(headers['content-length'] ?? 0);
      if (received.length < bodyEnd) return undefined;
      const [method = '', path = ''] = first.split(' ');
      const body = received.slice(headEnd + 4, bodyEnd);
      received = received.slice(bodyEnd);
      return { method, path, headers, body };
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    requests,
    connections: () => connections,
    closeIdle() {
      for (const socket of sockets) socket.end();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An answer in its bytes, with the length that it has unless the headers say another. */
export function bytesOf(
  body: string | Buffer,
  { status = '200 OK', headers = {} }: { status?: string; headers?: Readonly<Record<string, string>> } = {},
): Buffer {
  const bytes = Buffer.from(body);
  const isFramed = 'content-length' in headers || 'transfer-encoding' in headers;
  const all = { ...(isFramed ? {} : { 'content-length': String(bytes.length) }), ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${head.join('')}\r\n`, 'latin1'), bytes]);
}

/** What the sandbox answers. */
export async function askSandbox(
  { baseUrl, fetch }: Sandbox,
  { method, path, headers, body }: RawRequest,
): Promise<{ status: number; text: string }> {
  const response = await fetch(baseUrl + path, { method, headers, ...(body === '' ? {} : { body }) });
  return { status: response.status, text: await response.text() };
}

/** Answers as the sandbox does. */
export function fromSandbox(sandbox: Sandbox): Answer {
  return async (socket, request) => {
    const { status, text } = await askSandbox(sandbox, request);
    socket.write(bytesOf(text, { status: `${status} X` }));
  };
}
