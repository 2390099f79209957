// A bare WebSocket of the probe: it sends requests and keeps every frame with its time. It knows nothing of the SDK, whose
// assumptions are what the probe checks.
import * as v from 'valibot';
import { WebSocket, type RawData } from 'ws';

/** What the probe may send, so that it stays polite whatever happens. */
export class Budget {
  #connections = 5;
  #requests = 50;

  takeConnection(): void {
    if (this.#connections === 0) throw new Error('the probe has used its 5 connections');
    this.#connections -= 1;
  }

  takeRequest(): void {
    if (this.#requests === 0) throw new Error('the probe has used its 50 requests');
    this.#requests -= 1;
  }
}

const frameSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    id: v.nullish(v.number()),
    method: v.nullish(v.string()),
    params: v.fallback(v.array(v.unknown()), []),
    result: v.optional(v.unknown()),
    error: v.nullish(v.object({ code: v.number(), message: v.fallback(v.string(), '') })),
  }),
);

/** A frame of the exchange. */
export interface Frame extends v.InferOutput<typeof frameSchema> {
  /** When it came, by `performance.now()`. */
  readonly at: number;
  /** Its place among the frames of the connection. */
  readonly index: number;
}

/** How a connection ended. */
export interface Ending {
  readonly at: number;
  readonly code: number;
}

export class ProbeConnection {
  readonly #frames: Frame[] = [];
  readonly #watchers = new Set<() => void>();
  #ending: Ending | undefined;
  #lastId = 0;

  private constructor(
    private readonly socket: WebSocket,
    private readonly budget: Budget,
    private readonly responseMs: number,
  ) {
    socket.on('message', (data) => {
      const read = v.safeParse(frameSchema, textOf(data));
      if (read.success) this.#frames.push({ ...read.output, at: performance.now(), index: this.#frames.length });
      this.#notify();
    });
    socket.on('close', (code) => {
      this.#ending = { at: performance.now(), code };
      this.#notify();
    });
  }

  /** Rejects when no connection is made within `responseMs`. */
  static open(url: string, budget: Budget, responseMs: number): Promise<ProbeConnection> {
    budget.takeConnection();
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: responseMs });
      const connection = new ProbeConnection(socket, budget, responseMs);
      socket.on('error', reject);
      socket.on('open', () => {
        resolve(connection);
      });
    });
  }

  /** The number of frames so far: where those of a later request begin. */
  get count(): number {
    return this.#frames.length;
  }

  /** Sends a request; resolves to its response. */
  async request(method: string, ...params: readonly unknown[]): Promise<Frame> {
    this.budget.takeRequest();
    this.#lastId += 1;
    const id = this.#lastId;
    const from = this.count;
    this.socket.send(JSON.stringify({ id, method, params }));
    const response = await this.next((frame) => frame.id === id, from, this.responseMs);
    if (response !== undefined) return response;
    throw new Error(
      this.#ending === undefined ? `no response to ${method} within ${this.responseMs} ms` : 'the connection has ended',
    );
  }

  /** Sends a text that need not be a request. */
  sendText(text: string): void {
    this.budget.takeRequest();
    this.socket.send(text);
  }

  /** Sends a ping of the protocol; resolves to the payload of its pong, `undefined` when none comes in time. */
  protocolPong(payload: string): Promise<string | undefined> {
    this.budget.takeRequest();
    let pong: string | undefined;
    this.socket.once('pong', (data) => {
      pong = data.toString();
      this.#notify();
    });
    this.socket.ping(payload);
    return this.#when(() => pong, this.responseMs);
  }

  /** The first frame from `from` on that matches; `undefined` when none comes within `boundMs`, or the connection ends. */
  next(matches: (frame: Frame) => boolean, from: number, boundMs: number): Promise<Frame | undefined> {
    let seen = from;
    return this.#when(() => {
      for (; seen < this.#frames.length; seen += 1) {
        const frame = this.#frames[seen];
        if (frame !== undefined && matches(frame)) return frame;
      }
      return undefined;
    }, boundMs);
  }

  /** The frames from `from` on that match, as far as they have come. */
  all(matches: (frame: Frame) => boolean, from: number): readonly Frame[] {
    return this.#frames.slice(from).filter(matches);
  }

  /** How the connection ended; `undefined` when it is open after `boundMs`. */
  ended(boundMs: number): Promise<Ending | undefined> {
    return this.#when(() => this.#ending, boundMs);
  }

  close(): void {
    this.socket.terminate();
  }

  #notify(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  /** What `look` finds, now or after a frame; `undefined` after `boundMs`, and after the end of the connection. */
  #when<Found>(look: () => Found | undefined, boundMs: number): Promise<Found | undefined> {
    return new Promise((resolve) => {
      const settle = (found: Found | undefined) => {
        clearTimeout(timer);
        this.#watchers.delete(check);
        resolve(found);
      };
      const check = () => {
        const found = look();
        if (found !== undefined || this.#ending !== undefined) settle(found);
      };
      const timer = setTimeout(settle, boundMs, undefined);
      this.#watchers.add(check);
      check();
    });
  }
}

/** Without options to the contrary, `ws` gives a text as one Buffer. */
function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString() : '';
}
