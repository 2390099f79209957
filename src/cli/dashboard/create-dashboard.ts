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
import { Guard, isRejection, newToken, readBody, reject, respond, securityHeaders, type Rejection } from './guard.js';
import type { PlanResponse } from './messages.js';
import { pageFile } from './page-files.js';
import { PageStream } from './page-stream.js';
import { pageText } from './page-text.js';
import { pageParts, type AboutServer } from './parts/page-parts.js';
import { sourcesOf, type Sources } from './parts/sources.js';
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
   * Responds to a request of node:http: the page, its feed, `/TOKEN/health`, `/TOKEN/metrics` and, with `allowTrading`, its
   * actions. A path prefix must be removed from `request.url` before.
   */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Serves the dashboard on a port of 127.0.0.1, and resolves to the URL of the page. 0 takes a free port. Rejects when the
   * port is in use; the dashboard is closed then.
   *
   * @default 0
   */
  listen(port?: number): Promise<string>;
  /** Ends all pages, all requests for them and the server. An action that has begun goes on to its end. */
  close(): Promise<void>;
}

const maxPages = 16;
const maxConnections = 64;
/** Browsers send the cookies of every other server on loopback, too. */
const maxHeadBytes = 16 * 1024;
const headTimeoutMs = 5000;
const checkConnectionsEveryMs = 1000;
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
  return new ExchangeDashboard(exchange, parse('createDashboard', dashboardOptions, options));
}

class ExchangeDashboard implements Dashboard {
  readonly path: string;
  readonly #exchange: Exchange;
  readonly #guard: Guard;
  readonly #sources: Sources;
  readonly #witness: Witness;
  readonly #acting: Acting;
  readonly #about: AboutServer;
  readonly #fallback: { readonly market: string; readonly currency: string };
  readonly #pages = new Set<Subscription>();
  readonly #recording = new Subscription();
  #meter: TextMeter | undefined;
  #isClosed = false;
  readonly #closed = new ReplaySubject<void>(1);
  readonly #servers: Server[] = [];

