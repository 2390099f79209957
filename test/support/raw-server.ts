// A raw TCP server that parses requests and responds with any bytes, at any pace, optionally from a sandbox.
import type { Sandbox } from 'exchange-rx/sandbox';
import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { opened } from './ports.js';

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type RawServer = Awaited<ReturnType<typeof rawServer>>;

export type Respond = (socket: Socket, request: RawRequest) => Promise<void> | void;

/** Listens on a free port of loopback. */
export async function rawServer(respond: Respond) {
  const requests: RawRequest[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    let received = '';
    socket.on('data', (piece) => {
      received += piece.toString('latin1');
      for (let request = take(); request !== undefined; request = take()) {
        requests.push(request);
        Promise.resolve(respond(socket, request)).catch(() => socket.destroy());
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
  });
  const { port, close } = await opened(server);
  /** `connections`: those so far. */
  return { baseUrl: `http://127.0.0.1:${port}`, requests, connections: () => connections, close };
}

/** The same, until the test is over. */
export async function serving(respond: Respond): Promise<RawServer> {
  const server = await rawServer(respond);
  onTestFinished(() => server.close());
  return server;
}

/** Listens on a free port of loopback, until the test is over, and returns the port. */
export async function portOf(server: Server, port = 0): Promise<number> {
  const { port: own, close } = await opened(server, port);
  onTestFinished(close);
  return own;
}

/** The bytes of a response. Adds its content-length unless the headers frame it. */
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

/** Responds to every request with these bytes. */
export function responding(...response: Parameters<typeof bytesOf>): Respond {
  return (socket) => void socket.write(bytesOf(...response));
}

export async function forwardToSandbox(
  { baseUrl, fetch }: Sandbox,
  { method, path, headers, body }: RawRequest,
): Promise<{ status: number; text: string }> {
  const response = await fetch(baseUrl + path, { method, headers, ...(body === '' ? {} : { body }) });
  return { status: response.status, text: await response.text() };
}

export function fromSandbox(sandbox: Sandbox): Respond {
  return async (socket, request) => {
    const { status, text } = await forwardToSandbox(sandbox, request);
    socket.write(bytesOf(text, { status: `${status} X` }));
  };
}
