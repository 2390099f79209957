// One WebSocket, as a connection uses it: text in, text out, and an end that is reported once.
import { connectionThrough, retryAfterMs } from '../../http/index.js';

/** Why a socket ended. */
export interface SocketEnd {
  /** The close code; 1006 when the connection was lost. */
  readonly code?: number | undefined;
  /** The HTTP status by which the upgrade was refused. */
  readonly status?: number | undefined;
  /** The wait that `Retry-After` of a refused upgrade, or of a refused token, requests, milliseconds; at most one day. */
  readonly retryAfterMs?: number | undefined;
}

/** What a socket reports. Nothing is reported after `onEnd`, or after {@link Socket.terminate}. */
export interface SocketHandlers {
  onOpen(): void;
  /** `undefined` for a frame that is no text. */
  onFrame(text: string | undefined): void;
  /** Once, also when the socket never opened. */
  onEnd(end: SocketEnd): void;
}

export interface Socket {
  /** Sends a text. Call it while the socket is open only. */
  send(text: string): void;
  /** Ends the connection at once: no closing handshake, and no further report. */
  terminate(): void;
}

/** Opens a socket. Reports later, never during the call. */
export type OpenSocket = (url: string, handlers: SocketHandlers) => Socket;

/** The maximum size of a frame, bytes: as of a response over HTTP. */
export const maxFrameBytes = 8 * 1024 * 1024;

/** An event of a {@link StandardWebSocket}. */
export interface StandardWebSocketEvent {
  /** `open`, `message`, `error` or `close`. */
  readonly type?: string;
  /** Of a message: its text. */
  readonly data?: unknown;
  /** Of a close: its code. */
  readonly code?: number;
}

/** The part of the standard WebSocket that live channels use. */
export interface StandardWebSocket {
  /** Sends a text. */
  send(text: string): void;
  /** Starts the closing handshake. */
  close(): void;
  /** Ends the connection at once, where the class can. */
  terminate?: () => void;
  /** Registers a listener for `open`, `message`, `error` and `close`. */
  addEventListener(type: string, listener: (event: StandardWebSocketEvent) => void): void;
}

/**
 * A class of WebSockets: the platform's own `WebSocket`, that of the package `ws` or of a subclass, such as one that
 * connects through a proxy.
 */
export type WebSocketClass = new (url: string) => StandardWebSocket;

/** Reports the frames of a socket; where its class can, the response by which its upgrade was refused. */
type Listen<Opened> = (socket: Opened, onFrame: (data: unknown) => void, onEnd: (end: SocketEnd) => void) => void;

const listenAsStandard: Listen<StandardWebSocket> = (socket, onFrame) => {
  socket.addEventListener('message', ({ data }) => {
    onFrame(data);
  });
};

/** Opens sockets of this class. Its methods may throw: the class may be a user's own. */
export function standardSockets<Opened extends StandardWebSocket>(
  WebSocket: new (url: string) => Opened,
  listen: Listen<Opened> = listenAsStandard,
): OpenSocket {
  return (url, handlers) => {
    let isOver = false;
    let socket: StandardWebSocket | undefined;
    const end = (reason: SocketEnd) => {
      if (isOver) return;
      isOver = true;
      handlers.onEnd(reason);
    };
    const close = () => {
      try {
        if (socket?.terminate === undefined) socket?.close();
        else socket.terminate();
      } catch {
        // The socket is given up all the same.
      }
    };
    const fail = () => {
      close();
      queueMicrotask(() => {
        end({});
      });
    };
    try {
      const opened = new WebSocket(url);
      socket = opened;
      opened.addEventListener('open', () => {
        // It was terminated while it opened: the standard has no other way to end it.
        if (isOver) close();
        else handlers.onOpen();
      });
      const report = (data: unknown) => {
        if (!isOver) handlers.onFrame(typeof data === 'string' && data.length <= maxFrameBytes ? data : undefined);
      };
      listen(opened, report, end);
      // Its details are not given to programs; `close` follows.
      opened.addEventListener('error', () => undefined);
      opened.addEventListener('close', ({ code }: StandardWebSocketEvent) => {
        end({ code });
      });
    } catch {
      fail();
    }
    return {
      send(text) {
        try {
          socket?.send(text);
        } catch {
          fail();
        }
      },
      terminate() {
        isOver = true;
        close();
      },
    };
  };
}

/** A proxy takes as long again to open a tunnel. */
const proxyTimeoutMs = 10_000;

/** Sockets of the package `ws`, Node's default, through a proxy or not. It is loaded when the first socket opens. */
export const wsSockets =
  (proxy?: string): OpenSocket =>
  (url, handlers) => {
    let socket: Socket | undefined;
    const opening = new AbortController();
    import('ws').then(
      ({ WebSocket }) => {
        if (opening.signal.aborted) return;
        const options = {
          perMessageDeflate: false,
          followRedirects: false,
          maxPayload: maxFrameBytes,
          // Explicit, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED could turn off the certificate check.
          rejectUnauthorized: true,
          ...(proxy === undefined
            ? {}
            : { createConnection: connectionThrough(proxy, url, proxyTimeoutMs, opening.signal) }),
        };
        socket = standardSockets(
          class extends WebSocket {
            constructor(address: string) {
              super(address, options);
            }
          },
          (opened, onFrame, onEnd) => {
            // Its standard listener would make an event object of each frame.
            opened.on('message', (data, isBinary) => {
              onFrame(isBinary || !Buffer.isBuffer(data) ? undefined : data.toString());
            });
            opened.on('unexpected-response', (request, response) => {
              const { statusCode: status, headers } = response;
              onEnd({ status, retryAfterMs: retryAfterMs(headers['retry-after']) });
              response.destroy();
              request.destroy();
            });
          },
        )(url, handlers);
      },
      () => {
        if (!opening.signal.aborted) handlers.onEnd({});
      },
    );
    return {
      send: (text) => {
        socket?.send(text);
      },
      terminate() {
        socket?.terminate();
        opening.abort();
      },
    };
  };
