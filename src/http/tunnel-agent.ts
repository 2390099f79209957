// The agent of WebSockets that connect through an HTTP proxy. Requests have undici's own agents for that.
import { Agent, type ClientRequestArgs } from 'node:http';
import { isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { Client } from 'undici/index.js';

/**
 * The agent of the WebSocket to an address; `undefined` where the environment names no proxy for it.
 *
 * @param proxy the URL of the proxy, or `'environment'`
 */
export function tunnelAgent(proxy: string, address: string, connectTimeoutMs: number): Agent | undefined {
  const url = proxyOf(proxy, address);
  return url === undefined ? undefined : new TunnelAgent(url, targetOf(address), connectTimeoutMs);
}

/** The proxy of an address; `undefined` where the environment names none for it. */
export function proxyOf(proxy: string, address: string): URL | undefined {
  const named = proxy === 'environment' ? proxyOfEnvironment(targetOf(address)) : proxy;
  return named !== undefined && URL.canParse(named) ? new URL(named) : undefined;
}

interface Target {
  readonly isSecure: boolean;
  readonly hostname: string;
  readonly port: string;
}

function targetOf(address: string): Target {
  const { protocol, hostname, port } = new URL(address);
  const isSecure = protocol === 'wss:' || protocol === 'https:';
  return { isSecure, hostname, port: port === '' ? (isSecure ? '443' : '80') : port };
}

/** By the rules that undici has for requests. */
function proxyOfEnvironment({ isSecure, hostname, port }: Target): string | undefined {
  const { HTTP_PROXY, http_proxy = HTTP_PROXY, HTTPS_PROXY, https_proxy = HTTPS_PROXY } = process.env;
  const { NO_PROXY = '', no_proxy = NO_PROXY } = process.env;
  const isExcepted = no_proxy.split(/[,\s]+/).some((entry) => {
    const [name = '', only = port] = entry
      .toLowerCase()
      .replace(/^\*?\./, '')
      .split(/:(?=\d+$)/);
    return name !== '' && only === port && `.${hostname}`.endsWith(`.${name}`);
  });
  if (isExcepted || no_proxy === '*') return undefined;
  return isSecure && https_proxy !== undefined && https_proxy !== '' ? https_proxy : http_proxy;
}

class TunnelAgent extends Agent {
  /** Node checks that it is the protocol of the request. */
  readonly protocol: string;
  readonly #proxy: URL;
  readonly #target: Target;
  readonly #timeoutMs: number;
  readonly #aborter = new AbortController();

  constructor(proxy: URL, target: Target, timeoutMs: number) {
    super();
    this.protocol = target.isSecure ? 'https:' : 'http:';
    this.#proxy = proxy;
    this.#target = target;
    this.#timeoutMs = timeoutMs;
  }

  override createConnection(
    _options: ClientRequestArgs,
    connected: (error: Error | null, socket: Duplex) => void = () => undefined,
  ): undefined {
    this.#connect().then(
      (socket) => {
        connected(null, socket);
      },
      (error: unknown) => {
        connected(error instanceof Error ? error : new Error(String(error)), new Socket());
      },
    );
  }

  override destroy(): void {
    super.destroy();
    this.#aborter.abort();
  }

  async #connect(): Promise<Duplex> {
    const { origin, username, password } = this.#proxy;
    const { isSecure, hostname, port } = this.#target;
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const authorization = { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` };
    const client = new Client(origin, {
      connect: { timeout: this.#timeoutMs, rejectUnauthorized: true },
      headersTimeout: this.#timeoutMs,
    });
    try {
      const { socket, statusCode } = await client.connect({
        path: `${hostname}:${port}`,
        signal: this.#aborter.signal,
        headers: username === '' ? {} : authorization,
      });
      if (statusCode !== 200) {
        socket.destroy();
        throw new Error(`the proxy opened no tunnel: HTTP ${statusCode}`);
      }
      const servername = isIP(hostname) === 0 ? { servername: hostname } : {};
      return isSecure ? connectTls({ socket, ...servername, rejectUnauthorized: true }) : socket;
    } finally {
      await client.destroy();
    }
  }
}
