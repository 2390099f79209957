// Sockets of the package `ws`, Node's default. It is loaded when the first socket opens.
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import {
  maxFrameBytes,
  refusedUpgrade,
  type OpenSocket,
  type Socket,
  type SocketEnd,
  type SocketHandlers,
} from './socket.js';

/** A handshake that takes longer than any `connectTimeoutMs` is ended by the connection. */
const options = {
  perMessageDeflate: false,
  followRedirects: false,
  maxPayload: maxFrameBytes,
  // Explicit, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED could turn off the certificate check.
  rejectUnauthorized: true,
};

export const openWsSocket: OpenSocket = (url, handlers) => {
  let socket: WebSocket | undefined;
  let isOver = false;
  const end = (reason: SocketEnd) => {
    if (isOver) return;
    isOver = true;
    handlers.onEnd(reason);
  };
  import('ws').then(
    (ws) => {
      if (isOver) return;
      try {
        socket = new ws.WebSocket(url, options);
      } catch (cause) {
        end({ cause });
        return;
      }
      listen(socket, { ...handlers, onEnd: end }, () => isOver);
    },
    (cause: unknown) => {
      end({ cause });
    },
  );
  return {
    send: (text) => {
      socket?.send(text);
    },
    terminate() {
      isOver = true;
      socket?.terminate();
    },
  } satisfies Socket;
};

function listen(socket: WebSocket, handlers: SocketHandlers, isOver: () => boolean): void {
  let cause: unknown;
  // `ws` emits `error` also when a socket is terminated while it connects: without a listener, the process would end.
  socket.on('error', (error) => (cause = error));
  socket.on('open', () => {
    if (!isOver()) handlers.onOpen();
  });
  socket.on('message', (data: RawData, isBinary: boolean) => {
    if (!isOver()) handlers.onFrame(isBinary ? undefined : textOf(data));
  });
  socket.on('close', (code) => {
    handlers.onEnd({ code, ...(cause === undefined ? {} : { cause }) });
  });
  socket.on('unexpected-response', (request: ClientRequest, response: IncomingMessage) => {
    handlers.onEnd(refusedUpgrade(response));
    response.destroy();
    request.destroy();
  });
}

/** `ws` gives a text as one Buffer: its other types are those of an option that is not used here. */
function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString('utf8');
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)).toString('utf8');
}
