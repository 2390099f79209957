// The protocol of one connection: what each request gets, and what its subscriptions send. It knows no socket.
import type { AccountEvent } from '../engine/index.js';
import type { Channel, Subscription } from './channel.js';
import {
  accountChannelNames,
  invalidArgument,
  invalidToken,
  type LiveRequest,
  type Push,
  unauthenticated,
  unknownMethod,
} from './envelope.js';
import type { LiveExchange } from './live-exchange.js';
import type { OneTimeTokens } from '../tokens.js';

export interface ChannelSource {
  /** The public channels. */
  readonly channels: readonly Channel[];
  /** The private channels of an account, which is followed from now on. */
  channelsOf(account: string): readonly Channel[];
}

export interface Outcome {
  readonly result: unknown;
  readonly pushes: readonly Push[];
}

const success = { status: 'success' };
/** Published as a constant. */
const source = 'public';

export class LiveSession {
  readonly #channels: Map<string, Channel>;
  readonly #subscriptions = new Map<string, Subscription>();
  /** The account that the connection is authorized for, if any. */
  account: string | undefined;

  constructor(
    private readonly exchange: LiveExchange,
    private readonly tokens: OneTimeTokens,
    private readonly source: ChannelSource,
  ) {
    this.#channels = new Map(source.channels.map((channel) => [channel.name, channel]));
  }

  /** Executes a request; throws a rejection. */
  respond({ method, params }: Pick<LiveRequest, 'method' | 'params'>): Outcome {
    const service = this.#service(method);
    if (service !== undefined) return { result: service, pushes: [] };
    if (method === 'authorize') return { result: this.#authorize(params), pushes: [] };
    const [name = ''] = method.split('_');
    const channel = this.#channels.get(name);
    const query = channel !== undefined && Object.hasOwn(channel.queries, method) ? channel.queries[method] : undefined;
    if (query !== undefined) return { result: query(params), pushes: [] };
    if (channel !== undefined && method === `${name}_subscribe`)
      return { result: success, pushes: this.#subscription(channel).subscribe(params) };
    if (channel !== undefined && method === `${name}_unsubscribe`) {
      this.#subscription(channel).unsubscribe(params);
      return { result: success, pushes: [] };
    }
    throw this.account === undefined && privateMethods.test(method) ? unauthenticated() : unknownMethod();
  }

  /** What the subscriptions send `ms` after the clock of the connections started. */
  due(ms: number): Push[] {
    return [...this.#subscriptions].flatMap(([name, subscription]) =>
      ms % (this.#channels.get(name)?.everyMs ?? ms) === 0 ? subscription.due() : [],
    );
  }

  pushesOf(event: AccountEvent): Push[] {
    if (event.account !== this.account) return [];
    return [...this.#subscriptions.values()].flatMap((subscription) => subscription.pushesOf?.(event) ?? []);
  }

  /** Whether a recorded message is passed on. */
  passes(channel: string, market: string, isSnapshot: boolean): boolean {
    return this.#subscriptions.get(channel)?.passes?.(market, isSnapshot) === true;
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
    return undefined;
  }

  /** The account of the first token is that of the connection for the rest of its life. */
  #authorize(params: readonly unknown[]): unknown {
    const [token, constant] = params;
    if (params.length !== 2 || typeof token !== 'string' || constant !== source) throw invalidArgument();
    const account = this.tokens.use(token);
    if (account === undefined || (this.account !== undefined && this.account !== account))
      throw invalidToken(this.exchange.behavior.invalidTokenCode);
    if (this.account === undefined)
      for (const channel of this.source.channelsOf(account)) this.#channels.set(channel.name, channel);
    this.account = account;
    return success;
  }

  #subscription(channel: Channel): Subscription {
    const subscription = this.#subscriptions.get(channel.name) ?? channel.open();
    this.#subscriptions.set(channel.name, subscription);
    return subscription;
  }
}

/** The methods of private channels, and those that place and change orders. */
const privateMethods = new RegExp(`^(?:${accountChannelNames.join('|')}|order|collateral_order)_`);
