// The connections of undici's transport: its options, and the dispatcher that they make.
import type { Dispatcher } from 'undici';
// By its file: Bun replaces `undici` by a module of its own, whose Agent cannot dispatch.
import { Agent, EnvHttpProxyAgent, Pool, ProxyAgent } from 'undici/index.js';
import { countOrInfinity, durationAbove0, optionsOf, parse, RequestError, unquoted } from '../errors/index.js';

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
   * The address of an HTTP proxy, such as `http://127.0.0.1:3128`, which may have a user name and password; or
   * `'environment'` for the proxies of the variables `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Over https the proxy
   * sees the exchange's host name only. Default: no proxy, whatever the environment says.
   */
  readonly proxy?: string;
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

/** Not quoted: the URL may have a password. */
export const aProxy = unquoted<string>((value) => {
  if (value === 'environment') return true;
  const protocol = typeof value === 'string' && URL.canParse(value) ? new URL(value).protocol : '';
  return protocol === 'http:' || protocol === 'https:';
}, 'must be the URL of an HTTP proxy, or "environment"');

const undiciOptions = optionsOf<UndiciTransportOptions>({
  connections: countOrInfinity(1),
  connectTimeoutMs: durationAbove0,
  proxy: aProxy,
});

/** The dispatcher of one transport, which keeps its connections. Throws {@link RequestError} for invalid options. */
export function createConnections(options: UndiciTransportOptions): Dispatcher {
  const parsed = parse('undiciTransport', undiciOptions, options);
  const { connections = defaultConnections, connectTimeoutMs = defaultConnectTimeoutMs, proxy } = parsed;
  // Explicit, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED could turn off the certificate check.
  const connect = { timeout: connectTimeoutMs, rejectUnauthorized: true, keepAliveInitialDelay: probeAfterMs };
  const pooled = {
    ...idleTimeouts,
    connect,
    connections: Number.isFinite(connections) ? connections : null,
    // The attempt bounds the time of the response.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  // Not a Pool: undici connects again after an abort, and that connection would keep the process alive.
  if (proxy === undefined) return new Agent(pooled);
  return createProxyAgent(proxy, connectTimeoutMs, { ...pooled, requestTls: connect, proxyTls: connect });
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
        throw cause instanceof Error && 'code' in cause && connectedAgain.includes(cause.code)
          ? new NoTunnel('the proxy closed the connection', { cause })
          : cause;
      }
    },
  });
}
