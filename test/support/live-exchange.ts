// A live exchange written by hand, in memory: what it responds is said by the test. It knows nothing of the sandbox.

export interface ReceivedRequest {
  readonly connection: LiveConnection;
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The exchange's side of one connection. */
export interface LiveConnection {
  /** 1 for the first. */
  readonly number: number;
  readonly isOpen: boolean;
  respond(id: number, result: unknown): void;
  refuse(id: number, code: number, message: string): void;
  push(method: string, params: unknown): void;
  /** Sends this frame as it is. */
  frame(data: unknown): void;
  /** Ends the connection, seen by the client with this close code. */
  end(code?: number): void;
}

type Listener = (event: { readonly type?: string; readonly data?: unknown; readonly code?: number }) => void;

/** What the client opens. */
class Socket {
  readonly #listeners = new Map<string, Listener[]>();
  onSend: (text: string) => void = () => undefined;
  onClose: () => void = () => undefined;

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  emit(type: string, event: Parameters<Listener>[0] = {}): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ type, ...event });
  }

  send(text: string): void {
    this.onSend(text);
  }

  close(): void {
    this.onClose();
  }
}

export class LiveExchange {
  readonly connections: LiveConnection[] = [];
  /** Every request, in the order of their arrival. */
  readonly requests: ReceivedRequest[] = [];
  maxOpen = 0;
  /** Whether connections are accepted; `never`: no handshake completes. */
  accepts: boolean | 'never' = true;
  /** Whether pings get a pong. */
  pongs = true;
  /** The reaction to a request. By default, subscriptions succeed. */
  react: (request: ReceivedRequest) => void = (request) => {
    this.confirm(request);
  };
  readonly #open = new Set<number>();

  confirm({ connection, id }: ReceivedRequest): void {
    connection.respond(id, { status: 'success' });
  }

  get open(): number {
    return this.#open.size;
  }

  /** The connection that was opened last. */
  get last(): LiveConnection {
    const last = this.connections.at(-1);
    if (last === undefined) throw new Error('no connection was opened');
    return last;
  }

  /** The requests without pings, as text: `1 trades_subscribe ["BTC_USDT"]`. */
  get script(): readonly string[] {
    return this.requests
      .filter(({ method }) => method !== 'ping')
      .map(({ connection, method, params }) => `${connection.number} ${method} ${JSON.stringify(params)}`);
  }

  /** The class of sockets that the client opens. */
  get webSocket(): new (url: string) => Socket {
    const accept = (socket: Socket) => {
      this.#accept(socket);
    };
    return class extends Socket {
      constructor() {
        super();
        accept(this);
      }
    };
  }

  #accept(socket: Socket): void {
    const number = this.connections.length + 1;
    let isOpen = false;
    const end = (code: number) => {
      if (!isOpen) return;
      isOpen = false;
      this.#open.delete(number);
      queueMicrotask(() => {
        socket.emit('close', { code });
      });
    };
    const frame = (data: unknown) => {
      queueMicrotask(() => {
        if (isOpen) socket.emit('message', { data });
      });
    };
    const send = (message: object) => {
      frame(JSON.stringify(message));
    };
    const connection: LiveConnection = {
      number,
      get isOpen() {
        return isOpen;
      },
      respond: (id, result) => {
        send({ id, result, error: null });
      },
      refuse: (id, code, message) => {
        send({ id, result: null, error: { code, message } });
      },
      push: (method, params) => {
        send({ id: null, method, params });
      },
      frame,
      end: (code = 1006) => {
        end(code);
      },
    };
    this.connections.push(connection);
    socket.onSend = (text) => {
      const { id, method, params } = JSON.parse(text) as Pick<ReceivedRequest, 'id' | 'method' | 'params'>;
      const request = { connection, id, method, params };
      this.requests.push(request);
      if (method !== 'ping') this.react(request);
      else if (this.pongs) connection.respond(id, 'pong');
    };
    socket.onClose = () => {
      end(1005);
    };
    const { accepts } = this;
    if (accepts === 'never') return;
    queueMicrotask(() => {
      if (!accepts) {
        socket.emit('error');
        socket.emit('close', { code: 1006 });
        return;
      }
      isOpen = true;
      this.#open.add(number);
      this.maxOpen = Math.max(this.maxOpen, this.open);
      socket.emit('open');
    });
  }
}
