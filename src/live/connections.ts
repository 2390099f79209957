// The connections of a client by their names, and the channels on them.
import type { Redactor } from '../http/index.js';
import { ChannelSubscriptions, type ReportKey } from './channel-subscriptions.js';
import type { Observable } from 'rxjs';
import { Authorization, Link, RequestRate, type LinkOptions, type OpenSocket } from './connection/index.js';
import type { Channel, KeySubscriptions } from './channel.js';
import { KnownMarkets } from './known-markets.js';
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
  /** Reads the names of all markets over REST; `undefined` where one of them is unreadable. */
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
/** Far below the exchange's 12,000 requests in 10 s. */
const requestRate = { burst: 200, perSecond: 100 };
/** Connections of a client, candles included: the exchange accepts 1,000 a minute from an address. */
const connectRate = { burst: 100, perSecond: 5 };
export const defaultRequestTimeoutMs = 10_000;

export class Connections {
  readonly #context: ConnectionsContext;
  readonly #connects = new RequestRate(connectRate, performance.now());
  readonly #links = new Map<string, Link>();
  readonly #markets: KnownMarkets;

  constructor(context: ConnectionsContext) {
    this.#context = context;
    this.#markets = new KnownMarkets(context.readMarketNames);
  }

  linkOf(connection: ConnectionName): Link {
    const known = this.#links.get(connection.name);
    if (known !== undefined) return known;
    const link = new Link(linkOptions(this.#context, connection, this.#connects));
    this.#links.set(connection.name, link);
    return link;
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
    const { random, isReported, report } = this.#context;
    const reportKey: ReportKey = (key, result) => {
      if (isReported()) report({ type: 'live-subscription', channel: channel.name, key, result });
    };
    return new ChannelSubscriptions(this.linkOf(connection), channel, this.#markets, random, reportKey);
  }
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
    requestRate,
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
