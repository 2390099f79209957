// The sandbox on a port of loopback.
import { once } from 'node:events';
import * as v from 'valibot';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ConnectionFault, TruncatedResponse } from '../faults/index.js';
import { fields, integerFrom, isText, list, rule, type ChecksOf } from '../check.js';
import type { LiveServer } from '../live/index.js';
import { maxBodyBytes, type Respond } from '../http/index.js';
import { headersOf, receive, respondTruncated, respondUnread, serveWithoutUpgrade, targetOf } from './messages.js';
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

/** An origin in any other notation would match no request. */
const origin = rule<string>(
  (value) => isText(value) && /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value,
  'must be an origin as browsers write it, such as "http://localhost:5173"',
);

export const listenRules = fields({
  port: v.optional(integerFrom(0, 65_535)),
  allowedOrigins: v.optional(list(origin)),
} satisfies ChecksOf<ListenOptions>);

export interface Listening extends AsyncDisposable {
  readonly baseUrl: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** A burst opens hundreds of connections at once; a client retries a connection that does not fit one second later. */
const backlog = 4096;
/** One more connection is closed at once; one that is slower with the headers, or with the complete request, later. */
const defaultBounds = { maxConnections: backlog, headersTimeoutMs: 10_000, requestTimeoutMs: 30_000 };
/** As a gateway does: a client that pauses for a rate limit's window keeps its connections. */
const keepAliveTimeout = 75_000;
/** Bytes: a signed request has its body in a header, too, in base64. The rest is the default of Node. */
const maxHeaderSize = Math.ceil(maxBodyBytes / 3) * 4 + 16_384;

export interface Served {
  readonly respond: Respond;
  readonly live: LiveServer;
}

export async function listenOn(
  { respond, live }: Served,
  { port = 0, allowedOrigins = [] }: ListenOptions,
  bounds = defaultBounds,
): Promise<Listening> {
  const inTurn = createTurnQueue();
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const url = targetOf(incoming);
    if (url === undefined) {
      outgoing.writeHead(400).end();
      return;
    }
    const body = await receive(incoming, allowedOrigins);
    await inTurn();
    if (!server.listening) return;
    const response = await respond({ method: incoming.method ?? '', url, headers: headersOf(incoming) }, body);
    if (typeof body !== 'string') await respondUnread(response, outgoing);
    else if (response instanceof TruncatedResponse) respondTruncated(response, outgoing);
    else {
      outgoing.statusCode = response.status;
      outgoing.setHeaders(response.headers);
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    }
  };

  const { maxConnections, headersTimeoutMs: headersTimeout, requestTimeoutMs: requestTimeout } = bounds;
  const options = {
    ...{ keepAliveTimeout, headersTimeout, requestTimeout, maxHeaderSize },
    connectionsCheckingInterval: headersTimeout / 2,
    // Since Node 22.21: other upgrades are ordinary requests then, with their bodies.
    shouldUpgradeCallback: isLiveUpgrade,
  };
  const server = createServer(options, (incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      // A fault loses the connection, or the client has lost it before the complete request arrived.
      if (!(error instanceof ConnectionFault || incoming.destroyed)) process.emitWarning(String(error));
      outgoing.destroy();
    });
  });
  server.maxConnections = maxConnections;
  const door = openWebSocketDoor(live, allowedOrigins);
  server.on('upgrade', (request, socket, head) => {
    if (isLiveUpgrade(request)) door.upgrade(request, socket, head);
    // A Node without shouldUpgradeCallback.
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
