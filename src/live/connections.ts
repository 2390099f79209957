// The connections of a client by their names, and the channels on them.
import type { Observable, Subject } from 'rxjs';
import type { Redactor } from '../http/index.js';
import type { Channel, KeySubscriptions } from './channel.js';
import { ChannelSubscriptions } from './channel-subscriptions.js';
import { Authorization, Link, RequestRate, type OpenSocket } from './connection/index.js';
import type { LiveEvent } from './live-event.js';
import type { LiveOptions } from './live-options.js';
import { KnownMarkets } from './markets.js';
import { sendQuery, type Query } from './queries.js';
import { cached } from './values.js';

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

/** The connection that most public channels share. */
export const publicConnection = 'public';
/** The connection that the channels of the account share. A failure of its token does not concern the public one. */
export const privateConnection = 'private';
/** Connections of a client, candles included: the exchange accepts 1,000 a minute from an address. */
const connectRate = { burst: 100, perSecond: 5 };

export class Connections {
  /** The connection of a name, which its events have. */
  readonly linkOf = cached((name: string) => this.#newLink(name));
  readonly #context: ConnectionsContext;
  readonly #connects = new RequestRate(connectRate);
  readonly #markets: KnownMarkets;

  constructor(context: ConnectionsContext) {
    this.#context = context;
    this.#markets = new KnownMarkets(context.reads.readMarketNames);
  }

  /** Emits once whether the exchange lists a market. */
  isListed(market: string): Observable<boolean> {
    return this.#markets.isListed(market);
  }

  /** The subscriptions of a channel on a connection. Made once for each channel: its pushes have one receiver. */
  subscriptionsOf<Item>(
    channel: Channel<Item>,
    connection = channel.isPrivate === true ? privateConnection : publicConnection,
  ): KeySubscriptions<Item> {
    return new ChannelSubscriptions(this.linkOf(connection), channel, this.#markets, this.#context.random);
  }

  /** Sends a query on the account's connection. */
  request<Output>(query: Query<Output>): Observable<Output> {
    return sendQuery(this.linkOf(privateConnection), query);
  }

  #newLink(name: string): Link {
    const { open, options, random, redactor, events, reads } = this.#context;
    return new Link({
      ...{ url: options.url, open, random, redactor, connects: this.#connects },
      ...(name === privateConnection ? { authorization: new Authorization(reads.readToken) } : {}),
      report: (state, end) => {
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
