// The real-time interface on the port: upgrades of connections, with the bounds and checks of the port.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { livePath, maxMessageBytes, type LiveConnection, type LiveServer, type LiveSocket } from '../live/index.js';
import { rejectionOfPage } from './messages.js';

/** Bytes that wait for one client; a client that reads nothing is disconnected beyond. */
const maxWaitingBytes = 16 * 1024 * 1024;

/** As the live exchange does, the gateway ends the connection when the client closes it, without a close frame. */
class GatewaySocket extends WebSocket implements LiveSocket {
  override close(): void {
    this.terminate();
  }

  sendText(text: string): void {
    this.send(text);
    if (this.bufferedAmount > maxWaitingBytes) this.terminate();
  }

  closeWith(code: number): void {
    super.close(code);
  }

  end(): void {
    this.terminate();
  }

  freeze(): void {
    this.pause();
  }
}

export type WebSocketDoor = ReturnType<typeof openWebSocketDoor>;

export function isLiveUpgrade({ url = '', headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && url.split('?')[0] === livePath;
}

export function openWebSocketDoor(server: LiveServer, allowedOrigins: readonly string[]) {
  const sockets = new WebSocketServer({
    noServer: true,
    WebSocket: GatewaySocket,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    autoPong: false,
  });
  const raw = new Set<Duplex>();

  const open = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (client) => {
      // Its end follows as an event of its own.
      client.on('error', () => undefined);
      const connection = server.open(client);
      client.on('message', (data, isBinary) => {
        if (isBinary) connection.end();
        else connection.receive(new TextDecoder().decode(Array.isArray(data) ? Buffer.concat(data) : data));
        waitForReader(client, socket, connection);
      });
      client.on('ping', () => {
        connection.touch();
        // The live exchange does not return the payload.
        client.pong();
      });
      client.on('close', () => {
        connection.closed();
      });
    });
  };

  return {
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
      raw.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => raw.delete(socket));
      const rejection = rejectionOfPage(request.headers, allowedOrigins);
      if (rejection !== undefined) {
        refuse(socket, rejection.status, rejection.message);
        return;
      }
      server.admit((response) => {
        if (response === 'refused') socket.destroy();
        else if (response.status === 101) open(request, socket, head);
        else refuse(socket, response.status, '', response.retryAfterSeconds);
      });
    },
    close() {
      for (const socket of raw) socket.destroy();
    },
  };
}

function waitForReader(client: WebSocket, socket: Duplex, connection: LiveConnection): void {
  if (client.isPaused || !socket.writableNeedDrain) return;
  client.pause();
  socket.once('drain', () => {
    if (!connection.isFrozen) client.resume();
  });
}

function refuse(socket: Duplex, status: number, message: string, retryAfterSeconds?: number): void {
  const page = `<html><body><h1>${status}</h1>${message}</body></html>`;
  const headers = [
    `HTTP/1.1 ${status} Rejected`,
    'connection: close',
    'content-type: text/html',
    `content-length: ${Buffer.byteLength(page)}`,
    // Where the page of a redirection leads.
    ...(status >= 300 && status < 400 ? ['location: https://elsewhere.sandbox.test/'] : []),
    ...(retryAfterSeconds === undefined ? [] : [`retry-after: ${retryAfterSeconds}`]),
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${page}`);
}
