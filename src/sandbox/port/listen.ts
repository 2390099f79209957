// The sandbox on a port of loopback.
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { once } from 'node:events';
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { ConnectionFault, TruncatedResponse } from '../faults/index.js';
import type { LiveServer } from '../live/index.js';
import { maxBodyBytes, type UnreadBody } from '../http/index.js';
import { receive, respondTruncated, respondUnread, serveWithoutUpgrade } from './messages.js';
import { isLiveUpgrade, openWebSocketDoor, type WebSocketDoor } from './web-socket-door.js';

/** Options of {@link Sandbox.listen}. */
export interface ListenOptions {
  /** The port, 0 to 65535; 0 selects a free port. Default 0. */
  readonly port?: number;
  /**
   * Origins of web pages that may send requests, as browsers write origins: `http://localhost:5173`. For a page whose
   * development server forwards requests to the sandbox, because responses have no CORS headers. Default: none.
   */
  readonly allowedOrigins?: readonly string[];
}

export interface Listening extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** What the clients of a port may use at most. */
export interface PortBounds {
  /** Concurrent connections; one more is closed at once. */
  readonly maxConnections: number;
  /** Milliseconds for the headers of a request; a slower connection is closed. */
  readonly headersTimeoutMs: number;
  /** Milliseconds for the complete request, including its body. */
  readonly requestTimeoutMs: number;
}

/** A burst opens hundreds of connections at once; a client retries a connection that does not fit one second later. */
const backlog = 4096;
const defaultBounds: PortBounds = { maxConnections: backlog, headersTimeoutMs: 10_000, requestTimeoutMs: 30_000 };
/** As a gateway does: a client that pauses for a rate limit's window keeps its connections. */
const keepAliveTimeout = 75_000;
/**
 * Bytes of the request line and the headers: the largest body in base64, because a signed request has its body in a
 * header, and Node's default.
 */
const maxHeaderSize = Math.ceil(maxBodyBytes / 3) * 4 + 16_384;
export type Respond = (request: Request, body: string | UnreadBody) => Promise<Response>;

export interface Served {
  readonly respond: Respond;
  readonly live: LiveServer;
  readonly delay: (ms: number, task: () => void) => void;
}

export async function listenOn(
  { respond, live, delay }: Served,
  { port = 0, allowedOrigins = [] }: ListenOptions,
  bounds: PortBounds = defaultBounds,
): Promise<Listening> {
  const inTurn = createTurnQueue();
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      if (!(incoming instanceof IncomingMessage && outgoing instanceof ServerResponse)) return RESPONSE_ALREADY_SENT;
      try {
        const body = await receive(incoming, allowedOrigins);
        await inTurn();
        if (!server.listening) return RESPONSE_ALREADY_SENT;
        const response = await respond(request, body);
        if (typeof body !== 'string') return await respondUnread(response, outgoing);
        return response instanceof TruncatedResponse ? respondTruncated(response, outgoing) : response;
      } catch (error) {
        // A fault loses the connection, or the client has lost it before the complete request arrived.
        if (!(error instanceof ConnectionFault || incoming.destroyed)) throw error;
        outgoing.destroy();
        return RESPONSE_ALREADY_SENT;
      }
    },
    // The process's global Request and Response stay the platform's own, because other code uses them, too.
    { overrideGlobalObjects: false, autoCleanupIncoming: false },
  );
  const handle: RequestListener = (incoming, outgoing) => {
    listener(incoming, outgoing).catch((error: unknown) => {
      outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  };

  const { maxConnections, headersTimeoutMs: headersTimeout, requestTimeoutMs: requestTimeout } = bounds;
  const timeouts = {
    keepAliveTimeout,
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: headersTimeout / 2,
  };
  // Newer Nodes check before they hand a connection over; older ones hand over every upgrade.
  const options = { ...timeouts, maxHeaderSize, shouldUpgradeCallback: isLiveUpgrade };
  const server = createServer(options, handle);
  server.maxConnections = maxConnections;
  const door = openWebSocketDoor(live, allowedOrigins, delay);
  server.on('upgrade', (request, socket, head) => {
    if (isLiveUpgrade(request)) door.upgrade(request, socket, head);
    else serveWithoutUpgrade(server, request, socket, head);
  });
  return opened(server, port, door);
}

/**
 * One request per turn of the event loop. Node accepts one connection per turn: if a turn processed every waiting request,
 * new connections would wait for seconds and time out.
 */
function createTurnQueue(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const next = () => {
    const proceed = waiting.shift();
    if (waiting.length > 0) setImmediate(next);
    proceed?.();
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(next);
    });
}

async function opened(server: Server, port: number, door: WebSocketDoor): Promise<Listening> {
  server.listen({ port, host: '127.0.0.1', backlog });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('sandbox.listen: the port could not be opened');

  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    door.close();
    await closed;
  };
  return { baseUrl: `http://127.0.0.1:${address.port}`, port: address.port, close, [Symbol.asyncDispose]: close };
}