  constructor(exchange: Exchange, options: DashboardOptions) {
    const { market = 'BTC_USDT', currency = 'USDT', allowTrading = false, hosts = [] } = options;
    const { token = newToken(), record = false, playMoney = false } = options;
    const { baseUrl, hasCredentials } = exchange;
    this.path = `/${token}/`;
    this.#exchange = exchange;
    this.#guard = new Guard({ token, hosts: new Set(hosts.map((host) => host.toLowerCase())), allowTrading });
    this.#witness = new Witness(exchange);
    this.#sources = sourcesOf({
      exchange,
      hasAccount: hasCredentials,
      witness: this.#witness,
      closed$: this.#closed,
    });
    this.#acting = new Acting(exchange, this.#witness);
    this.#fallback = { market, currency };
    this.#about = {
      exchange: playMoney ? 'sandbox' : new URL(baseUrl).hostname,
      ...{ baseUrl, sandbox: playMoney, tradingAllowed: allowTrading, account: hasCredentials },
    };
    if (!record) return;
    this.#keep(this.#sources.latency$);
    if (hasCredentials) this.#keep(this.#sources.account(currency));
  }

  get openPages(): number {
    return this.#pages.size;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const checked = this.#guard.check(request);
    if (isRejection(checked)) {
      reject(response, checked);
      return;
    }
    if (this.#isClosed) {
      reject(response, { status: 503, text: closedText });
      return;
    }
    const { path, query } = checked;
    if (request.method === 'POST') this.#respond(response, this.#act(path, request));
    else if (path === '/events') this.#stream(query, request, response);
    else if (path === '/health') this.#respond(response, this.#health());
    else if (path === '/metrics') respond(response, 200, metricsContentType, this.#metrics());
    else this.#respond(response, this.#file(path));
  }

  async listen(port = 0): Promise<string> {
    if (this.#isClosed) throw new Error(`dashboard: ${closedText}`);
    const limits = {
      maxHeaderSize: maxHeadBytes,
      headersTimeout: headTimeoutMs,
      requestTimeout: headTimeoutMs,
      connectionsCheckingInterval: checkConnectionsEveryMs,
    };
    const server = createServer(limits, (request, response) => {
      this.handle(request, response);
    });
    // One request per connection: a pipelined request cannot open a second stream.
    server.maxRequestsPerSocket = 1;
    server.maxConnections = maxConnections;
    server.listen(port, '127.0.0.1');
    await once(server, 'listening').catch(async (error: unknown) => {
      await this.close();
      throw error;
    });
    // A connection that could not be accepted, for lack of file descriptors, is lost. The server goes on.
    server.on('error', () => undefined);
    this.#servers.push(server);
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('dashboard: the server has no port');
    return `http://127.0.0.1:${address.port}${this.path}`;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closed.next();
    this.#recording.unsubscribe();
    for (const page of this.#pages) page.unsubscribe();
    this.#witness.end();
    await Promise.all(
      this.#servers.splice(0).map(async (server) => {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      }),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A recording that fails must not end the program. */
  #keep(source$: Observable<unknown>): void {
    this.#recording.add(
      source$.subscribe({
        error: (error: unknown) => {
          this.#witness.add('error', `the recording ended: ${pageText(String(error))}`);
        },
      }),
    );
  }

  #stream(query: URLSearchParams, { socket }: IncomingMessage, response: ServerResponse): void {
    if (this.#pages.size >= maxPages) {
      reject(response, { status: 503, text: `${maxPages} pages of this dashboard are open: close one of them.` });
      return;
    }
    response.writeHead(200, { ...securityHeaders, 'content-type': 'text/event-stream' });
    response.write(`retry: ${reconnectAfterMs}\nevent: hello\ndata:\n\n`);
    const view = viewOf(query, this.#fallback);
    const page = new PageStream(response);
    // Before anything is sent: the parts may end at once.
    const subscription = page.subscription;
    this.#pages.add(subscription);
    // A browser never half-closes the connection of a page.
    subscription.add(
      merge(fromEvent(socket, 'close'), fromEvent(socket, 'end')).subscribe(() => {
        subscription.unsubscribe();
      }),
    );
    subscription.add(() => {
      this.#pages.delete(subscription);
    });
    page.follow(pageParts(this.#sources, this.#about, view, this.#acting.acts$));
  }

  async #act(path: string, request: IncomingMessage): Promise<Reply> {
    if (path !== '/plan' && path !== '/act') return noPage;
    const read = await readBody(request);
    if (isRejection(read)) return read;
    if (path === '/plan') {
      const action = v.safeParse(actionSchema, read.body);
      if (!action.success) return { status: 400, text: 'The body is not an action.' };
      return json(200, await this.#untilClosed(this.#acting.plan(action.output)));
    }
    const confirmed = v.safeParse(v.strictObject({ planId: v.string() }), read.body);
    if (!confirmed.success) return { status: 400, text: 'The body is not { "planId": … }.' };
    return json(200, await this.#untilClosed(this.#acting.act(confirmed.output.planId)));
  }

  /** A closed dashboard reads no plan to its end, and begins no act by it. */
  #untilClosed<Value>(response$: Observable<Value>): Promise<Value | PlanResponse> {
    const refused: PlanResponse = { kind: 'refused', reason: closedText };
    return firstValueFrom(response$.pipe(takeUntil(this.#closed)), { defaultValue: refused });
  }

  /** 200 while requests get responses, and 503 while they do not. */
  async #health(): Promise<Reply> {
    const unknown = { state: 'unknown' };
    const seen = await firstValueFrom(this.#sources.health$.pipe(timeout({ first: healthTimeoutMs }))).catch(
      () => undefined,
    );
    if (seen === undefined) return json(503, unknown);
    const { state, since, reason, latency, successRatio } = seen.health;
    const { lastMs = null, p50Ms = null, p99Ms = null } = latency;
    const body = { state, since, reason: reason ?? null, at: seen.at, lastMs, p50Ms, p99Ms, successRatio };
    return json(state === 'down' ? 503 : 200, body);
  }

  /** Counted from the first request on: where nobody requests them, nothing runs. */
  #metrics(): string {
    if (this.#meter === undefined) {
      this.#meter = textMeter();
      this.#recording.add(observeMetrics(this.#exchange, this.#meter));
    }
    return this.#meter.text();
  }

  async #file(path: string): Promise<Reply> {
    const file = await pageFile(path).catch(() => undefined);
    return file === undefined ? noPage : { status: 200, ...file };
  }

  #respond(response: ServerResponse, reply: Promise<Reply>): void {
    reply.then(
      (result) => {
        if ('content' in result) respond(response, result.status, result.type, result.content);
        else reject(response, result);
      },
      () => {
        reject(response, { status: 500, text: 'The dashboard could not respond.' });
      },
    );
  }
}

type Reply = Rejection | { readonly status: number; readonly type: string; readonly content: string | Buffer };

const closedText = 'This dashboard is closed.';
const noPage: Rejection = { status: 404, text: 'This dashboard has no page at this URL.' };

function json(status: number, body: unknown): Reply {
  return { status, type: 'application/json', content: JSON.stringify(body) };
}
