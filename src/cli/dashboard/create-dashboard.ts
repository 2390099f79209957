// createDashboard(): the trading page of a client. Routes, pages that are open, and what ends them.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  firstValueFrom,
  fromEvent,
  merge,
  ReplaySubject,
  Subscription,
  takeUntil,
  timeout,
  type Observable,
} from 'rxjs';
import * as v from 'valibot';
import { parse } from '../../errors/index.js';
import type { Exchange } from '../../exchange.js';
import { metricsContentType, observeMetrics, textMeter, type TextMeter } from '../../metrics/index.js';
import { Acting } from './acting.js';
import { dashboardOptions, type DashboardOptions } from './dashboard-options.js';
import { createGuard, isReply, newToken, readBody, respond, securityHeaders, type Reply } from './guard.js';
import type { ActResponse, PlanResponse } from './messages.js';
import { pageFile } from './page-files.js';
import { streamPage } from './page-stream.js';
import { pageText } from './page-text.js';
import { pageParts, type AboutServer } from './parts/page-parts.js';
import { sourcesOf } from './parts/sources.js';
import { viewOf } from './parts/view.js';
import { Witness } from './parts/witness.js';
import { actionSchema } from './plan.js';

/** A dashboard, made by {@link createDashboard}. */
export interface Dashboard extends AsyncDisposable {
  /** The path of the page, `/TOKEN/`. */
  readonly path: string;
  /** Number of pages that are open and visible. */
  readonly openPages: number;
  /**
   * Responds to a request of node:http: the page, its feed, `/TOKEN/health`, `/TOKEN/metrics`, `/TOKEN/try` and, with
   * `allowTrading`, its actions. A path prefix must be removed from `request.url` before.
   */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Serves the dashboard on a port of 127.0.0.1, and resolves to the URL of the page. 0 takes a free port. Rejects when the
   * port is in use; the dashboard is closed then.
   *
   * @default 0
   */
  listen(port?: number): Promise<string>;
  /** Ends all pages, all requests for them and the server. An action that has started goes on to its end. */
  close(): Promise<void>;
}

const maxPages = 16;
const maxConnections = 64;
const limits = {
  // Browsers send the cookies of every other server on loopback, too.
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5000,
  requestTimeout: 5000,
  connectionsCheckingInterval: 1000,
};
const reconnectAfterMs = 1000;
/** A ping fails after five seconds. */
const healthTimeoutMs = 8000;

/**
 * Makes the trading page of a client: candles, order book, trades, orders, positions, balances, health and limits, live,
 * each with its age. The page shows no key and no secret, and loads nothing from other servers.
 *
 * A page holds its subscriptions, which all pages share: the last one to leave ends them.
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createDashboard } from 'exchange-rx/dashboard';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * const dashboard = createDashboard(exchange, { playMoney: true });
 * console.log(await dashboard.listen());
 * await dashboard.close();
 * ```
 *
 * @throws {@link RequestError} for invalid options.
 */
