// The connections of a client by their names, and the channels on them.
import { RequestError } from '../errors/index.js';
import type { Redactor } from '../http/index.js';
import { ChannelSubscriptions, type ReportKey } from './channel-subscriptions.js';
import type { Observable } from 'rxjs';
import { Authorization, Link, RequestRate, type LinkOptions, type OpenSocket } from './connection/index.js';
import type { Channel, KeySubscriptions } from './define-channel.js';
import type { LiveEvent } from './live-event.js';
import type { LiveOptions } from './live-options.js';

/** What the connections take from their client. */
export interface ConnectionsContext {
  readonly url: string;
  readonly open: OpenSocket;
  readonly options: LiveOptions;
  /** Random numbers from 0 to 1, for the jitter of reconnections. */
  readonly random: () => number;
  /** Removes the client's secrets from a text of the exchange. */
  readonly redactor: Redactor;
  /** Whether somebody listens to events. */
  readonly isReported: () => boolean;
  readonly report: (event: LiveEvent) => void;
  /** Requests a new token of a private connection over REST. */
  readonly readToken: () => Observable<string>;
}

/** A connection of the client. */
export interface ConnectionName {
  /** Name in events. */
  readonly name: string;
  /** Whether it is authorized before anything else is sent. */
  readonly isPrivate: boolean;
}

/** The connection that most public channels share. */
export const publicConnection: ConnectionName = { name: 'public', isPrivate: false };
/** The connection that the channels of the account share. A failure of its token does not concern the public one. */
export const privateConnection: ConnectionName = { name: 'private', isPrivate: true };
/** Far below the exchange's 12,000 requests in 10 s. */
const requestRate = { burst: 200, perSecond: 100 };
/** Connections of a client, candles included: the exchange accepts 1,000 a minute from an address. */
const connectRate = { burst: 100, perSecond: 5, perMinute: Number.POSITIVE_INFINITY };
/** Connections of keys that are kept before the first search for those that nobody needs. */
const minOfKeys = 64;
export const defaultRequestTimeoutMs = 10_000;

export class Connections {
  readonly #context: ConnectionsContext;
  readonly #connects = new RequestRate(connectRate, performance.now());
  readonly #links = new Map<string, Link>();
  /** The channel that has a method, by connection and method. */
  readonly #owners = new Map<string, Map<string, { readonly name: string }>>();
  /** Names of the connections that have one key of a channel: a program may use any number of keys. */
  readonly #ofKeys = new Set<string>();
  #maxOfKeys = minOfKeys;

  constructor(context: ConnectionsContext) {
    this.#context = context;
  }

  linkOf(connection: ConnectionName): Link {
    const key = keyOf(connection);
    const known = this.#links.get(key);
    if (known !== undefined) return known;
    const link = new Link(linkOptions(this.#context, connection, this.#connects));
    this.#links.set(key, link);
    return link;
  }

  /** As {@link subscriptionsOf}, on a connection for this key, which is forgotten when nobody needs it. */
  subscriptionsOfKey<Item>(channel: Channel<Item>, key: string): KeySubscriptions<Item> {
    const connection = { name: `${channel.name} ${key}`, isPrivate: channel.isPrivate === true };
    if (!this.#links.has(keyOf(connection))) {
      this.#forgetUnused();
      this.#ofKeys.add(keyOf(connection));
    }
    return this.subscriptionsOf(channel, connection);
  }

  /**
   * The subscriptions of a channel on a connection. Throws {@link RequestError} when another channel has one of its
   * methods there: it would take the pushes of the other, or replace its list.
   */
  subscriptionsOf<Item>(
    channel: Channel<Item>,
    connection = channel.isPrivate === true ? privateConnection : publicConnection,
  ): KeySubscriptions<Item> {
    const { name, subscribe, unsubscribe, update } = channel;
    const key = keyOf(connection);
    const methods = [update, subscribe, unsubscribe];
    const owners = this.#owners.get(key) ?? new Map<string, { readonly name: string }>();
    for (const method of methods) {
      const owner = owners.get(method);
      if (owner === undefined || owner === channel) continue;
      const message = `${name} has the method ${method} of the channel ${owner.name}: define a channel once`;
      throw new RequestError('live.channel', [{ field: 'channel', message }]);
    }
    for (const method of methods) owners.set(method, channel);
    this.#owners.set(key, owners);
    const { random, isReported, report } = this.#context;
    const reportKey: ReportKey = (subscribed, result) => {
      if (isReported()) report({ type: 'live-subscription', channel: name, key: subscribed, result });
    };
    const link = this.linkOf(connection);
    return channel.on(link, () => new ChannelSubscriptions(link, channel, random, reportKey));
  }

  /** Searches when their number has doubled, so that a search costs a new connection little. */
  #forgetUnused(): void {
    if (this.#ofKeys.size < this.#maxOfKeys) return;
    for (const name of this.#ofKeys) {
      if (this.#links.get(name)?.isLikeNew !== true) continue;
      this.#links.delete(name);
      this.#owners.delete(name);
      this.#ofKeys.delete(name);
    }
    this.#maxOfKeys = Math.max(minOfKeys, 2 * this.#ofKeys.size);
  }
}

/** A channel that a program defines may have any name. */
function keyOf({ name, isPrivate }: ConnectionName): string {
  return `${isPrivate ? '+' : '-'}${name}`;
}

function linkOptions(
  { url, open, options, random, redactor, isReported, report, readToken }: ConnectionsContext,
  { name, isPrivate }: ConnectionName,
  connects: RequestRate,
): LinkOptions {
  return {
    ...{ url, open, random, redactor, connects },
    ...(isPrivate ? { authorization: new Authorization(readToken) } : {}),
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    pingEveryMs: options.pingEveryMs ?? 15_000,
    pongTimeoutMs: options.pongTimeoutMs ?? 10_000,
    requestTimeoutMs: options.requestTimeoutMs ?? defaultRequestTimeoutMs,
    lingerMs: options.lingerMs ?? 0,
    requestRate: { ...requestRate, perMinute: options.maxRequestsPerMinute ?? Number.POSITIVE_INFINITY },
    report: ({ state, end }) => {
      if (!isReported()) return;
      const { code, status } = end ?? {};
      report({
        ...{ type: 'live-connection', connection: name, state },
        ...(code === undefined ? {} : { code }),
        ...(status === undefined ? {} : { status }),
      });
    },
  };
}
