// The sandbox on a port of loopback. Every program of the machine can connect, so everything that it can send has a
// bound.
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createServer, ServerResponse, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { ConnectionFault, TruncatedResponse } from '../faults/index.js';
import type { LiveServer } from '../live/index.js';
import { bodyTooLarge, maxBodyBytes, type UnreadBody } from '../http/index.js';
import { receive, respondTruncated, respondUnread } from './messages.js';
import { createTurnQueue } from './turn-queue.js';
import { isLiveUpgrade, openWebSocketDoor, type WebSocketDoor } from './web-socket-door.js';
import { serveWithoutUpgrade } from './without-upgrade.js';

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

/** An open port of the sandbox. */
export interface Listening {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  readonly port: number;
  /** Stops serving and closes every connection. */
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
/** Requests of one connection that wait for their responses. Clients that pipeline send ten. */
const maxPipelined = 100;
/** Bytes of all requests that wait for their turn, and of all responses that wait for their clients. */
const maxWaitingBytes = 64 * 1024 * 1024;

/** Responds to a request with this body. */
export type Respond = (request: Request, body: string | UnreadBody) => Promise<Response>;

/** What a port serves. */
export interface Served {
  readonly respond: Respond;
  /** The real-time interface. */
  readonly live: LiveServer;
  /** Runs a task after this number of milliseconds by the sandbox's clock. */
  readonly delay: (ms: number, task: () => void) => void;
}

/** Serves on a port of 127.0.0.1. */
export async function listenOn(
  { respond, live, delay }: Served,
  { port = 0, allowedOrigins = [] }: ListenOptions,
  bounds: PortBounds = defaultBounds,
): Promise<Listening> {
  const bodies = new WeakMap<object, string | UnreadBody>();
  const listener = listenerOf(respond, bodies);
  const inTurn = createTurnQueue();
  const pipelined = new WeakMap<Socket, number>();
  const countPipelined = (socket: Socket, change: 1 | -1): number => {
    const requests = (pipelined.get(socket) ?? 0) + change;
    pipelined.set(socket, requests);
    return requests;
  };
  let waitingBytes = 0;

  const handle: RequestListener = (incoming, outgoing) => {
    const { socket } = incoming;
    if (countPipelined(socket, 1) > maxPipelined) {
      socket.destroy();
      return;
    }
    outgoing.once('close', () => countPipelined(socket, -1));
    let size = 0;
    const onBytes = (bytes: number) => {
      size += bytes;
      waitingBytes += bytes;
      if (waitingBytes > maxWaitingBytes) socket.destroy();
    };
    const release = () => {
      waitingBytes -= size;
      size = 0;
    };
    onBytes(sizeOfHead(incoming));
    let hasArrived = false;
    incoming.once('close', () => {
      if (!hasArrived) release();
    });
    receive({ incoming, allowedOrigins, onBytes }, (body) => {
      hasArrived = true;
      inTurn(() => {
        release();
        if (!server.listening) return;
        bodies.set(incoming, body);
        listener(incoming, outgoing).then(
          () => {
            if (outgoing.closed) return;
            outgoing.once('close', release);
            onBytes(outgoing.writableLength);
          },
          (error: unknown) => {
            outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
          },
        );
      });
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

/** Node's listener for requests whose bodies have been read. */
function listenerOf(respond: Respond, bodies: WeakMap<object, string | UnreadBody>) {
  return getRequestListener(
    async (request, { incoming, outgoing }) => {
      try {
        const body = bodies.get(incoming) ?? bodyTooLarge;
        const response = await respond(request, body);
        if (!(outgoing instanceof ServerResponse)) return response;
        if (typeof body !== 'string') return await respondUnread(response, outgoing);
        return response instanceof TruncatedResponse ? respondTruncated(response, outgoing) : response;
      } catch (error) {
        if (!(error instanceof ConnectionFault)) throw error;
        outgoing.destroy();
        return RESPONSE_ALREADY_SENT;
      }
    },
    // The process's global Request and Response stay the platform's own, because other code uses them, too.
    { overrideGlobalObjects: false, autoCleanupIncoming: false },
  );
}

async function opened(server: Server, port: number, door: WebSocketDoor): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('sandbox.listen: the port could not be opened');

  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    port: address.port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => {
          if (error === undefined) resolve();
          else reject(error);
        });
        server.closeAllConnections();
        door.close();
      }),
  };
}

function sizeOfHead({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((size, text) => size + text.length, url.length);
}