export function createDashboard(exchange: Exchange, options: DashboardOptions = {}): Dashboard {
  const checked = parse('createDashboard', dashboardOptions, options);
  const { market = 'BTC_USDT', currency = 'USDT', allowTrading = false, hosts = [] } = checked;
  const { token = newToken(), record = false, playMoney = false } = checked;
  const { baseUrl, hasCredentials } = exchange;
  const check = createGuard(token, hosts, allowTrading);
  const witness = new Witness(exchange);
  const closed$ = new ReplaySubject<void>(1);
  const sources = sourcesOf(exchange, witness, closed$);
  const acting = new Acting(exchange, witness);
  const about: AboutServer = {
    exchange: playMoney ? 'sandbox' : new URL(baseUrl).hostname,
    ...{ baseUrl, sandbox: playMoney, tradingAllowed: allowTrading, account: hasCredentials },
  };
  const path = `/${token}/`;
  const pages = new Set<Subscription>();
  const servers: Server[] = [];
  const recording = new Subscription();
  let meter: TextMeter | undefined;
  let isClosed = false;

  /** A recording that fails must not end the program. */
  const keep = (source$: Observable<unknown>) => {
    const error = (failure: unknown) => {
      witness.add('error', `the recording ended: ${pageText(String(failure))}`);
    };
    recording.add(source$.subscribe({ error }));
  };
  if (record) keep(sources.latency$);
  if (record && hasCredentials) keep(sources.account(currency));

  const stream = (query: URLSearchParams, { socket }: IncomingMessage, response: ServerResponse) => {
    if (pages.size >= maxPages) {
      respond(response, { status: 503, content: `${maxPages} pages of this dashboard are open: close one of them.` });
      return;
    }
    response.writeHead(200, { ...securityHeaders, 'content-type': 'text/event-stream' });
    response.write(`retry: ${reconnectAfterMs}\nevent: hello\ndata:\n\n`);
    const view = viewOf(query, { market, currency });
    const page = streamPage(response, pageParts(sources, about, view, acting.acts$));
    pages.add(page);
    // A browser never half-closes the connection of a page.
    page.add(
      merge(fromEvent(socket, 'close'), fromEvent(socket, 'end')).subscribe(() => {
        page.unsubscribe();
      }),
    );
    page.add(() => pages.delete(page));
  };

  /** A closed dashboard reads no plan to its end, and begins no act by it. */
  const untilClosed = async (response$: Observable<PlanResponse | ActResponse>) => {
    const refused: PlanResponse = { kind: 'refused', reason: closedText };
    return json(200, await firstValueFrom(response$.pipe(takeUntil(closed$)), { defaultValue: refused }));
  };

  const act = async (name: string, request: IncomingMessage): Promise<Reply> => {
    if (name !== '/plan' && name !== '/act' && name !== '/try') return noPage;
    const read = await readBody(request);
    if (isReply(read)) return read;
    if (name === '/try') {
      const isEmpty = v.is(v.strictObject({}), read.body);
      return isEmpty ? json(200, sources.tryNow()) : { status: 400, content: 'The body is not {}.' };
    }
    if (name === '/plan') {
      const action = v.safeParse(actionSchema, read.body);
      if (!action.success) return { status: 400, content: 'The body is not an action.' };
      return untilClosed(acting.plan(action.output));
    }
    const confirmed = v.safeParse(v.strictObject({ planId: v.string() }), read.body);
    if (!confirmed.success) return { status: 400, content: 'The body is not { "planId": … }.' };
    return untilClosed(acting.act(confirmed.output.planId));
  };

  /** 200 while requests get responses, and 503 while they do not. */
  const health = async (): Promise<Reply> => {
    const seen = await firstValueFrom(sources.health$.pipe(timeout({ first: healthTimeoutMs }))).catch(() => undefined);
    if (seen === undefined) return json(503, { state: 'unknown' });
    const { state, since, reason, latency, successRatio } = seen.health;
    const { lastMs = null, p50Ms = null, p99Ms = null } = latency;
    const body = { state, since, reason: reason ?? null, at: seen.at, lastMs, p50Ms, p99Ms, successRatio };
    return json(state === 'down' ? 503 : 200, body);
  };

  /** Counted from the first request on: where nobody requests them, nothing runs. */
  const metrics = (): string => {
    if (meter === undefined) {
      meter = textMeter();
      recording.add(observeMetrics(exchange, meter));
    }
    return meter.text();
  };

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const allowed = check(request);
    if (isReply(allowed)) respond(response, allowed);
    else if (isClosed) respond(response, { status: 503, content: closedText });
    else if (request.method === 'POST') respondWith(response, act(allowed.path, request));
    else if (allowed.path === '/events') stream(allowed.query, request, response);
    else if (allowed.path === '/health') respondWith(response, health());
    else if (allowed.path === '/metrics')
      respond(response, { status: 200, type: metricsContentType, content: metrics() });
    else respondWith(response, fileOf(allowed.path));
  };

  const close = async (): Promise<void> => {
    isClosed = true;
    closed$.next();
    recording.unsubscribe();
    for (const page of pages) page.unsubscribe();
    witness.end();
    await Promise.all(
      servers.splice(0).map(async (server) => {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      }),
    );
  };

  const listen = async (port = 0): Promise<string> => {
    if (isClosed) throw new Error(`dashboard: ${closedText}`);
    const server = createServer(limits, handle);
    // One request per connection: a pipelined request cannot open a second stream.
    server.maxRequestsPerSocket = 1;
    server.maxConnections = maxConnections;
    server.listen(port, '127.0.0.1');
    await once(server, 'listening').catch(async (error: unknown) => {
      await close();
      throw error;
    });
    // A connection that could not be accepted, for lack of file descriptors, is lost. The server goes on.
    server.on('error', () => undefined);
    servers.push(server);
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('dashboard: the server has no port');
    return `http://127.0.0.1:${address.port}${path}`;
  };

  return {
    ...{ path, handle, listen, close, [Symbol.asyncDispose]: close },
    get openPages() {
      return pages.size;
    },
  };
}

const closedText = 'This dashboard is closed.';
const noPage: Reply = { status: 404, content: 'This dashboard has no page at this URL.' };

function json(status: number, body: unknown): Reply {
  return { status, type: 'application/json', content: JSON.stringify(body) };
}

async function fileOf(path: string): Promise<Reply> {
  const file = await pageFile(path).catch(() => undefined);
  return file === undefined ? noPage : { status: 200, ...file };
}

function respondWith(response: ServerResponse, reply: Promise<Reply>): void {
  reply.then(
    (result) => {
      respond(response, result);
    },
    () => {
      respond(response, { status: 500, content: 'The dashboard could not respond.' });
    },
  );
}
