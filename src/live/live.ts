// exchange.live: every channel an observable, on one connection for all of them.
import { merge, Subject, type Observable } from 'rxjs';
import { durationFrom0, oneOf, optionsOf, parse, unquoted, type Rule } from '../errors/index.js';
import { isLoopback } from '../http/index.js';
import { candleIntervals, type Candle, type CandleInterval } from '../model/candle.js';
import type { LiveGap } from '../model/stream-gap.js';
import { bookStream, cutBooks } from './book-stream.js';
import { candlesOf } from './channels/candles.js';
import { aDepthLimit, depthOf, maxDepthLimit, type depthLimits } from './channels/depth.js';
import { trades } from './channels/trades.js';
import { tappedSockets, type LiveState, type SocketEvent } from './connection/index.js';
import {
  Connections,
  publicConnection,
  type ConnectionReads,
  type ConnectionsContext,
  type LiveEvent,
} from './connections.js';
import { aMarket } from './markets.js';
import type { AccountReads } from './my/account.js';
import { createMy, type My } from './my/my.js';
import type { LiveOrderBook } from './order-book/index.js';
import { tradeStream, type LiveTradeItem } from './trade-stream.js';
import {
  bindValues,
  cached,
  marketsParams,
  stateStream,
  unique,
  valuesEvery,
  type LiveStatus,
  type LiveValues,
  type MarketsParams,
} from './values.js';

/** Options of the live connection. */
export interface LiveOptions {
  /**
   * The address of the live connection, such as `wss://exchange.example/ws`. Plain ws is accepted for loopback addresses
   * only. Default: the base address with `wss` and the path `/ws`; of `https://whitebit.com`, the exchange's own
   * `wss://wss.whitebit.com/ws`; of `https://whitebit.eu`, its `wss://api.whitebit.eu/ws`.
   */
  readonly url?: string;
  /**
   * Number of price levels of each side to which order books are subscribed: 1, 5, 10, 20, 30, 50 or 100. Each subscriber
   * gets the best of them, up to a `limit` of its own. With fewer levels, the exchange sends less. Default 100.
   */
  readonly orderBookLimit?: (typeof depthLimits)[number];
}

export const liveOptions = optionsOf<LiveOptions>({
  url: unquoted(
    (value) => typeof value === 'string' && isSecure(value),
    'must be a URL such as "wss://exchange.example/ws" (plain ws is for loopback addresses only)',
  ),
  orderBookLimit: aDepthLimit(),
});

function isSecure(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'wss:' || (url.protocol === 'ws:' && isLoopback(url));
}

/** The exchange serves its live connections on hosts of their own. */
const ownHosts: Readonly<Record<string, string>> = {
  'https://whitebit.com': 'wss://wss.whitebit.com/ws',
  'https://whitebit.eu': 'wss://api.whitebit.eu/ws',
};

export function liveUrlOf(baseUrl: string): string {
  return ownHosts[baseUrl] ?? `${baseUrl.replace(/^http/, 'ws')}/ws`;
}

/** Parameters of {@link Live.orderBook}. */
export interface LiveOrderBookParams {
  /** The market, `BASE_QUOTE`. */
  readonly market: string;
  /**
   * Maximum number of price levels of each side: 1, 5, 10, 20, 30, 50 or 100, at most {@link LiveOptions.orderBookLimit}.
   *
   * @default orderBookLimit
   */
  readonly limit?: (typeof depthLimits)[number];
  /**
   * The minimum time between two live books, milliseconds: of those in between, the newest is emitted. A stale book is
   * emitted at once.
   *
   * @default 0: each change is emitted
   */
  readonly everyMs?: number;
}

/** Parameters of {@link Live.candles}. */
export interface LiveCandlesParams {
  /** The market, `BASE_QUOTE`. */
  readonly market: string;
  /** The interval of a candle. */
  readonly interval: CandleInterval;
}

/** A candle on a live connection. */
export interface LiveCandle extends Candle, LiveStatus {}

/**
 * The channels of the exchange's live connection. No connection is opened before the first subscription; the last
 * unsubscription closes it. All channels share one connection, except candles (one for each market and interval) and the
 * channels of the account.
 *
 * A connection that is lost is replaced, and every subscription is renewed. Values say whether they are `live` or
 * `stale`; streams of events have a `gap` item wherever items may be missing. The streams end only with an error:
 * {@link LiveRefusedError} for a market that the exchange does not list, or refuses.
 */
