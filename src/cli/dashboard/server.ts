// The dashboard's server: on loopback, for this machine's browsers only. A page of another site, or a name that someone else made point here, is
// refused; nothing can be changed through it, and no secret ever reaches it.
import { serve } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { streamSSE } from 'hono/streaming';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Observable, takeUntil, takeWhile } from 'rxjs';
import { toAsyncIterable } from '../../operators/index.js';
import type { Feed } from './feed.js';

/** A dashboard that is served. */
export interface DashboardServer {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  close(): Promise<void>;
}

/** How soon a page that has lost its connection tries again. */
const reconnectAfterMs = 1000;
/** How many messages may wait for a page: some minutes of them. */
const mostWaiting = 500;

const types = { html: 'text/html', css: 'text/css', js: 'text/javascript' } as const;

/** The page's files, and those of the library that draws its charts. */
const files = (() => {
  const page = (name: string) => fileURLToPath(new URL(`page/${name}`, import.meta.url));
  const ours = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const library = (name: string) => createRequire(import.meta.url).resolve(`uplot/dist/${name}`);
  return new Map([
    ['/', { path: page('index.html'), type: types.html }],
    ['/style.css', { path: page('style.css'), type: types.css }],
    ['/uplot.css', { path: library('uPlot.min.css'), type: types.css }],
    ['/page/uplot.js', { path: library('uPlot.esm.js'), type: types.js }],
    ['/page/main.js', { path: page('main.js'), type: types.js }],
    ['/page/charts.js', { path: page('charts.js'), type: types.js }],
    ['/page/render.js', { path: page('render.js'), type: types.js }],
    ['/remember.js', { path: ours('remember.js'), type: types.js }],
  ]);
})();

/** Serves the feed on a port of 127.0.0.1; 0 takes a free one. */
export async function serveDashboard({ messages$ }: Pick<Feed, 'messages$'>, port: number): Promise<DashboardServer> {
  const app = new Hono();
  app.use(refuseStrangers, policies);
  app.get('/events', (context) =>
    streamSSE(context, async (stream) => {
      const left$ = new Observable<void>((subscriber) => {
        stream.onAbort(() => {
          subscriber.next();
        });
      });
      await stream.writeSSE({ event: 'hello', data: '', retry: reconnectAfterMs });
      let waiting = 0;
      const heard$ = messages$.pipe(
        takeUntil(left$),
        // A page that does not read is left: it comes back for the history.
        takeWhile(() => (waiting += 1) <= mostWaiting),
      );
      for await (const message of toAsyncIterable(heard$)) {
        await stream.writeSSE({ data: JSON.stringify(message) });
        waiting -= 1;
      }
    }),
  );
  for (const [address, { path, type }] of files) {
    app.get(address, async (context) => context.body(await readFile(path, 'utf8'), 200, { 'content-type': `${type}; charset=utf-8` }));
  }

  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port, overrideGlobalObjects: false });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the dashboard could not open a port');

  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** By its Host, a request was meant for this machine; by its Origin, it is this page's own. */
const refuseStrangers: MiddlewareHandler = async (context, next) => {
  const host = context.req.header('host') ?? '';
  const origin = context.req.header('origin');
  const isOwn = loopbackHost.test(host) && (origin === undefined || origin === `http://${host}`);
  if (!isOwn) return context.text('This dashboard is for the machine it runs on.', 403);
  return next();
};

const policies = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  referrerPolicy: 'no-referrer',
  crossOriginResourcePolicy: 'same-origin',
  crossOriginOpenerPolicy: 'same-origin',
  // It is plain http, on loopback.
  strictTransportSecurity: false,
});
