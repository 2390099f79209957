// The protocol of one connection: what each request gets, and what its subscriptions send. It knows no socket.
import type { AccountEvent } from '../engine/index.js';
import type { ExchangeState } from '../http/index.js';
import { tickMs, type Channel, type Subscription } from './channel.js';
import { accountChannels } from './channels/index.js';
import { invalidArgument, invalidToken, unauthenticated, unknownMethod } from './envelope.js';
import type { ChannelPush, LiveRequest, Push } from './envelope.js';
import type { LiveExchange } from './live-exchange.js';

export interface Outcome {
  readonly result: unknown;
  readonly pushes: readonly ChannelPush[];
}

interface OpenChannel extends Channel {
  readonly subscription: Subscription;
}

const success = { status: 'success' };
/** Published as a constant. */
const source = 'public';

export class LiveSession {
  readonly #channels = new Map<string, OpenChannel>();
  account: string | undefined;

  constructor(
    private readonly exchange: LiveExchange,
    private readonly state: ExchangeState,
    publicChannels: readonly Channel[],
  ) {
    for (const channel of publicChannels) this.#open(channel);
  }

  respond({ method, params }: Pick<LiveRequest, 'method' | 'params'>): Outcome {
    if (method === 'ping') return resultOf('pong');
    if (method === 'time') return resultOf(Math.floor(this.exchange.now() / 1000));
    if (method === 'authorize') return resultOf(this.#authorize(params));
    const [name = '', action = '', ...rest] = method.split('_');
    const channel = rest.length === 0 ? this.#channels.get(name) : undefined;
    const { queries = {}, subscription } = channel ?? {};
    if (action === 'subscribe' && subscription !== undefined)
      return { result: success, pushes: named(name, subscription.subscribe(params)) };
    if (action === 'unsubscribe' && subscription !== undefined) {
      subscription.unsubscribe(params);
      return resultOf(success);
    }
    const query = Object.hasOwn(queries, action) ? queries[action] : undefined;
    if (query !== undefined) return resultOf(query(params));
    throw this.account === undefined && privateMethods.test(method) ? unauthenticated() : unknownMethod();
  }

  due(ms: number): ChannelPush[] {
    return [...this.#channels.values()].flatMap(({ name, everyMs = tickMs, subscription }) =>
      ms % everyMs === 0 ? named(name, subscription.due()) : [],
    );
  }

  pushesOf(event: AccountEvent): ChannelPush[] {
    if (event.account !== this.account) return [];
    return [...this.#channels.values()].flatMap(({ name, subscription }) =>
      named(name, subscription.pushesOf?.(event) ?? []),
    );
  }

  passes(channel: string, market: string, isSnapshot: boolean): boolean {
    return this.#channels.get(channel)?.subscription.passes?.(market, isSnapshot) === true;
  }

  marketsOf(channel?: string): readonly string[] {
    return [...this.#channels.values()].flatMap(({ name, subscription }) =>
      channel === undefined || channel === name ? subscription.markets() : [],
    );
  }

  #open(channel: Channel): void {
    this.#channels.set(channel.name, { ...channel, subscription: channel.open() });
  }

  /** The account of the first token is that of the connection for the rest of its life. */
  #authorize(params: readonly unknown[]): unknown {
    const [token, constant] = params;
    const { exchange, state } = this;
    if (params.length !== 2 || typeof token !== 'string' || constant !== source) throw invalidArgument();
    const account = state.liveTokens.use(token);
    if (account === undefined || (this.account !== undefined && this.account !== account))
      throw invalidToken(exchange.behavior.invalidTokenCode);
    if (this.account !== undefined) return success;
    this.account = account;
    state.engine.accountEvents.follow(account);
    for (const [name, rulesOf] of Object.entries(accountChannels))
      this.#open({ name, ...rulesOf({ exchange, state, name: account }) });
    return success;
  }
}

function resultOf(result: unknown): Outcome {
  return { result, pushes: [] };
}

function named(channel: string, pushes: readonly Push[]): ChannelPush[] {
  return pushes.map((push) => ({ channel, ...push }));
}

/** The methods of private channels, and those that place and change orders. */
const privateMethods = new RegExp(`^(?:${Object.keys(accountChannels).join('|')}|order|collateral_order)_`);
