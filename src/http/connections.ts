// The connections of undici's transport and of WebSockets: options, the dispatcher, and the tunnels through a proxy.
import type { ClientRequestArgs } from 'node:http';
import { Socket } from 'node:net';
import { unescape } from 'node:querystring';
import { addAbortSignal } from 'node:stream';
import type { Dispatcher } from 'undici';
// By its file: Bun replaces `undici` by a module of its own, whose Agent cannot dispatch.
import { Agent, buildConnector, Client } from 'undici/index.js';
import { countOrInfinity, durationAbove0, optionsOf, parse, unquoted } from '../errors/index.js';

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
  /** Caps a timeout that the server announces: address translators drop silent connections after about 350 s. */
  keepAliveMaxTimeout: 300_000,
};
/** Idle time before TCP probes the connection each second: a lost one ends before a request is sent on it. */
const probeAfterMs = 15_000;

/** Not quoted: the URL may have a password. */
export const aProxy = unquoted<string>(
  (value) => (value === 'environment' ? Object.values(proxiesOfEnvironment()) : [value]).every(isProxy),
  'must be the URL of an HTTP proxy, or "environment" with such URLs in HTTPS_PROXY and HTTP_PROXY',
);

function isProxy(value: unknown): boolean {
  if (value === undefined) return true;
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

const undiciOptions = optionsOf<UndiciTransportOptions>({
  connections: countOrInfinity(1),
  connectTimeoutMs: durationAbove0,
  proxy: aProxy,
});

/** The dispatcher of one transport, which keeps its connections. Throws {@link RequestError} for invalid options. */
export function createConnections(options: UndiciTransportOptions): Dispatcher {
  const parsed = parse('undiciTransport', undiciOptions, options);
  const { connections = defaultConnections, connectTimeoutMs = defaultConnectTimeoutMs, proxy } = parsed;
  // Not a Pool: undici connects again after an abort, and that connection would keep the process alive.
  return new Agent({
    ...idleTimeouts,
    connect: connectorThrough(proxy, connectTimeoutMs),
    connections: Number.isFinite(connections) ? connections : null,
    // The attempt bounds the time of the response.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** Makes the connection of a WebSocket, through the proxy of its address if it has one, until the signal aborts. */
export function connectionThrough(
  proxy: string,
  address: string,
  timeoutMs: number,
  signal: AbortSignal,
): NonNullable<ClientRequestArgs['createConnection']> {
  const connect = connectorThrough(proxy, timeoutMs, signal);
  const target = targetOf(address);
  return (_options, connected) => {
    connect({ ...target, hostname: target.hostname.replaceAll(/[[\]]/g, '') }, (error, socket) => {
      connected(error, socket ?? new Socket());
    });
    return undefined;
  };
}

function connectorThrough(
  proxy: string | undefined,
  timeoutMs: number,
  signal?: AbortSignal,
): buildConnector.connector {
  // Explicit, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED could turn off the certificate check.
  const connect = connectorUntil(signal, {
    timeout: timeoutMs,
    rejectUnauthorized: true,
    keepAliveInitialDelay: probeAfterMs,
  });
  if (proxy === undefined) return connect;
  return (target, connected) => {
    const address = `${target.protocol}//${target.host ?? target.hostname}`;
    const url = proxyOf(proxy, address);
    if (url === undefined) {
      connect(target, connected);
      return;
    }
    openTunnel(url, address, timeoutMs, signal).then(
      (httpSocket) => {
        if (target.protocol === 'https:') connect({ ...target, httpSocket }, connected);
        else connected(null, httpSocket);
      },
      (cause: unknown) => {
        // After some codes, such as that of a connection that the proxy closed, undici would connect again at once.
        connected(new Error('the proxy opened no tunnel', { cause }), null);
      },
    );
  };
}

/** Makes connections that end when the signal aborts, also during their handshake. */
function connectorUntil(
  signal: AbortSignal | undefined,
  options: buildConnector.BuildOptions,
): buildConnector.connector {
  const connect: (...args: Parameters<buildConnector.connector>) => unknown = buildConnector(options);
  return (target, connected) => {
    const socket = connect(target, connected);
    if (signal !== undefined && socket instanceof Socket) addAbortSignal(signal, socket);
  };
}

async function openTunnel(
  { origin, username, password }: URL,
  address: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  const { hostname, port } = targetOf(address);
  const path = `${hostname}:${port}`;
  const user = Buffer.from(`${unescape(username)}:${unescape(password)}`).toString('base64');
  const authorization = username === '' ? {} : { 'proxy-authorization': `Basic ${user}` };
  const connect = connectorUntil(signal, { timeout: timeoutMs, rejectUnauthorized: true });
  const client = new Client(origin, { connect, headersTimeout: timeoutMs });
  try {
    const headers = { host: path, ...authorization };
    const { socket, statusCode } = await client.connect({ path, signal, headers });
    if (statusCode === 200 && socket instanceof Socket) return socket;
    socket.destroy();
    throw new Error(`HTTP ${statusCode}`);
  } finally {
    await client.destroy();
  }
}

/** An address, with its port. */
export function targetOf(address: string) {
  const { protocol, host, hostname, port } = new URL(address.replace(/^ws/, 'http'));
  return { protocol, host, hostname, port: port === '' ? (protocol === 'https:' ? '443' : '80') : port };
}

/** The proxy of an address; `undefined` where the environment names none for it, by the rules of undici and others. */
export function proxyOf(proxy: string, address: string): URL | undefined {
  if (proxy !== 'environment') return new URL(proxy);
  const { protocol, hostname, port } = targetOf(address);
  const { NO_PROXY = '', no_proxy = NO_PROXY } = process.env;
  const isExcepted = no_proxy.split(/[,\s]+/).some((entry) => {
    const [name = '', only = port] = entry
      .toLowerCase()
      .replace(/^\*?\./, '')
      .split(/:(?=\d+$)/);
    return name === '*' || (name !== '' && only === port && `.${hostname}`.endsWith(`.${name}`));
  });
  const { http, https } = proxiesOfEnvironment();
  const named = protocol === 'https:' ? https : http;
  return isExcepted || named === undefined ? undefined : new URL(named);
}

function proxiesOfEnvironment() {
  const { HTTP_PROXY, http_proxy = HTTP_PROXY, HTTPS_PROXY, https_proxy = HTTPS_PROXY } = process.env;
  const http = http_proxy === '' ? undefined : http_proxy;
  return { http, https: https_proxy === '' ? http : (https_proxy ?? http) };
}
