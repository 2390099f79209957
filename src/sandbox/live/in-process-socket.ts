// A WebSocket that reaches the sandbox without a port. It delivers in microtasks, as a network does: never while the
// caller of `send` or of the constructor is running.
import type { LiveConnection } from './live-connection.js';
import { livePath, type LiveServer } from './live-server.js';
import type { Frame, LiveSocket } from './live-socket.js';

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
export interface SandboxWebSocket extends EventTarget {
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
  /** Sends a text message. Throws while connecting; has no effect after the end. */
  send(data: string): void;
  /** Ends the connection. As at the live exchange, the `close` event has the code 1006. */
  close(code?: number, reason?: string): void;
}

/** The class of {@link SandboxWebSocket}. */
export type SandboxWebSocketClass = new (url: string | URL) => SandboxWebSocket;

const connecting = 0;
const open = 1;
const closing = 2;
const closed = 3;
const noCloseFrame = { code: 1006, reason: '', wasClean: false };

/** The class of connections to this server; any address but `url` is a connection error. */
export function webSocketClass(
  server: LiveServer,
  baseUrl: string,
  delay: (ms: number, task: () => void) => void,
): SandboxWebSocketClass {
  const { host } = new URL(baseUrl);
  const address = `wss://${host}${livePath}`;

  return class extends EventTarget implements SandboxWebSocket {
    readonly url: string;
    binaryType = 'arraybuffer';
    onopen: SandboxWebSocket['onopen'] = null;
    onmessage: SandboxWebSocket['onmessage'] = null;
    onerror: SandboxWebSocket['onerror'] = null;
    onclose: SandboxWebSocket['onclose'] = null;
    #readyState: 0 | 1 | 2 | 3 = connecting;
    #bufferedAmount = 0;
    #isFrozen = false;
    #connection: LiveConnection | undefined;
    readonly #deliveries = new Deliveries();

    constructor(url: string | URL) {
      super();
      this.url = new URL(url).href;
      this.addEventListener('open', (event) => this.onopen?.(event));
      this.addEventListener('error', (event) => this.onerror?.(event));
      this.addEventListener('message', (event) => {
        if (event instanceof MessageEvent) this.onmessage?.(event);
      });
      this.addEventListener('close', (event) => {
        if (event instanceof SandboxCloseEvent) this.onclose?.(event);
      });
      this.#deliveries.add(() => {
        this.#connect();
      });
    }

    get readyState() {
      return this.#readyState;
    }

    get bufferedAmount() {
      return this.#bufferedAmount;
    }

    send(data: string): void {
      if (this.#readyState === connecting)
        throw new DOMException('the connection is not open yet', 'InvalidStateError');
      if (this.#readyState !== open || this.#isFrozen) return;
      const size = Buffer.byteLength(data);
      this.#bufferedAmount += size;
      this.#deliveries.add(() => {
        if (this.#isFrozen) return;
        this.#bufferedAmount -= size;
        this.#connection?.receive(data);
      });
    }

    close(code?: number, reason = ''): void {
      if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999))
        throw new DOMException(`code ${code} must be 1000, or from 3000 to 4999`, 'InvalidAccessError');
      if (Buffer.byteLength(reason) > maxReasonBytes)
        throw new DOMException(`reason must have at most ${maxReasonBytes} bytes`, 'SyntaxError');
      if (this.#readyState >= closing) return;
      const hasFailed = this.#readyState === connecting;
      this.#readyState = closing;
      this.#deliveries.add(() => {
        if (this.#isFrozen) return;
        this.#connection?.closed();
        this.#end(noCloseFrame, hasFailed);
      });
    }

    #connect(): void {
      if (this.#readyState !== connecting) return;
      if (this.url !== address) {
        this.#end(noCloseFrame, true);
        return;
      }
      const { response, delayMs } = server.admit();
      if (response === 'never') return;
      const respond = () => {
        if (this.#readyState !== connecting) return;
        if (response === 'refused' || response.status !== 101) this.#end(noCloseFrame, true);
        else this.#open();
      };
      if (delayMs === 0) respond();
      else
        delay(delayMs, () => {
          this.#deliveries.add(respond);
        });
    }

    #open(): void {
      this.#readyState = open;
      this.dispatchEvent(new Event('open'));
      if (this.readyState !== open) return;
      this.#connection = server.open(this.#socket());
    }

    #socket(): LiveSocket {
      const end = (how: typeof noCloseFrame) => {
        this.#deliveries.add(() => {
          this.#end(how, false);
        });
      };
      return {
        send: (frame) => {
          this.#deliveries.add(() => {
            this.#receive(frame);
          });
        },
        close: (code, reason) => {
          end({ code, reason, wasClean: true });
        },
        end: () => {
          end(noCloseFrame);
        },
        freeze: () => {
          this.#isFrozen = true;
        },
      };
    }

    #receive({ text, form }: Frame): void {
      if (this.#readyState !== open || this.#isFrozen) return;
      const data = form === 'binary' ? new TextEncoder().encode(text).buffer : text;
      this.dispatchEvent(new MessageEvent('message', { data }));
    }

    #end(how: typeof noCloseFrame, hasFailed: boolean): void {
      if (this.#readyState === closed) return;
      this.#readyState = closed;
      if (hasFailed) this.dispatchEvent(new Event('error'));
      this.dispatchEvent(new SandboxCloseEvent(how));
    }
  };
}

const maxReasonBytes = 123;

/** Runs tasks in order, each in a microtask of its own. */
class Deliveries {
  #waiting: (() => void)[] = [];
  #position = 0;
  #isRunning = false;

  add(task: () => void): void {
    this.#waiting.push(task);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#later();
  }

  #later(): void {
    queueMicrotask(() => {
      const task = this.#waiting[this.#position];
      this.#position += 1;
      if (task === undefined) {
        this.#waiting = [];
        this.#position = 0;
        this.#isRunning = false;
        return;
      }
      this.#later();
      task();
    });
  }
}
