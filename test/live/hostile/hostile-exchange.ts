// Another live exchange in memory, written apart from test/support/live-exchange.ts: with latency, and with books of its own.
import { createExchange, type ClientOptions, type Exchange } from 'exchange-rx';
import { vi } from 'vitest';

type Listener = (event: { type?: string; data?: unknown; code?: number }) => void;
export interface Got {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly wire: Wire;
}
export class Wire {
  readonly got: Got[] = [];
  state: 'opening' | 'open' | 'over' = 'opening';
  readonly #listeners = new Map<string, Listener[]>();
  constructor(
    readonly world: World,
    readonly number: number,
  ) {
    setTimeout(() => {
      if (this.state !== 'opening' || world.refusesConnections) {
        this.cut();
        return;
      }
      this.state = 'open';
      this.emit('open', {});
    }, world.handshakeMs);
  }
  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }
  emit(type: string, event: Parameters<Listener>[0]): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ type, ...event });
  }
  send(text: string): void {
    const { id, method, params } = JSON.parse(text) as Omit<Got, 'wire'>;
    const got = { id, method, params, wire: this };
    setTimeout(() => {
      if (this.state !== 'open') return;
      if (method === 'ping') {
        this.answer(id, 'pong');
        return;
      }
      this.got.push(got);
      this.world.log.push(`${this.number} ${method} ${JSON.stringify(params)}`);
      this.world.on(got);
    }, this.world.latencyMs);
  }
  close(): void {
    this.state = 'over';
  }
  terminate = () => {
    this.state = 'over';
  };
  frame(data: unknown): void {
    if (this.state === 'open') this.emit('message', { data });
  }
  json(value: unknown): void {
    this.frame(JSON.stringify(value));
  }
  answer(id: unknown, result: unknown): void {
    this.json({ id, result, error: null });
  }
  ok(id: unknown): void {
    this.answer(id, { status: 'success' });
  }
  no(id: unknown, code: number, message: string): void {
    this.json({ id, result: null, error: { code, message } });
  }
  push(method: string, params: unknown): void {
    this.json({ id: null, method, params });
  }
  cut(): void {
    if (this.state === 'over') return;
    this.state = 'over';
    this.emit('close', { code: 1006 });
  }
}
export class World {
  readonly wires: Wire[] = [];
  readonly log: string[] = [];
  latencyMs = 10;
  handshakeMs = 10;
  refusesConnections = false;
  on: (got: Got) => void = ({ wire, id }) => {
    wire.ok(id);
  };
  get wire(): Wire {
    const last = this.wires.at(-1);
    if (last === undefined) throw new Error('none');
    return last;
  }
  get open(): number {
    return this.wires.filter(({ state }) => state === 'open').length;
  }
  get webSocket() {
    const open = (add: (world: World) => void) => {
      add(this);
    };
    return class extends Wire {
      constructor() {
        let own: World | undefined;
        open((world) => (own = world));
        if (own === undefined) throw new Error('no world');
        super(own, own.wires.length + 1);
        own.wires.push(this);
      }
    };
  }
}
let addresses = 0;

export function attack(
  live: ClientOptions['live'] = {},
  options: Partial<ClientOptions> = {},
): { readonly world: World; readonly exchange: Exchange } {
  const world = new World();
  addresses += 1;
  const exchange = createExchange({
    ...{
      baseUrl: `https://exchange-${addresses}.example`,
      webSocket: world.webSocket,
      live,
      retry: { random: () => 0.5 },
    },
    fetch: () => Promise.resolve(new Response('', { status: 404 })),
    ...options,
  });
  return { world, exchange };
}
export const ms = (time: number) => vi.advanceTimersByTimeAsync(time);

/** `count` levels a side around 100. */
export function sides(count: number) {
  return {
    asks: Array.from({ length: count }, (_, index) => [String(101 + index), '1']),
    bids: Array.from({ length: count }, (_, index) => [String(99 - index * 0.5), '1']),
  };
}
export const snapshot = (market: string, updateId: number, count: number) => [
  true,
  { timestamp: 1, event_time: 1, update_id: updateId, ...sides(count) },
  market,
];
export const delta = (market: string, past: number, updateId: number, bids: unknown = [['98.75', '2']]) => [
  false,
  { timestamp: 1, event_time: 1, update_id: updateId, past_update_id: past, bids },
  market,
];

/** An exchange with books: one subscription for each market, as the documentation says. */
export function depthServer(world: World, bad: readonly string[] = [], levels = 100): Map<string, number> {
  const subscribed = new Map<string, number>();
  const ids = new Map<string, number>();
  world.on = ({ wire, id, method, params }) => {
    const [market = '', limit] = params as [string?, number?];
    if (method === 'depth_subscribe') {
      if (bad.includes(market)) wire.no(id, 9, `market ${market} does not exist`);
      else if (![1, 5, 10, 20, 30, 50, 100].includes(limit ?? 0)) wire.no(id, 1, 'invalid argument');
      else {
        subscribed.set(market, limit ?? 0);
        wire.ok(id);
        const next = (ids.get(market) ?? 0) + 1000;
        ids.set(market, next);
        wire.push('depth_update', snapshot(market, next, Math.min(levels, limit ?? 0)));
      }
    } else if (method === 'depth_unsubscribe') {
      if (params.length === 0) subscribed.clear();
      else subscribed.delete(market);
      wire.ok(id);
    } else wire.ok(id);
  };
  return subscribed;
}
