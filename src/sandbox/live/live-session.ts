// The protocol of one connection: what each request gets, and what its subscriptions send. It knows no socket.
import type { Channel, Subscription } from './channel.js';
import { invalidArgument, unauthenticated, unknownMethod, type LiveRequest, type Push } from './envelope.js';
import type { LiveExchange } from './live-exchange.js';
import { privateMethods } from './private-methods.js';

/** What a request gets. */
export interface Outcome {
  readonly result: unknown;
  /** The first values of a subscription. */
  readonly pushes: readonly Push[];
}

const subscribed = { status: 'success' };

export class LiveSession {
  readonly #channels: ReadonlyMap<string, Channel>;
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(
    private readonly exchange: LiveExchange,
    channels: readonly Channel[],
  ) {
    this.#channels = new Map(channels.map((channel) => [channel.name, channel]));
  }

  /** Executes a request; throws a rejection. */
  respond({ method, params }: Pick<LiveRequest, 'method' | 'params'>): Outcome {
    const service = this.#service(method);
    if (service !== undefined) return { result: service, pushes: [] };
    const [name = ''] = method.split('_');
    const channel = this.#channels.get(name);
    const query = channel !== undefined && Object.hasOwn(channel.queries, method) ? channel.queries[method] : undefined;
    if (query !== undefined) return { result: query(params), pushes: [] };
    if (channel !== undefined && method === `${name}_subscribe`)
      return { result: subscribed, pushes: this.#subscription(channel).subscribe(params) };
    if (channel !== undefined && method === `${name}_unsubscribe`) {
      this.#subscription(channel).unsubscribe(params);
      return { result: subscribed, pushes: [] };
    }
    throw privateMethods.has(method) ? unauthenticated() : unknownMethod();
  }

  /** Changes the subscription of a list as a refused request with this list does. */
  leave({ method, params }: Pick<LiveRequest, 'method' | 'params'>, leaves: 'whole' | 'partial' | 'empty'): void {
    const subscription = this.#subscriptions.get(method.replace(/_subscribe$/, ''));
    if (subscription === undefined || leaves === 'whole') return;
    if (leaves === 'empty' || params.length < 2) subscription.unsubscribe([]);
    else subscription.subscribe(params.slice(0, Math.floor(params.length / 2)));
  }

  /** What the subscriptions send `ms` after the clock of the connections started. */
  due(ms: number): Push[] {
    return [...this.#subscriptions].flatMap(([name, subscription]) =>
      ms % (this.#channels.get(name)?.everyMs ?? ms) === 0 ? subscription.due() : [],
    );
  }

  /** The markets that the connection is subscribed to, in one channel or in all. */
  marketsOf(channel?: string): readonly string[] {
    return [...this.#subscriptions].flatMap(([name, subscription]) =>
      channel === undefined || channel === name ? subscription.markets() : [],
    );
  }

  #service(method: string): unknown {
    if (method === 'ping') return 'pong';
    if (method === 'time') return Math.floor(this.exchange.now() / 1000);
    // The sandbox issues no token of the real-time interface, so that every token is invalid.
    if (method === 'authorize') throw invalidArgument();
    return undefined;
  }

  #subscription(channel: Channel): Subscription {
    const subscription = this.#subscriptions.get(channel.name) ?? channel.open();
    this.#subscriptions.set(channel.name, subscription);
    return subscription;
  }
}
