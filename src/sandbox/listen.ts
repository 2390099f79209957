// The sandbox on a real socket, on loopback only. Every program of the machine can connect: what one of them sends is
// bounded.
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createServer, ServerResponse, type IncomingMessage, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { refusalOfForeign } from './foreign-request.js';
import { BodyText, maxBodyBytes, tooLong, type Unread } from './http/body.js';
import { ConnectionFault, CutShort } from './http/faults.js';
import type { ListenOptions } from './sandbox-api.js';
import { inTurns } from './turns.js';

/** A port that the sandbox serves. */
export interface Listening {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  readonly port: number;
  /** Stops serving and closes every connection. */
  close(): Promise<void>;
}

/** What the clients of a port may take of it. */
export interface PortBounds {
  /** Connections at a time; more are closed at once. */
  readonly maxConnections: number;
  /** Milliseconds for the headers of a request; a connection that takes longer is closed. */
  readonly headersTimeoutMs: number;
  /** Milliseconds for the whole of a request, its body included. */
  readonly requestTimeoutMs: number;
}

/** A burst opens hundreds of connections at once; one that finds no place would be tried again a second later. */
const backlog = 4096;
const portBounds: PortBounds = { maxConnections: backlog, headersTimeoutMs: 10_000, requestTimeoutMs: 30_000 };
/** As a gateway does: a client that pauses for a window keeps its connections. */
const keepAliveTimeout = 75_000;
/**
 * Bytes of the request line and the headers together: the longest body, which a signed request has in a header as well,
 * in base64; and Node's default.
 */
const maxHeaderSize = Math.ceil(maxBodyBytes / 3) * 4 + 16_384;
/** Requests of one connection that may wait for their responses. Clients that pipeline send ten. */
const maxPipelined = 100;
/**
 * Bytes of all requests that have not had their turn; a request that makes them more closes its connection. Hundreds of
 * the longest have room.
 */
const maxHeldBytes = 64 * 1024 * 1024;
/**
 * How long a client has to read why its body was refused: a connection that is closed at once would lose the response.
 */
const lingerMs = 1000;

/** Responds to a request with this body. */
export type Respond = (request: Request, body: string | Unread) => Promise<Response>;

/** Serves on a port of 127.0.0.1. */
export async function listenOn(
  respond: Respond,
  { port = 0, allowedOrigins = [] }: ListenOptions,
  bounds: PortBounds = portBounds,
): Promise<Listening> {
  const bodies = new WeakMap<object, string | Unread>();
  // The platform's Request and Response stay the platform's: other code of the process uses them too.
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      try {
        const body = bodies.get(incoming) ?? tooLong;
        const response = await respond(request, body);
        if (!(outgoing instanceof ServerResponse)) return response;
        if (typeof body !== 'string') return await closeUnread(response, outgoing);
        return response instanceof CutShort ? cut(response, outgoing) : response;
      } catch (error) {
        if (!(error instanceof ConnectionFault)) throw error;
        outgoing.destroy();
        return RESPONSE_ALREADY_SENT;
      }
    },
    { overrideGlobalObjects: false, autoCleanupIncoming: false },
  );
  const inTurn = inTurns();
  const waiting = new WeakMap<Socket, number>();
  const count = (socket: Socket, change: 1 | -1): number => {
    const requests = (waiting.get(socket) ?? 0) + change;
    waiting.set(socket, requests);
    return requests;
  };
  let held = 0;
  const handle: RequestListener = (incoming, outgoing) => {
    const { socket } = incoming;
    if (count(socket, 1) > maxPipelined) {
      socket.destroy();
      return;
    }
    outgoing.once('close', () => count(socket, -1));
    let size = 0;
    const hold = (bytes: number) => {
      size += bytes;
      held += bytes;
      if (held > maxHeldBytes) socket.destroy();
    };
    const release = () => {
      held -= size;
      size = 0;
    };
    hold(sizeOfHead(incoming));
    let hasArrived = false;
    incoming.once('close', () => {
      if (!hasArrived) release();
    });
    receive({ incoming, allowedOrigins, hold }, (body) => {
      hasArrived = true;
      inTurn(() => {
        release();
        if (!server.listening) return;
        bodies.set(incoming, body);
        listener(incoming, outgoing).catch((error: unknown) => {
          outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
        });
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
  const server = createServer({ ...timeouts, maxHeaderSize }, handle);
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the sandbox could not open a port');

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
      }),
  };
}

function sizeOfHead({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((size, text) => size + text.length, url.length);
}

interface Arriving {
  readonly incoming: IncomingMessage;
  readonly allowedOrigins: readonly string[];
  /** Is told how many bytes have come. */
  readonly hold: (bytes: number) => void;
}

/**
 * Calls back with the whole body, or with why it is not read to its end; not at all when the connection is lost before.
 */
function receive({ incoming, allowedOrigins, hold }: Arriving, then: (body: string | Unread) => void): void {
  const { headers } = incoming;
  const refusal =
    refusalOfForeign(headers, allowedOrigins) ??
    (Number(headers['content-length'] ?? 0) > maxBodyBytes ? tooLong : undefined);
  if (refusal !== undefined) {
    then(refusal);
    return;
  }
  const whole = new BodyText();
  const add = (piece: Uint8Array) => {
    hold(piece.length);
    if (whole.add(piece)) return;
    incoming.off('data', add);
    incoming.pause();
    then(tooLong);
  };
  incoming.on('data', add);
  incoming.on('end', () => {
    then(whole.end());
  });
  // A request that ends before its end has not arrived.
  incoming.on('error', () => undefined);
}

/** Responds to a request whose body is not read, and closes the connection. */
async function closeUnread(response: Response, outgoing: ServerResponse): Promise<Response> {
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.setHeaders(response.headers);
  outgoing.writeHead(response.status, { 'content-length': body.length, connection: 'close' });
  // Without a body, as of a HEAD, nothing else sends them.
  outgoing.flushHeaders();
  // Not `end()`: Node would read the rest of the request then, to its end.
  outgoing.write(body, () => {
    outgoing.socket?.end();
  });
  const timer = setTimeout(() => {
    outgoing.destroy();
  }, lingerMs);
  outgoing.once('close', () => {
    clearTimeout(timer);
  });
  return RESPONSE_ALREADY_SENT;
}

/** Nothing but a broken connection tells the client that there was more. */
function cut({ status, headers, half, wholeLength }: CutShort, outgoing: ServerResponse): Response {
  outgoing.statusCode = status;
  outgoing.setHeaders(headers);
  outgoing.setHeader('content-length', wholeLength);
  outgoing.write(half, () => {
    outgoing.destroy();
  });
  return RESPONSE_ALREADY_SENT;
}
