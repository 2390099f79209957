// Sockets of a standard WebSocket class: Bun, browsers, Node 22 and newer, the sandbox in process.
import { isRecord } from '../../model/map.js';
import { maxFrameBytes, refusedUpgrade, type OpenSocket, type SocketEnd } from './socket.js';

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

/** Opens sockets of this class. Its methods may throw: the class may be a user's own. */
export function standardSockets(WebSocket: WebSocketClass): OpenSocket {
  return (url, { onOpen, onFrame, onEnd }) => {
    let isOver = false;
    let socket: StandardWebSocket | undefined;
    const end = (reason: SocketEnd) => {
      if (isOver) return;
      isOver = true;
      onEnd(reason);
    };
    const close = () => {
      try {
        if (socket?.terminate === undefined) socket?.close();
        else socket.terminate();
      } catch {
        // The socket is given up all the same.
      }
    };
    const fail = (cause: unknown) => {
      close();
      queueMicrotask(() => {
        end({ cause });
      });
    };
    try {
      const opened = new WebSocket(url);
      socket = opened;
      opened.addEventListener('open', () => {
        // It was terminated while it opened: the standard has no other way to end it.
        if (isOver) close();
        else onOpen();
      });
      opened.addEventListener('message', ({ data }: StandardWebSocketEvent) => {
        if (!isOver) onFrame(typeof data === 'string' && data.length <= maxFrameBytes ? data : undefined);
      });
      // Its details are not given to programs; `close` follows.
      opened.addEventListener('error', () => undefined);
      opened.addEventListener('close', ({ code }: StandardWebSocketEvent) => {
        end(code === undefined ? {} : { code });
      });
      onRefusedUpgrade(opened, (response) => {
        end(refusedUpgrade(response));
      });
    } catch (cause) {
      fail(cause);
    }
    return {
      send(text) {
        try {
          socket?.send(text);
        } catch (cause) {
          fail(cause);
        }
      },
      terminate() {
        isOver = true;
        close();
      },
    };
  };
}

/** The standard hides the response by which an upgrade was refused; a class of the package `ws` gives it. */
function onRefusedUpgrade(socket: StandardWebSocket, listener: (response: unknown) => void): void {
  const on: unknown = Reflect.get(socket, 'on');
  if (typeof on !== 'function') return;
  const unexpected = (request: unknown, response: unknown) => {
    listener(response);
    for (const stream of [response, request]) {
      const destroy = isRecord(stream) ? stream['destroy'] : undefined;
      if (typeof destroy === 'function') Reflect.apply(destroy, stream, []);
    }
  };
  Reflect.apply(on, socket, ['unexpected-response', unexpected]);
}
