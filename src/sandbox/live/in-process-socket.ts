// A WebSocket that reaches the sandbox without a port. It delivers in microtasks, as a network does: never while the
// caller of `send` or of the constructor is running.
import type { LiveConnection } from './live-connection.js';
import type { Admission, LiveSocket } from './envelope.js';
import { livePath, lostCode, type LiveServer } from './live-server.js';

/** What a connection to the sandbox reports, with the fields of the standard events that clients use. */
export interface SandboxSocketEvent {
  /** `open`, `message`, `error` or `close`. */
  readonly type: string;
  /** Of a message: its text. */
  readonly data?: unknown;
  /** Of the end: the status code; 1006 without a close frame. */
  readonly code?: number;
  /** Of the end: the reason of the close frame. */
  readonly reason?: string;
}

/** A connection to the sandbox, with the part of the standard WebSocket that clients use. */
export interface SandboxWebSocket {
  /** Calls the listener with each event of this type; `error` comes before `close` where the connection failed. */
  addEventListener(type: 'open' | 'message' | 'error' | 'close', listener: (event: SandboxSocketEvent) => void): void;
  /** Sends a text message. Throws while connecting; has no effect after the end. */
  send(data: string): void;
  /** Ends the connection. As at the live exchange, the `close` event has the code 1006. */
  close(): void;
}

/** The class of {@link SandboxWebSocket}. */
export type SandboxWebSocketClass = new (url: string | URL) => SandboxWebSocket;

class CloseEvent extends Event implements SandboxSocketEvent {
  readonly reason = '';

  constructor(readonly code: number) {
    super('close');
  }
}

export function webSocketClass(server: LiveServer, baseUrl: string): SandboxWebSocketClass {
  const { host } = new URL(baseUrl);
  const address = `wss://${host}${livePath}`;

  return class extends EventTarget implements SandboxWebSocket {
    #state: 'connecting' | 'open' | 'closing' | 'closed' = 'connecting';
    #connection: LiveConnection | undefined;

    constructor(url: string | URL) {
      super();
      const { href } = new URL(url);
      queueMicrotask(() => {
        if (this.#state !== 'connecting') return;
        if (href !== address) this.#end(lostCode, true);
        else
          server.admit((response) => {
            queueMicrotask(() => {
              this.#admitted(response);
            });
          });
      });
    }

    send(data: string): void {
      if (this.#state === 'connecting') throw new DOMException('the connection is not open yet', 'InvalidStateError');
      if (this.#state !== 'open') return;
      queueMicrotask(() => {
        this.#connection?.receive(data);
      });
    }

    close(): void {
      if (this.#state === 'closing' || this.#state === 'closed') return;
      const hasFailed = this.#state === 'connecting';
      this.#state = 'closing';
      queueMicrotask(() => {
        if (this.#connection?.isFrozen === true) return;
        this.#connection?.closed();
        this.#end(lostCode, hasFailed);
      });
    }

    #admitted(response: Admission): void {
      if (this.#state !== 'connecting') return;
      if (response === 'refused' || response.status !== 101) {
        this.#end(lostCode, true);
        return;
      }
      this.#state = 'open';
      this.#connection = server.open(this.#socket());
      this.dispatchEvent(new Event('open'));
    }

    #socket(): LiveSocket {
      const end = (code: number) => {
        queueMicrotask(() => {
          this.#end(code);
        });
      };
      return {
        sendText: (data) => {
          queueMicrotask(() => {
            if (this.#state === 'open' && this.#connection?.isFrozen !== true)
              this.dispatchEvent(new MessageEvent('message', { data }));
          });
        },
        closeWith: end,
        end: () => {
          end(lostCode);
        },
        // The connection passes nothing on by itself.
        freeze: () => undefined,
      };
    }

    #end(code: number, hasFailed = false): void {
      if (this.#state === 'closed') return;
      this.#state = 'closed';
      if (hasFailed) this.dispatchEvent(new Event('error'));
      this.dispatchEvent(new CloseEvent(code));
    }
  };
}
