// The connections of a client by their names, the channels on them and the queries of the account, and what they report.
import { first, map, merge, switchMap, take, throwError, timeout, type Observable, type Subject } from 'rxjs';
import * as v from 'valibot';
import { LiveRefusedError, ResponseError, TimeoutError, TransportError } from '../errors/index.js';
import type { Redactor } from '../http/index.js';
import {
  collateralAssetsSchema,
  tradeBalanceSchema,
  type CollateralAssets,
  type TradeBalance,
} from '../model/balances.js';
import type { LiveGap } from '../model/stream-gap.js';
import { integer } from '../model/tolerant.js';
import { everyKey, type Channel, type KeySubscriptions } from './channel.js';
import { ChannelSubscriptions } from './channel-subscriptions.js';
import {
  Authorization,
  Link,
  RequestRate,
  responseTimeoutMs,
  type LiveState,
  type OpenSocket,
} from './connection/index.js';
import { KnownMarkets } from './markets.js';
import { cached } from './values.js';

/** The state of a live connection has changed. */
export interface LiveConnectionEvent {
  /** Discriminates the events. */
  readonly type: 'live-connection';
  /** The connection: `public`, `private` (of the account), or one of its own, such as `candles BTC_USDT 1m`. */
  readonly connection: string;
  /** The state now. */
  readonly state: LiveState;
  /** The close code of the last connection, where it had one; 1006 when it was lost. */
  readonly code?: number;
  /** The HTTP status by which the exchange refused the connection. */
  readonly status?: number;
}

/** Items of a channel may be missing: of a book, updates; it is stale until the next snapshot. */
export interface LiveGapEvent extends Omit<LiveGap, 'kind'> {
  /** Discriminates the events. */
  readonly type: 'live-gap';
}

/**
 * A subscription has become stale, because its connection was lost or it was silent for too long; or it is so no longer:
 * the exchange has confirmed it again or, where the channel is never silent, sent a message; or it has ended.
 */
export interface LiveStaleEvent {
  /** Discriminates the events. */
  readonly type: 'live-stale';
  /** The channel, such as `orderBook`. */
  readonly channel: string;
  /** The market; left out for a channel of the account or of all markets. */
  readonly market?: string;
  /** Whether it is stale now. */
  readonly stale: boolean;
}

/** The events of live channels, on `events$`. No event has a token or a parameter of a request. Switch on `type`. */
export type LiveEvent = LiveConnectionEvent | LiveGapEvent | LiveStaleEvent;

export interface ConnectionsContext {
  readonly open: OpenSocket;
  readonly url: string;
  /** Random numbers from 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  readonly redactor: Redactor;
  readonly events: Subject<LiveEvent>;
  readonly reads: ConnectionReads;
}

export interface ConnectionReads {
  /** A new token of a private connection. */
  readonly readToken: () => Observable<string>;
  /** The names of all markets; `undefined` where one of them is unreadable. */
  readonly readMarketNames: () => Observable<readonly string[] | undefined>;
}

/** A request on the account's connection that has a result and no parameters: data. */
export interface Query<Output> {
  readonly name: string;
  readonly method: string;
  readonly result: v.GenericSchema<unknown, Output>;
}

/** The exchange's time, Unix seconds: on the account's connection, so that it is known when its pushes are. */
export const timeQuery: Query<number> = { name: 'live.time', method: 'time', result: integer };

export const balancesQuery: Query<TradeBalance> = {
  name: 'live.balances',
  method: 'balanceSpot_request',
  result: tradeBalanceSchema,
};

export const marginBalancesQuery: Query<CollateralAssets> = {
  name: 'live.marginBalances',
  method: 'balanceMargin_request',
  result: collateralAssetsSchema,
};

/** The connection that most public channels share. */
export const publicConnection = 'public';
/** The connection that the channels of the account share. A failure of its token does not concern the public one. */
export const privateConnection = 'private';
/** Connections of a client, candles included: the exchange accepts 1,000 a minute from an address. */
const connectRate = { burst: 100, perSecond: 5 };

export class Connections {
  readonly linkOf = cached((name: string) => this.#newLink(name));
  readonly #context: ConnectionsContext;
  readonly #connects = new RequestRate(connectRate);
  readonly #markets: KnownMarkets;
  readonly #links = new Set<Link>();

  constructor(context: ConnectionsContext) {
    this.#context = context;
    this.#markets = new KnownMarkets(context.reads.readMarketNames);
  }

  /** The subscriptions of a channel on a connection. Made once for each channel: its pushes have one receiver. */
  subscriptionsOf<Item>(
    channel: Channel<Item>,
    connection = channel.isPrivate === true ? privateConnection : publicConnection,
  ): KeySubscriptions<Item> {
    const { random, events } = this.#context;
    const reportStale = (key: string, stale: boolean) => {
      // A listener that unsubscribes makes another one, which must come after this one for every listener.
      queueMicrotask(() => {
        events.next({ type: 'live-stale', channel: channel.name, ...(key === everyKey ? {} : { market: key }), stale });
      });
    };
    return new ChannelSubscriptions(this.linkOf(connection), channel, this.#markets, random, reportStale);
  }

  tryNow(): void {
    for (const link of this.#links) link.tryNow();
  }

  #newLink(name: string): Link {
    const { open, url, random, redactor, events, reads } = this.#context;
    const link = new Link({
      ...{ url, open, random, redactor, connects: this.#connects },
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
    this.#links.add(link);
    return link;
  }
}

/** Sends a query when the connection is open, and emits its result. One that fails ends nothing but itself. */
export function sendQuery<Output>(
  link: Pick<Link, 'needed$' | 'request' | 'state$'>,
  { name, method, result }: Query<Output>,
): Observable<Output> {
  const failed$ = link.needed$.pipe(switchMap((error) => throwError(() => error)));
  const end$ = link.state$.pipe(
    first(({ status }) => status === 'open'),
    switchMap(() => link.request(method, [], false)),
  );
  const late$ = throwError(() => new TimeoutError(name, responseTimeoutMs, 'attempt', 'none'));
  return merge(failed$, end$).pipe(
    timeout({ first: responseTimeoutMs, with: () => late$ }),
    take(1),
    map((end) => {
      if (end.type === 'refused') throw new LiveRefusedError(name, end.refusal.code, end.refusal.message);
      if (end.type === 'lost') throw new TransportError('the connection was lost', { endpoint: name, outcome: 'none' });
      const read = v.safeParse(result, end.result);
      if (read.success) return read.output;
      // 101 is the status of the response that made the connection.
      const problem = new ResponseError('the result is not a valid result of the query', 101, undefined, name);
      throw problem.with({ outcome: 'none' });
    }),
  );
}
