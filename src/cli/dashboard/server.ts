// The dashboard's server: on loopback, for those who have its address. A page of another site, a name that someone else
// made point here, and a user of the machine who does not have the token are refused; nothing can be changed through
// it, and no secret ever reaches it.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { finalize, fromEvent, merge, takeUntil } from 'rxjs';
import type { Feed } from './feed.js';

/** A dashboard that is served. */
export interface DashboardServer {
  /** `http://127.0.0.1:PORT/TOKEN/`. Whoever has it can read the dashboard. */
  readonly url: string;
  close(): Promise<void>;
}

const tokenBytes = 16;
/** How soon a page that has lost its connection tries again. */
const reconnectAfterMs = 1000;
/** A history of the longest texts has 5 MB. */
const maxWaitingBytes = 8 * 1024 * 1024;
const maxStreams = 16;
const maxConnections = 64;
/** Browsers send the cookies of every other server on loopback, too. */
const maxHeadBytes = 16 * 1024;
const headTimeoutMs = 5000;
const checkConnectionsEveryMs = 1000;

const types = { html: 'text/html', css: 'text/css', js: 'text/javascript' } as const;

interface PageFile {
  readonly path: string;
  readonly type: string;
}

/** The built page: this module is in another file of the package once it is bundled. */
function pageFiles(): ReadonlyMap<string, PageFile> {
  const root = dirname(createRequire(import.meta.url).resolve('exchange-rx/package.json'));
  const page = (name: string) => join(root, 'dist/cli/dashboard/page', name);
  return new Map([
    ['/', { path: page('index.html'), type: types.html }],
    ['/style.css', { path: page('style.css'), type: types.css }],
    ['/uplot.css', { path: page('uplot.css'), type: types.css }],
    ['/page/main.js', { path: page('main.js'), type: types.js }],
  ]);
}

const policies = {
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

/**
 * Serves the feed on a port of 127.0.0.1; 0 takes a free one. Its address has a token of 128 bits, which is new each
 * time.
 */
export async function serveDashboard({ messages$ }: Pick<Feed, 'messages$'>, port: number): Promise<DashboardServer> {
  const token = randomBytes(tokenBytes).toString('hex');
  const digest = digestOf(token);
  const files = pageFiles();
  let streams = 0;

  const limits = {
    maxHeaderSize: maxHeadBytes,
    headersTimeout: headTimeoutMs,
    requestTimeout: headTimeoutMs,
    connectionsCheckingInterval: checkConnectionsEveryMs,
  };
  const server = createServer(limits, (request, response) => {
    const [, given = '', path = ''] = /^\/([^/?]*)(\/[^?]*)/.exec(request.url ?? '') ?? [];
    const refusal = refusalOf(request) ?? (timingSafeEqual(digestOf(given), digest) ? undefined : withoutToken);
    if (refusal !== undefined) {
      refuse(response, refusal);
    } else if (path === '/events') {
      stream(request, response);
    } else {
      sendFile(response, files.get(path)).catch(() => {
        refuse(response, { status: 500, text: 'The file could not be read.' });
      });
    }
  });

  function stream({ socket }: IncomingMessage, response: ServerResponse): void {
    if (streams >= maxStreams) {
      refuse(response, { status: 503, text: `${maxStreams} pages of this dashboard are open: close one.` });
      return;
    }
    streams += 1;
    response.writeHead(200, { ...policies, 'content-type': 'text/event-stream' });
    response.write(`retry: ${reconnectAfterMs}\nevent: hello\ndata:\n\n`);
    // A page never ends its half of the connection alone.
    const left$ = merge(fromEvent(socket, 'close'), fromEvent(socket, 'end'));
    const heard$ = messages$.pipe(
      takeUntil(left$),
      finalize(() => {
        streams -= 1;
        response.destroy();
      }),
    );
    heard$.subscribe({
      next: (message) => {
        response.write(Buffer.from(`data: ${JSON.stringify(message)}\n\n`));
        // A page that does not read is left: it comes back for the history.
        if (response.writableLength > maxWaitingBytes) response.destroy();
      },
      // The command, which follows the same messages, ends with it and reports it.
      error: () => undefined,
    });
  }

  // A connection has one request: nothing that is sent behind a stream opens another.
  server.maxRequestsPerSocket = 1;
  server.maxConnections = maxConnections;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // A connection that could not be accepted, for lack of descriptors, is lost; the next may not be.
  server.on('error', () => undefined);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the dashboard could not open a port');

  return {
    url: `http://127.0.0.1:${address.port}/${token}/`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Of the same length for every text, so that comparing two takes the same time. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

interface Refusal {
  readonly status: number;
  readonly text: string;
}

const withoutToken: Refusal = {
  status: 403,
  text: 'The address of this dashboard has a token: open the address that the command wrote.',
};

const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
/** The page itself, and a user who typed the address, followed it from another program, or reloads. */
const ownSites = new Set<unknown>([undefined, 'none', 'same-origin']);

/**
 * By its Host, a request was meant for this machine; by its Origin and Sec-Fetch-Site, it is this page's own or the
 * user's.
 */
function refusalOf({ method, headers }: IncomingMessage): Refusal | undefined {
  const { host = '', origin } = headers;
  if (method !== 'GET') return { status: 405, text: 'This dashboard can only be read.' };
  const isOwn =
    loopbackHost.test(host) &&
    (origin === undefined || origin === `http://${host}`) &&
    ownSites.has(headers['sec-fetch-site']);
  if (!isOwn)
    return {
      status: 403,
      text: 'This dashboard is for the machine it runs on. A link from another page does not open it: copy the address into a new tab.',
    };
  // A body that nobody reads would hide that its sender has left.
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  return hasBody ? { status: 400, text: 'A request to this dashboard has no body.' } : undefined;
}

function refuse(response: ServerResponse, { status, text }: Refusal): void {
  response.writeHead(status, {
    ...policies,
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 405 ? { allow: 'GET' } : {}),
  });
  response.end(text);
}

async function sendFile(response: ServerResponse, file: PageFile | undefined): Promise<void> {
  if (file === undefined) {
    refuse(response, { status: 404, text: 'This dashboard has no such page.' });
    return;
  }
  const content = await readFile(file.path);
  response.writeHead(200, { ...policies, 'content-type': `${file.type}; charset=utf-8` });
  response.end(content);
}
