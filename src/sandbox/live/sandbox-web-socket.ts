// The shape of the standard WebSocket, as far as clients use it: its type, its events and their listeners.

/** The end of a connection, as the standard WebSocket reports it. */
export class SandboxCloseEvent extends Event {
  /** The status code; 1006 without a close frame. */
  readonly code: number;
  /** The reason of the close frame. */
  readonly reason: string;
  /** Whether both sides sent a close frame. */
  readonly wasClean: boolean;

  constructor({ code, reason, wasClean }: Pick<SandboxCloseEvent, 'code' | 'reason' | 'wasClean'>) {
    super('close');
    this.code = code;
    this.reason = reason;
    this.wasClean = wasClean;
  }
}

/** A connection to the sandbox, with the shape of the standard WebSocket. */
export interface SandboxWebSocket {
  /** The address of the constructor. */
  readonly url: string;
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: 0 | 1 | 2 | 3;
  /** Bytes that `send` accepted and the sandbox has not received. */
  readonly bufferedAmount: number;
  /** Binary messages are of class ArrayBuffer. */
  binaryType: string;
  /** Called when the connection is open. */
  onopen: ((event: Event) => void) | null;
  /** Called with each message. */
  onmessage: ((event: MessageEvent) => void) | null;
  /** Called before `onclose` when the connection failed. */
  onerror: ((event: Event) => void) | null;
  /** Called once when the connection has ended. */
  onclose: ((event: SandboxCloseEvent) => void) | null;
  /** Calls the listener with each event of this type. */
  addEventListener(type: 'open' | 'error', listener: (event: Event) => void): void;
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void;
  addEventListener(type: 'close', listener: (event: SandboxCloseEvent) => void): void;
  /** Calls the listener no more. */
  removeEventListener(type: 'open' | 'error', listener: (event: Event) => void): void;
  removeEventListener(type: 'message', listener: (event: MessageEvent) => void): void;
  removeEventListener(type: 'close', listener: (event: SandboxCloseEvent) => void): void;
  /** Sends a text message. Throws while connecting; has no effect after the end. */
  send(data: string): void;
  /** Ends the connection. As at the live exchange, the `close` event has the code 1006. */
  close(code?: number, reason?: string): void;
}

/** The class of {@link SandboxWebSocket}. */
export type SandboxWebSocketClass = new (url: string | URL) => SandboxWebSocket;

/** What `addEventListener` accepts. */
export type ListenerParameters =
  | [type: 'open' | 'error', listener: (event: Event) => void]
  | [type: 'message', listener: (event: MessageEvent) => void]
  | [type: 'close', listener: (event: SandboxCloseEvent) => void];

/** The listeners of one type of event. One that throws does not keep the others from being called. */
export class Listeners<OneEvent> {
  readonly #all = new Set<(event: OneEvent) => void>();

  add(listener: (event: OneEvent) => void): void {
    this.#all.add(listener);
  }

  remove(listener: (event: OneEvent) => void): void {
    this.#all.delete(listener);
  }

  /** `property` is the listener in a property such as `onopen`. */
  call(property: ((event: OneEvent) => void) | null, event: OneEvent): void {
    for (const listener of [...(property === null ? [] : [property]), ...this.#all]) {
      try {
        listener(event);
      } catch (error) {
        // As an uncaught error of the program, like one of a standard WebSocket's listener.
        process.nextTick(() => {
          throw error;
        });
      }
    }
  }
}
