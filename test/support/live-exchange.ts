// A live exchange written by hand, in memory: what it responds is said by the test. It knows nothing of the sandbox.

export interface ReceivedRequest {
  readonly connection: LiveConnection;
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

type Listener = (event: { readonly type?: string; readonly data?: unknown; readonly code?: number }) => void;

/** One connection: the socket that the client opens, and the exchange's side of it. */
export class LiveConnection {
  /** Its requests without pings. */
  readonly requests: ReceivedRequest[] = [];
  state: 'opening' | 'open' | 'over' = 'opening';
  readonly #server: LiveExchange;
  readonly #listeners = new Map<string, Listener[]>();

  constructor(
    server: LiveExchange,
    /** 1 for the first. */
    readonly number: number,
  ) {
    this.#server = server;
    const { accepts } = server;
    if (accepts === 'never') return;
    server.later(() => {
      if (this.state !== 'opening') return;
      if (!server.accepts) this.end();
      else {
        this.state = 'open';
        server.maxOpen = Math.max(server.maxOpen, server.open);
        this.#emit('open');
      }
    });
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  send(text: string): void {
    const { id, method, params } = JSON.parse(text) as Omit<ReceivedRequest, 'connection'>;
    this.#server.later(() => {
      if (this.isOpen) this.#server.receive({ connection: this, id, method, params });
    });
  }

  close(): void {
    this.state = 'over';
  }

  get isOpen(): boolean {
    return this.state === 'open';
  }

  respond(id: number, result: unknown): void {
    this.frame(JSON.stringify({ id, result, error: null }));
  }

  confirm(id: number): void {
    this.respond(id, { status: 'success' });
  }

  refuse(id: number, code: number, message: string): void {
    this.frame(JSON.stringify({ id, result: null, error: { code, message } }));
  }

  push(method: string, params: unknown): void {
    this.frame(JSON.stringify({ id: null, method, params }));
  }

  /** Sends this frame as it is. */
  frame(data: unknown): void {
    if (this.isOpen) this.#emit('message', { data });
  }

  /** Ends the connection, seen by the client with this close code. */
  end(code = 1006): void {
    if (this.state === 'over') return;
    this.state = 'over';
    this.#emit('close', { code });
  }

  #emit(type: string, event: Parameters<Listener>[0] = {}): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ type, ...event });
  }
}

export class LiveExchange {
  readonly connections: LiveConnection[] = [];
  /** Every request, pings included, in the order of their arrival. */
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

  /** @param latencyMs how long a handshake and a request take; 0: a turn */
  constructor(private readonly latencyMs = 0) {}

  confirm({ connection, id }: ReceivedRequest): void {
    connection.confirm(id);
  }

  get open(): number {
    return this.connections.filter(({ isOpen }) => isOpen).length;
  }

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

  get webSocket(): new (url: string) => LiveConnection {
    const server = (): LiveExchange => this;
    return class extends LiveConnection {
      constructor() {
        super(server(), server().connections.length + 1);
        server().connections.push(this);
      }
    };
  }

  receive(request: ReceivedRequest): void {
    this.requests.push(request);
    if (request.method === 'ping') {
      if (this.pongs) request.connection.respond(request.id, 'pong');
      return;
    }
    request.connection.requests.push(request);
    this.react(request);
  }

  later(act: () => void): void {
    if (this.latencyMs === 0) queueMicrotask(act);
    else setTimeout(act, this.latencyMs);
  }
}