export interface Live extends LiveValues {
  /** Every trade of these markets, in the order of its market, each once. Shared; a late subscriber starts with the next trade. */
  trades(params: MarketsParams): Observable<LiveTradeItem>;
  /** The order book of a market, at each change. Immutable: sides and levels that did not change are the same objects. */
  orderBook(params: LiveOrderBookParams): Observable<LiveOrderBook>;
  /** The candle that is being made, twice a second while it changes. A candle of a later `time` ends the one before it. */
  candles(params: LiveCandlesParams): Observable<LiveCandle>;
  /** The state of the connection that most channels share: now, and each later one. Opens no connection. */
  readonly state$: Observable<LiveState>;
  /** The account's channels, on an authorized connection of their own. Require `credentials`. */
  readonly my: My;
  /**
   * Lost connections try to connect at once, unless the exchange has refused them for a time.
   *
   * @internal
   */
  readonly tryNow: () => void;
  /**
   * The public channels, on connections of their own with order books of 100 levels.
   *
   * @internal
   */
  readonly tapped: () => TappedLive;
}

/** Public channels for a recording: no credentials, so no token is ever sent. */
export interface TappedLive extends Omit<Live, 'my' | 'tapped' | 'tryNow'> {
  /** What is sent and received on the connections, when it is. Hot. */
  readonly sockets$: Observable<SocketEvent>;
  readonly events$: Observable<LiveEvent>;
  readonly url: string;
}

export interface LiveReads extends ConnectionReads, AccountReads {}

export interface LiveContext extends ConnectionsContext, Pick<LiveOptions, 'orderBookLimit'> {
  readonly reads: LiveReads;
}

const orderBookParams = (maxLimit: number): Rule<LiveOrderBookParams> =>
  optionsOf({ market: aMarket, limit: aDepthLimit(maxLimit), everyMs: durationFrom0 }, ['market']);
const candlesParams = optionsOf<LiveCandlesParams>({ market: aMarket, interval: oneOf(...candleIntervals) }, [
  'market',
  'interval',
]);

export function createLive(context: LiveContext): Live {
  const { events, orderBookLimit = maxDepthLimit, random, reads } = context;
  const connections = new Connections(context);
  const reportGap = ({ kind: _, ...gap }: LiveGap) => {
    events.next({ type: 'live-gap', ...gap });
  };

  const tradeSubscriptions = connections.subscriptionsOf(trades);
  const tradesOf = cached((market: string) => tradeStream(tradeSubscriptions, reportGap, market));

  const bookParams = orderBookParams(orderBookLimit);
  // No message says of which subscription it is, so every one has the same number of levels.
  const books = connections.subscriptionsOf(depthOf(orderBookLimit));
  const bookOf = cached((market: string) => bookStream(books, orderBookLimit, random, reportGap, market));

  const candleStreamOf = cached((market: string) =>
    cached((interval: CandleInterval) => {
      const channel = candlesOf(market, interval);
      return stateStream(channel, connections.subscriptionsOf(channel, `candles ${market} ${interval}`), market);
    }),
  );

  return {
    ...bindValues((channel) => connections.subscriptionsOf(channel)),
    trades(params) {
      const { markets } = parse('live.trades', marketsParams, params);
      return merge(...unique(markets).map(tradesOf));
    },
    orderBook(params) {
      const { market, limit = orderBookLimit, everyMs = 0 } = parse('live.orderBook', bookParams, params);
      const book$ = limit < orderBookLimit ? cutBooks(bookOf(market), limit) : bookOf(market);
      return everyMs === 0 ? book$ : book$.pipe(valuesEvery(everyMs));
    },
    candles(params) {
      const { market, interval } = parse('live.candles', candlesParams, params);
      return candleStreamOf(market)(interval);
    },
    state$: connections.linkOf(publicConnection).state$,
    my: createMy(connections, { ...reads, random, reportGap }),
    tryNow: () => {
      connections.tryNow();
    },
    tapped: () => tap(context),
  };
}

function tap({ orderBookLimit: _, ...context }: LiveContext): TappedLive {
  const [events$, sockets$] = [new Subject<LiveEvent>(), new Subject<SocketEvent>()];
  const open = tappedSockets(context.open, (event) => {
    sockets$.next(event);
  });
  const { my: _my, tapped: _tapped, tryNow: _tryNow, ...live } = createLive({ ...context, open, events: events$ });
  return { ...live, events$, sockets$, url: context.url };
}
