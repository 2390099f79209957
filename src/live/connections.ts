// The connections of a client by their names, and the channels on them.
import type { Observable, Subject } from 'rxjs';
import type { Redactor } from '../http/index.js';
import type { Channel, KeySubscriptions } from './channel.js';
import { ChannelSubscriptions, type ReportKey } from './channel-subscriptions.js';
import { Authorization, Link, RequestRate, type OpenSocket } from './connection/index.js';
import type { LiveEvent } from './live-event.js';
import type { LiveOptions } from './live-options.js';
import { KnownMarkets } from './markets.js';
import { sendQuery, type Query } from './queries.js';

/** What the connections take from their client. */
export interface ConnectionsContext {
  readonly open: OpenSocket;
  readonly options: LiveOptions & { readonly url: string };
  /** Random numbers from 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** Removes the client's secrets from a text of the exchange. */
  readonly redactor: Redactor;
  readonly events: Subject<LiveEvent>;
  readonly reads: ConnectionReads;
}

/** What the connections read over REST. */
export interface ConnectionReads {
  /** A new token of a private connection. */
  readonly readToken: () => Observable<string>;
  /** The names of all markets; `undefined` where one of them is unreadable. */
  readonly readMarketNames: () => Observable<readonly string[] | undefined>;
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
/** Connections of a client, candles included: the exchange accepts 1,000 a minute from an address. */
const connectRate = { burst: 100, perSecond: 5 };
const defaultRequestTimeoutMs = 10_000;

export class Connections {
  readonly #context: ConnectionsContext;
  readonly #connects = new RequestRate(connectRate);
  readonly #links = new Map<string, Link>();
  readonly #markets: KnownMarkets;

  constructor(context: ConnectionsContext) {
    this.#context = context;
    this.#markets = new KnownMarkets(context.reads.readMarketNames);
  }

  linkOf(connection: ConnectionName): Link {
    const known = this.#links.get(connection.name);
    if (known !== undefined) return known;
    const link = this.#newLink(connection);
    this.#links.set(connection.name, link);
    return link;
  }

  /** Emits once whether the exchange lists a market. */
  isListed(market: string): Observable<boolean> {
    return this.#markets.isListed(market);
  }

  /** The subscriptions of a channel on a connection. Made once for each channel: its pushes have one receiver. */
  subscriptionsOf<Item>(channel: Channel<Item>, connection = connectionOf(channel)): KeySubscriptions<Item> {
    const { random, events } = this.#context;
    const reportKey: ReportKey = (key, result) => {
      events.next({ type: 'live-subscription', channel: channel.name, key, result });
    };
    return new ChannelSubscriptions(this.linkOf(connection), channel, this.#markets, random, reportKey);
  }

  /** Sends a query on the connection that it needs. */
  request<Params, Output>(query: Query<Params, Output>, params: Params): Observable<Output> {
    const { requestTimeoutMs = defaultRequestTimeoutMs } = this.#context.options;
    return sendQuery(this.linkOf(connectionOf(query)), requestTimeoutMs, query, params);
  }

  #newLink({ name, isPrivate }: ConnectionName): Link {
    const { open, options, random, redactor, events, reads } = this.#context;
    return new Link({
      url: options.url,
      requestTimeoutMs: options.requestTimeoutMs ?? defaultRequestTimeoutMs,
      ...{ open, random, redactor, connects: this.#connects },
      ...(isPrivate ? { authorization: new Authorization(reads.readToken) } : {}),
      report: ({ state, end }) => {
        const { code, status } = end ?? {};
        events.next({
          ...{ type: 'live-connection', connection: name, state },
          ...(code === undefined ? {} : { code }),
          ...(status === undefined ? {} : { status }),
        });
      },
    });
  }
}

function connectionOf({ isPrivate = false }: { readonly isPrivate?: boolean }): ConnectionName {
  return isPrivate ? privateConnection : publicConnection;
}
