// A WebSocket that reaches the sandbox without a port. It delivers in microtasks, as a network does: never while the
// caller of `send` or of the constructor is running.
import type { LiveConnection } from './live-connection.js';
import { livePath, type LiveServer } from './live-server.js';
import type { LiveSocket } from './envelope.js';

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
  constructor(
    readonly code: number,
    readonly reason: string,
  ) {
    super('close');
  }
}

/** The class of connections to this server; any address but `url` is a connection error. */
export function webSocketClass(
  server: LiveServer,
  baseUrl: string,
  delay: (ms: number, task: () => void) => void,
): SandboxWebSocketClass {
  const { host } = new URL(baseUrl);
  const address = `wss://${host}${livePath}`;

  return class extends EventTarget implements SandboxWebSocket {
    readonly #url: string;
    #state: 'connecting' | 'open' | 'closing' | 'closed' = 'connecting';
    #isFrozen = false;
    #connection: LiveConnection | undefined;

    constructor(url: string | URL) {
      super();
      this.#url = new URL(url).href;
      queueMicrotask(() => {
        this.#connect();
      });
    }

    send(data: string): void {
      if (this.#state === 'connecting') throw new DOMException('the connection is not open yet', 'InvalidStateError');
      if (this.#state !== 'open') return;
      queueMicrotask(() => {
        if (!this.#isFrozen) this.#connection?.receive(data);
      });
    }

    close(): void {
      if (this.#state === 'closing' || this.#state === 'closed') return;
      const hasFailed = this.#state === 'connecting';
      this.#state = 'closing';
      queueMicrotask(() => {
        if (this.#isFrozen) return;
        this.#connection?.closed();
        this.#end(1006, '', hasFailed);
      });
    }

    #connect(): void {
      if (this.#state !== 'connecting') return;
      if (this.#url !== address) {
        this.#end(1006, '', true);
        return;
      }
      const { response, delayMs } = server.admit();
      const respond = () => {
        if (this.#state !== 'connecting') return;
        if (response === 'refused' || response.status !== 101) this.#end(1006, '', true);
        else this.#open();
      };
      if (delayMs === 0) respond();
      else
        delay(delayMs, () => {
          queueMicrotask(respond);
        });
    }

    #open(): void {
      this.#state = 'open';
      this.#connection = server.open(this.#socket());
      this.dispatchEvent(new Event('open'));
    }

    #socket(): LiveSocket {
      const end = (code: number, reason: string) => {
        queueMicrotask(() => {
          this.#end(code, reason, false);
        });
      };
      return {
        send: (data) => {
          queueMicrotask(() => {
            this.#receive(data);
          });
        },
        close: end,
        end: () => {
          end(1006, '');
        },
        freeze: () => {
          this.#isFrozen = true;
        },
      };
    }

    #receive(data: string): void {
      if (this.#state !== 'open' || this.#isFrozen) return;
      this.dispatchEvent(new MessageEvent('message', { data }));
    }

    #end(code: number, reason: string, hasFailed: boolean): void {
      if (this.#state === 'closed') return;
      this.#state = 'closed';
      if (hasFailed) this.dispatchEvent(new Event('error'));
      this.dispatchEvent(new CloseEvent(code, reason));
    }
  };
}
