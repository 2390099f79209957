// The transport of Node: requests are dispatched on undici's connection pools. Connections are kept and bounded,
// responses are bounded in size, and nothing is followed, cached or sent twice. Without the objects of fetch() a request
// costs a fraction.
import { Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
// By its file: Bun replaces `undici` by a module of its own, whose Agent cannot dispatch.
import { Agent, EnvHttpProxyAgent, Pool, ProxyAgent } from 'undici/index.js';
import {
  checkByRules,
  count,
  countOrInfinity,
  durationAbove0,
  readProperty,
  RequestError,
  type OptionRules,
  type Rule,
  withMethods,
} from '../errors/index.js';
import { ReceivedBody } from './received-body.js';
import { LostResponse } from './response-body.js';
import { SpareConnections } from './spare-connections.js';
import type { Sending, SendOptions, Transport, TransportRequest, TransportResponse } from './transport.js';

/** Options of {@link undiciTransport}. */
export interface UndiciTransportOptions {
  /**
   * Maximum connections to one address, 1 or more, or Infinity. A request beyond it waits for a free connection. Use
   * the `maxInFlight` and `urgentInFlight` of the client together.
   *
   * @default 288, the defaults of a client
   */
  readonly connections?: number;
  /**
   * Maximum time to make a connection, with its TLS handshake, milliseconds, above 0. A proxy may take as long again to
   * open a tunnel.
   *
   * @default 5000
   */
  readonly connectTimeoutMs?: number;
  /**
   * How many spare connections to each address are kept open, 0 or more: so many requests at once do not wait for a
   * handshake, even after an idle minute. Spare connections are opened ahead from the first request to an address on,
   * and replaced every 50 seconds, or when the server closes them. No request is sent on them, so they cost no permit.
   * Not together with `proxy` or `dispatcher`.
   *
   * @default 0
   */
  readonly keepWarm?: number;
  /**
   * The address of an HTTP proxy, such as `http://127.0.0.1:3128`, which may have a user name and password; or
   * `'environment'` for the proxies of the variables `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Over https the proxy
   * sees the exchange's host name only. Default: no proxy, whatever the environment says.
   */
  readonly proxy?: string;
  /**
   * A dispatcher of undici 7, such as a `ProxyAgent` with options of its own. It decides about certificates, time
   * limits and connections: not together with the other options. A request that it tries to send a second time, after a
   * failure or a redirect, ends with outcome `unknown`, and is not sent again. It gets the body as a stream, which can be
   * read once.
   */
  readonly dispatcher?: Pick<Dispatcher, 'dispatch' | 'close'>;
}

/** The defaults of `maxInFlight` and `urgentInFlight` together. */
const defaultConnections = 288;
const defaultConnectTimeoutMs = 5000;

/**
 * How long an idle connection is kept, milliseconds. The server must not close it while a request is in flight, because
 * the outcome would be unknown. Servers that announce no timeout close after 60 s (AWS), 75 s (nginx) or more.
 */
const idleTimeouts = {
  keepAliveTimeout: 50_000,
  /** Subtracted from a timeout that the server announces; exceeds a round trip. */
  keepAliveTimeoutThreshold: 1000,
  /**
   * Caps a timeout that the server announces: network address translators drop silent connections after about 350 s.
   */
  keepAliveMaxTimeout: 300_000,
};
/**
 * Idle time before TCP probes the connection every second, milliseconds: a connection that the network has lost ends
 * before a request is sent on it.
 */
const probeAfterMs = 15_000;

const aProxy: Rule = (value) => {
  if (value === 'environment') return undefined;
  const protocol = typeof value === 'string' && URL.canParse(value) ? new URL(value).protocol : '';
  // Not quoted: it may have a password.
  return protocol === 'http:' || protocol === 'https:'
    ? undefined
    : 'must be the URL of an HTTP proxy, or "environment"';
};

const optionRules: OptionRules<UndiciTransportOptions> = {
  connections: countOrInfinity(1),
  connectTimeoutMs: durationAbove0,
  keepWarm: count(0),
  proxy: aProxy,
  dispatcher: withMethods('a dispatcher of undici', 'dispatch'),
};

/**
 * Creates the transport that a client uses on Node by default, for options that a client does not have. Throws
 * {@link RequestError} for invalid options. Idle connections do not keep the process alive.
 *
 * A request that fails, times out or is unsubscribed before it was written is `not-executed`, and is never written
 * later. Certificates are always checked; only a `dispatcher` of your own can turn that off.
 *
 * @example
 * ```ts
 * import { createExchange, undiciTransport } from 'exchange-rx';
 *
 * const exchange = createExchange({
 *   baseUrl: 'https://exchange.example',
 *   transport: undiciTransport({ keepWarm: 4 }),
 * });
 * ```
 *
 * @example Through the proxy of the environment
 * ```ts
 * import { ClientRegistry, createExchange, undiciTransport } from 'exchange-rx';
 *
 * const exchange = createExchange({
 *   baseUrl: 'https://exchange.example',
 *   transport: undiciTransport({ proxy: 'environment' }),
 *   registry: new ClientRegistry(),
 * });
 * ```
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
  checkByRules('undiciTransport', options, optionRules);
  refuseTogether(options);
  const dispatchers = createDispatchers(options);
  return {
    reportsSent: true,
    send: (request, sendOptions) => {
      const sending = new UndiciSending(sendOptions);
      sending.dispatch(dispatchers, request);
      return sending;
    },
    close: () => dispatchers.close(),
  };
}

function refuseTogether(options: UndiciTransportOptions): void {
  const { proxy, keepWarm = 0 } = options;
  const withDispatcher = (['connections', 'connectTimeoutMs', 'keepWarm', 'proxy'] as const).find(
    (name) => options.dispatcher !== undefined && options[name] !== undefined,
  );
  const field = withDispatcher ?? (proxy !== undefined && keepWarm > 0 ? 'keepWarm' : undefined);
  if (field === undefined) return;
  const message =
    withDispatcher === undefined ? 'is not possible through a proxy' : 'belongs to the dispatcher when one is given';
  throw new RequestError('undiciTransport', [{ field, message }]);
}

/** The dispatcher of each address. */
interface Dispatchers {
  of(origin: string): Pick<Dispatcher, 'dispatch'>;
  /** The form in which a body is sent. */
  bodyOf(body: string): string | Readable;
  close(): Promise<void>;
}

function createDispatchers({
  connections = defaultConnections,
  connectTimeoutMs = defaultConnectTimeoutMs,
  keepWarm = 0,
  proxy,
  dispatcher,
}: UndiciTransportOptions): Dispatchers {
  if (dispatcher !== undefined) {
    return { of: () => dispatcher, bodyOf: sentOnce, close: () => dispatcher.close() };
  }
  // Explicit, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED could turn off the certificate check.
  const connect = { timeout: connectTimeoutMs, rejectUnauthorized: true, keepAliveInitialDelay: probeAfterMs };
  // The attempt bounds the time of the response.
  const pooled = {
    ...idleTimeouts,
    connections: Number.isFinite(connections) ? connections : null,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (proxy !== undefined) {
    const agent = createProxyAgent(proxy, connectTimeoutMs, {
      ...pooled,
      connect,
      requestTls: connect,
      proxyTls: connect,
    });
    return { of: () => agent, bodyOf: asText, close: () => agent.close() };
  }
  const agents = new Map<string, { readonly agent: Agent; readonly spare: SpareConnections | undefined }>();
  return {
    of(origin) {
      let entry = agents.get(origin);
      if (entry === undefined) {
        const spare =
          keepWarm === 0
            ? undefined
            : new SpareConnections(origin, { connect, size: keepWarm, maxAgeMs: idleTimeouts.keepAliveTimeout });
        // undici connects again after an abort. With a Pool alone, that connection keeps the process alive: see
        // test/streams/nothing-left.test.ts.
        entry = { spare, agent: new Agent({ ...pooled, connect: spare?.connect ?? connect }) };
        agents.set(origin, entry);
      }
      return entry.agent;
    },
    bodyOf: asText,
    async close() {
      const entries = [...agents.values()];
      agents.clear();
      for (const { spare } of entries) spare?.close();
      await Promise.all(entries.map(({ agent }) => agent.close()));
    },
  };
}

function asText(body: string): string {
  return body;
}

/**
 * A body that can be read once. undici's interceptors send no such request again. A text they could send again after a
 * response has begun, without a call of `onSent`.
 */
function sentOnce(body: string): Readable {
  // Complete from the beginning, so that its length is known. A dispatcher may destroy it with an error.
  const stream = new Readable({ read: () => undefined }).on('error', () => undefined);
  stream.push(body, 'utf8');
  stream.push(null);
  return stream;
}

function createProxyAgent(proxy: string, connectTimeoutMs: number, pooled: EnvHttpProxyAgent.Options): Dispatcher {
  const options: EnvHttpProxyAgent.Options = {
    ...pooled,
    clientFactory: (address, clientOptions) =>
      tunnelPool(address, { ...clientOptions, headersTimeout: connectTimeoutMs }),
  };
  try {
    return proxy === 'environment' ? new EnvHttpProxyAgent(options) : new ProxyAgent({ ...options, uri: proxy });
  } catch {
    // The error may quote a password.
    const message =
      proxy === 'environment'
        ? 'HTTP_PROXY or HTTPS_PROXY of the environment is not the URL of an HTTP proxy'
        : 'has a user name or password that is not percent-encoded';
    throw new RequestError('undiciTransport', [{ field: 'proxy', message }]);
  }
}

/** The proxy closed the connection and opened no tunnel. Nothing was sent. */
class NoTunnel extends Error {
  readonly code = 'ERR_NO_TUNNEL';
}

/** Codes after which undici's pools connect again without a pause, as long as a request waits. */
const connectedAgain: readonly unknown[] = ['UND_ERR_SOCKET', 'UND_ERR_INFO'];

/** The connections to a proxy. One that ends before it is a tunnel fails its request. */
function tunnelPool(address: URL, options: Pool.Options): Pool {
  const pool = new Pool(address, options);
  const connect: (connectOptions: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData> =
    pool.connect.bind(pool);
  return Object.assign(pool, {
    connect: async (connectOptions: Dispatcher.ConnectOptions) => {
      try {
        return await connect(connectOptions);
      } catch (cause) {
        throw connectedAgain.includes(readProperty(cause, 'code'))
          ? new NoTunnel('the proxy closed the connection', { cause })
          : cause;
      }
    },
  });
}

/** For GET, whose responses are long lists. Compressing the response to an order would not pay. */
const acceptCompressed = { 'accept-encoding': 'gzip, br' };

type UndiciHeaders = Readonly<Record<string, string | string[] | undefined>>;

const noHeaders: TransportResponse['headers'] = {};

class Aborted extends Error {
  constructor() {
    super('the request was aborted');
  }
}

/** The dispatcher of a user's own tries to send a request again. */
class SentAgain extends Error {
  constructor() {
    super('the dispatcher tried to send the request a second time');
  }
}

/** One request, and the handler that undici reports it to. */
class UndiciSending implements Sending, Dispatcher.DispatchHandler {
  readonly response: Promise<TransportResponse>;
  readonly #options: SendOptions;
  readonly #body: ReceivedBody;
  #resolve: (response: TransportResponse | Promise<TransportResponse>) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  /** Of the request that was, or is being, written. */
  #controller: Dispatcher.DispatchController | undefined;
  #isSent = false;
  #isOver = false;
  #status = 0;
  #headers: UndiciHeaders = {};

  constructor(options: SendOptions) {
    this.#options = options;
    this.#body = new ReceivedBody(options.maxResponseBytes, options.hold);
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  dispatch(dispatchers: Dispatchers, { url, method, headers, body }: TransportRequest): void {
    try {
      const { origin, pathname, search } = new URL(url);
      const sentHeaders = method === 'GET' ? { ...headers, ...acceptCompressed } : headers;
      dispatchers.of(origin).dispatch(
        {
          origin,
          path: pathname + search,
          method,
          headers: sentHeaders,
          body: body === undefined ? null : dispatchers.bodyOf(body),
        },
        this,
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  abort(): void {
    if (this.#isOver) return;
    const aborted = new Aborted();
    this.#fail(aborted);
    // A request that waits for a connection has no controller yet. It ends in onRequestStart, before it is written.
    this.#controller?.abort(aborted);
  }

  /** Called with an open connection, in the tick that writes the request. What it throws keeps it from being written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing removes the request and keeps the connection; controller.abort() would close it.
    if (this.#controller !== undefined) throw new SentAgain();
    if (this.#isOver) throw new Aborted();
    this.#controller = controller;
    this.#options.onSent();
    this.#isSent = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: UndiciHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  /** An error thrown here aborts the request. */
  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#body.add(chunk);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { bytes: body } = this.#body;
    const response = { status: this.#status, headers: readHeaders(this.#headers) };
    const decompressor = body.byteLength === 0 ? undefined : decompressorOf(this.#headers);
    this.#resolve(
      decompressor === undefined
        ? { ...response, body }
        : decompress(body, decompressor, this.#options).then((text) => ({ ...response, body: text })),
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // A dispatcher may have failed to connect for a second try, or for a redirect: its code says nothing about the first.
    this.#reject(this.#isSent ? new LostResponse('', { cause: error }) : error);
  }
}

function readHeaders({ 'retry-after': retryAfter }: UndiciHeaders): TransportResponse['headers'] {
  return retryAfter === undefined ? noHeaders : { 'retry-after': String(retryAfter) };
}

const decompressors = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
]);

function decompressorOf({ 'content-encoding': encoding }: UndiciHeaders): Transform | undefined {
  return encoding === undefined ? undefined : decompressors.get(String(encoding).trim().toLowerCase())?.();
}

/** Decompresses chunk by chunk, at most to the maximum size. */
async function decompress(
  body: Uint8Array,
  decompressor: Transform,
  { maxResponseBytes, hold }: SendOptions,
): Promise<Uint8Array> {
  const output = new ReceivedBody(maxResponseBytes, hold);
  decompressor.end(body);
  const chunks: AsyncIterable<Uint8Array> = decompressor;
  // An error thrown in the loop destroys the decompressor.
  for await (const chunk of chunks) output.add(chunk);
  return output.bytes;
}
