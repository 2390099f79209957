// A server of the trading page's files that sends what a test wants, as the dashboard's own server never would.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { listening } from './ports.js';
import { securityHeaders } from '../../src/cli/dashboard/guard.js';
import { pageFile } from '../../src/cli/dashboard/page-files.js';

export interface PageServer {
  readonly url: string;
  /** Queries of the feeds that are open. */
  readonly feeds: readonly string[];
  /** Bodies of the requests to `plan` and `act`, as `plan {…}`. */
  readonly posted: readonly string[];
  /** Sends a `data:` to every page, and to those that connect later until the next one. */
  send(update: unknown): void;
  /** The responses to `POST plan` and `POST act` from now on. */
  respond(to: 'plan' | 'act' | 'try', response: unknown): void;
  /** Pages that ask for a feed get HTTP 503. */
  reject(isRejecting: boolean): void;
  cut(): void;
  close(): Promise<void>;
}

export async function startPageServer(): Promise<PageServer> {
  const streams = new Map<ServerResponse, string>();
  const posted: string[] = [];
  const responses = new Map<string, unknown>();
  let last: unknown;
  let isRejecting = false;
  const dataOf = (update: unknown) => `data: ${JSON.stringify(update)}\n\n`;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method === 'POST') {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        posted.push(`${pathname.slice(1)} ${body}`);
        response.writeHead(200, { ...securityHeaders, 'content-type': 'application/json' });
        response.end(JSON.stringify(responses.get(pathname.slice(1)) ?? { kind: 'refused', reason: 'no plan' }));
      });
      return;
    }
    if (pathname === '/events' && !isRejecting) {
      response.writeHead(200, { ...securityHeaders, 'content-type': 'text/event-stream' });
      response.write('retry: 300\nevent: hello\ndata:\n\n');
      if (last !== undefined) response.write(dataOf(last));
      streams.set(response, searchParams.toString());
      response.on('close', () => streams.delete(response));
      return;
    }
    pageFile(pathname).then(
      (file) => {
        response.writeHead(file === undefined ? 503 : 200, {
          ...securityHeaders,
          'content-type': file?.type ?? 'text/plain',
        });
        response.end(file?.content);
      },
      (error: unknown) => {
        response.destroy(error instanceof Error ? error : undefined);
      },
    );
  });
  return {
    url: `http://127.0.0.1:${await listening(server)}/`,
    get feeds() {
      return [...streams.values()];
    },
    posted,
    send(update) {
      last = update;
      for (const stream of streams.keys()) stream.write(dataOf(update));
    },
    respond: (to, response) => responses.set(to, response),
    reject(is) {
      isRejecting = is;
    },
    cut() {
      for (const stream of streams.keys()) stream.destroy();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
