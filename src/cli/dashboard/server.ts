// The dashboard's server: read-only, on loopback, for those who have its URL. It rejects web pages of other sites, DNS
// names that were pointed at this machine, and local users without the token. No secret reaches it.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { finalize, fromEvent, merge, takeUntil } from 'rxjs';
import type { Feed } from './feed.js';

export interface DashboardServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/TOKEN/`. Anyone who has this URL can read the dashboard. */
  readonly url: string;
  close(): Promise<void>;
}

const tokenBytes = 16;
/** Delay before a page that lost its connection reconnects. */
const reconnectAfterMs = 1000;
/** A page that lags further behind is disconnected. A history of the longest texts has 5 MB. */
const maxBufferedBytes = 8 * 1024 * 1024;
const maxPages = 16;
const maxConnections = 64;
/** Browsers send the cookies of every other server on loopback, too. */
const maxHeadBytes = 16 * 1024;
const headTimeoutMs = 5000;
const checkConnectionsEveryMs = 1000;

const contentTypes = { html: 'text/html', css: 'text/css', js: 'text/javascript' } as const;

interface PageFile {
  readonly path: string;
  readonly type: string;
}

/** The files of the built page. This module is in another file of the package once it is bundled. */
function pageFiles(): ReadonlyMap<string, PageFile> {
  const root = dirname(createRequire(import.meta.url).resolve('exchange-rx/package.json'));
  const page = (name: string) => join(root, 'dist/cli/dashboard/page', name);
  return new Map([
    ['/', { path: page('index.html'), type: contentTypes.html }],
    ['/style.css', { path: page('style.css'), type: contentTypes.css }],
    ['/uplot.css', { path: page('uplot.css'), type: contentTypes.css }],
    ['/page/main.js', { path: page('main.js'), type: contentTypes.js }],
  ]);
}

const securityHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
  connection: 'close',
} as const;

/** Serves the feed on a port of 127.0.0.1; 0 takes a free port. Each call makes a new token of 128 bits for the URL. */
export async function serveDashboard({ messages$ }: Pick<Feed, 'messages$'>, port: number): Promise<DashboardServer> {
  const token = randomBytes(tokenBytes).toString('hex');
  const digest = digestOf(token);
  const files = pageFiles();
  let openPages = 0;

  const limits = {
    maxHeaderSize: maxHeadBytes,
    headersTimeout: headTimeoutMs,
    requestTimeout: headTimeoutMs,
    connectionsCheckingInterval: checkConnectionsEveryMs,
  };
  const server = createServer(limits, (request, response) => {
    const [, given = '', path = ''] = /^\/([^/?]*)(\/[^?]*)/.exec(request.url ?? '') ?? [];
    const rejection = rejectionOf(request) ?? (timingSafeEqual(digestOf(given), digest) ? undefined : wrongToken);
    if (rejection !== undefined) {
      reject(response, rejection);
    } else if (path === '/events') {
      stream(request, response);
    } else {
      sendFile(response, files.get(path)).catch(() => {
        reject(response, { status: 500, text: 'The file of the page could not be read.' });
      });
    }
  });

  function stream({ socket }: IncomingMessage, response: ServerResponse): void {
    if (openPages >= maxPages) {
      reject(response, { status: 503, text: `${maxPages} pages of this dashboard are open: close one of them.` });
      return;
    }
    openPages += 1;
    response.writeHead(200, { ...securityHeaders, 'content-type': 'text/event-stream' });
    response.write(`retry: ${reconnectAfterMs}\nevent: hello\ndata:\n\n`);
    // A browser never half-closes the connection of a page.
    const disconnected$ = merge(fromEvent(socket, 'close'), fromEvent(socket, 'end'));
    const sent$ = messages$.pipe(
      takeUntil(disconnected$),
      finalize(() => {
        openPages -= 1;
        response.destroy();
      }),
    );
    sent$.subscribe({
      next: (message) => {
        response.write(Buffer.from(`data: ${JSON.stringify(message)}\n\n`));
        // A page that does not read is disconnected; it reconnects and receives the history.
        if (response.writableLength > maxBufferedBytes) response.destroy();
      },
      // The command subscribes to the same messages, and reports the error.
      error: () => undefined,
    });
  }

  // One request per connection: a pipelined request cannot open a second stream.
  server.maxRequestsPerSocket = 1;
  server.maxConnections = maxConnections;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // A connection that could not be accepted, for lack of file descriptors, is lost. The server goes on.
  server.on('error', () => undefined);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('dashboard: the server has no port');

  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${address.port}/${token}/`, close, [Symbol.asyncDispose]: close };
}

/** All digests have one length, so that a comparison takes the same time for every token. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

interface Rejection {
  readonly status: number;
  readonly text: string;
}

const wrongToken: Rejection = {
  status: 403,
  text: 'The URL of this dashboard contains a token: open the URL that the command printed.',
};

const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
/** Requests of the page itself, and of a user who typed the URL, opened it from another program, or reloads. */
const ownSites = new Set<unknown>([undefined, 'none', 'same-origin']);

/** Checks that the Host is this machine, and that Origin and Sec-Fetch-Site are of this page or of the user. */
function rejectionOf({ method, headers }: IncomingMessage): Rejection | undefined {
  const { host = '', origin } = headers;
  if (method !== 'GET') return { status: 405, text: 'This dashboard is read-only: use GET.' };
  const isOwn =
    loopbackHost.test(host) &&
    (origin === undefined || origin === `http://${host}`) &&
    ownSites.has(headers['sec-fetch-site']);
  if (!isOwn)
    return {
      status: 403,
      text: 'This dashboard serves only the machine that it runs on, and no link from another page: copy its URL into a new tab.',
    };
  // An unread body would hide that the client has disconnected.
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  return hasBody ? { status: 400, text: 'A request to this dashboard must not have a body.' } : undefined;
}

function reject(response: ServerResponse, { status, text }: Rejection): void {
  response.writeHead(status, {
    ...securityHeaders,
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 405 ? { allow: 'GET' } : {}),
  });
  response.end(text);
}

async function sendFile(response: ServerResponse, file: PageFile | undefined): Promise<void> {
  if (file === undefined) {
    reject(response, { status: 404, text: 'This dashboard has no page at this URL.' });
    return;
  }
  const content = await readFile(file.path);
  response.writeHead(200, { ...securityHeaders, 'content-type': `${file.type}; charset=utf-8` });
  response.end(content);
}
