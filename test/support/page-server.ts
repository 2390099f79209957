// A server of the trading page's files that sends what a test wants, as the dashboard's own server never would.
import { createServer, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { opened } from './ports.js';
import { respond, securityHeaders } from '../../src/cli/dashboard/guard.js';
import { pageFile } from '../../src/cli/dashboard/page-files.js';

export type PageServer = Awaited<ReturnType<typeof startPageServer>>;

/** Until the test is over. */
export async function startPageServer() {
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
        const reply = responses.get(pathname.slice(1)) ?? { kind: 'refused', reason: 'no plan' };
        respond(response, { status: 200, type: 'application/json', content: JSON.stringify(reply) });
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
        respond(response, file === undefined ? { status: 503, content: '' } : { status: 200, ...file });
      },
      () => response.destroy(),
    );
  });
  // As often as the dashboard sends: a page takes a feed that is silent for 3.5 s for a lost one.
  const beat = setInterval(() => {
    for (const stream of last === undefined ? [] : streams.keys()) stream.write(dataOf(last));
  }, 1000);
  const { port, close } = await opened(server);
  onTestFinished(async () => {
    clearInterval(beat);
    await close();
  });
  return {
    url: `http://127.0.0.1:${port}/`,
    /** Queries of the feeds that are open. */
    get feeds(): readonly string[] {
      return [...streams.values()];
    },
    /** Bodies of the requests to `plan` and `act`, as `plan {…}`. */
    posted,
    /** Sends a `data:` to every page, and to those that connect later until the next one. */
    send(update: unknown) {
      last = update;
      for (const stream of streams.keys()) stream.write(dataOf(update));
    },
    /** The responses to `POST plan` and `POST act` from now on. */
    respond: (to: 'plan' | 'act' | 'try', response: unknown) => responses.set(to, response),
    /** Pages that ask for a feed get HTTP 503. */
    reject(is: boolean) {
      isRejecting = is;
    },
    /** Sends nothing by itself any more. */
    beSilent() {
      clearInterval(beat);
    },
    cut() {
      for (const stream of streams.keys()) stream.destroy();
    },
  };
}
