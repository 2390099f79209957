// A WebSocket that reaches the sandbox without a port. It delivers in microtasks, as a network does: never while the
// caller of `send` or of the constructor is running.
import type { LiveConnection } from './live-connection.js';
import { livePath, type LiveServer } from './live-server.js';
import type { Frame, LiveSocket } from './envelope.js';
import {
  Listeners,
  SandboxCloseEvent,
  type ListenerParameters,
  type SandboxWebSocket,
  type SandboxWebSocketClass,
} from './sandbox-web-socket.js';

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

  return class implements SandboxWebSocket {
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
    readonly #listeners = {
      open: new Listeners<Event>(),
      error: new Listeners<Event>(),
      message: new Listeners<MessageEvent>(),
      close: new Listeners<SandboxCloseEvent>(),
    };

    constructor(url: string | URL) {
      this.url = new URL(url).href;
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

    addEventListener(...[type, listener]: ListenerParameters): void {
      if (type === 'message') this.#listeners.message.add(listener);
      else if (type === 'close') this.#listeners.close.add(listener);
      else this.#listeners[type].add(listener);
    }

    removeEventListener(...[type, listener]: ListenerParameters): void {
      if (type === 'message') this.#listeners.message.remove(listener);
      else if (type === 'close') this.#listeners.close.remove(listener);
      else this.#listeners[type].remove(listener);
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
      this.#listeners.open.call(this.onopen, new Event('open'));
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
      this.#listeners.message.call(this.onmessage, new MessageEvent('message', { data }));
    }

    #end(how: typeof noCloseFrame, hasFailed: boolean): void {
      if (this.#readyState === closed) return;
      this.#readyState = closed;
      if (hasFailed) this.#listeners.error.call(this.onerror, new Event('error'));
      this.#listeners.close.call(this.onclose, new SandboxCloseEvent(how));
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
