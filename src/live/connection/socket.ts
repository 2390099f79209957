// One WebSocket, as a connection uses it: text in, text out, and an end that is reported once.
import { isRecord } from '../../model/map.js';
import { retryAfterMs } from '../../http/index.js';

/** Why a socket ended. */
export interface SocketEnd {
  /** The close code; 1006 when the connection was lost. */
  readonly code?: number;
  /** The HTTP status by which the upgrade was refused. */
  readonly status?: number;
  /** The wait that `Retry-After` of a refused upgrade, or of a refused token, requests, milliseconds; at most one day. */
  readonly retryAfterMs?: number;
  /** Why the connection could not be made. */
  readonly cause?: unknown;
}

/** What a socket reports. Nothing is reported after `onEnd`, or after {@link Socket.terminate}. */
export interface SocketHandlers {
  readonly onOpen: () => void;
  /** `undefined` for a frame that is no text. */
  readonly onFrame: (text: string | undefined) => void;
  /** Once, also when the socket never opened. */
  readonly onEnd: (end: SocketEnd) => void;
}

/** A socket that is open or opening. */
export interface Socket {
  /** Sends a text. Call it while the socket is open only. */
  send(text: string): void;
  /** Ends the connection at once: no closing handshake, and no further report. */
  terminate(): void;
}

/** Why the response to an upgrade, an `IncomingMessage` of Node, refuses it. */
export function refusedUpgrade(response: unknown): SocketEnd {
  const { statusCode: status, headers } = isRecord(response) ? response : {};
  const retryAfter = isRecord(headers) ? headers['retry-after'] : undefined;
  const waitMs = typeof retryAfter === 'string' ? retryAfterMs({ 'retry-after': retryAfter }, Date.now()) : undefined;
  return {
    ...(typeof status === 'number' ? { status } : {}),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  };
}

/** Opens a socket. Reports later, never during the call. */
export type OpenSocket = (url: string, handlers: SocketHandlers) => Socket;

/** The maximum size of a frame, bytes: as of a response over HTTP. */
export const maxFrameBytes = 8 * 1024 * 1024;
