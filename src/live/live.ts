// exchange.live: every channel an observable, on one connection for all of them.
import { filter, merge, Observable, take } from 'rxjs';
import * as v from 'valibot';
import {
  anything,
  checkByRules,
  clearUnknownOutcome,
  durationFrom0,
  LiveRefusedError,
  oneOf,
  quote,
  ResponseError,
  TimeoutError,
  TransportError,
  trueOrFalse,
  type OptionRules,
  type Rule,
} from '../errors/index.js';
import { candleIntervals, type Candle, type CandleInterval } from '../model/candle.js';
import { marketNamePattern } from '../model/market.js';
import type { LiveGap } from '../model/stream-gap.js';
import { BookStream, type BookSource } from './book-stream.js';
import { ChannelSubscriptions, type ReportKey } from './channel-subscriptions.js';
import { bookTicker, type BookTicker } from './channels/book-ticker.js';
import { candlesOf } from './channels/candles.js';
import { depthIntervals, depthLimits, depthOf } from './channels/depth.js';
import { lastPrice, type LastPrice } from './channels/last-price.js';
import { premiumIndex, type PremiumIndex } from './channels/premium-index.js';
import { ticker, today, type MarketStatistics } from './channels/statistics.js';
import { trades, type TradeBatch } from './channels/trades.js';
import { Link, RequestRate, type LinkOptions, type LiveState, type OpenSocket } from './connection/index.js';
import { everyKey, type Channel, type KeySubscriptions, type LiveItem } from './define-channel.js';
import { keyStream } from './key-stream.js';
import type { LiveEvent } from './live-event.js';
import type { LiveOptions } from './live-options.js';
import type { LiveOrderBook } from './order-book/index.js';
import { liveQueries, type Query } from './queries.js';
import { stateStream, type LiveStatus, type RefusedError } from './state-stream.js';
import { TradeStream, type LiveTradeItem } from './trade-stream.js';
import { valuesEvery } from './values-every.js';

/** Parameters of a channel of several markets. */
export interface MarketsParams {
  /** The markets, `BASE_QUOTE`: at least one. */
  readonly markets: readonly string[];
}

/** Parameters of {@link Live.trades}. */
export interface LiveTradesParams extends MarketsParams {
  /**
   * Whether the trades before the subscription, at most 100 of each market, are emitted, too.
   *
   * @default false
   */
  readonly history?: boolean;
}

/** Parameters of {@link Live.orderBook}. */
export interface LiveOrderBookParams {
  /** The market, `BASE_QUOTE`. */
  readonly market: string;
  /**
   * Maximum number of price levels of each side: 1, 5, 10, 20, 30, 50 or 100.
   *
   * @default 100
   */
  readonly limit?: (typeof depthLimits)[number];
  /**
   * The step to which prices are rounded, `'0.00000001'` to `'0.1'`; `'0'`: none. Each other step takes a connection of
   * its own.
   *
   * @default '0'
   */
  readonly interval?: (typeof depthIntervals)[number];
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

/** Parameters of {@link Live.premiumIndex}. */
export interface LivePremiumIndexParams {
  /**
   * The futures markets, such as `BTC_PERP`.
   *
   * @default all
   */
  readonly markets?: readonly string[];
}

/** A candle on a live connection. */
export interface LiveCandle extends Candle, LiveStatus {}

/**
 * The channels of the exchange's live connection. No connection is opened before the first subscription; the last
 * unsubscription closes it. All channels share one connection, except candles (one for each market and interval) and
 * order books with rounded prices (one for each step).
 *
 * A connection that is lost is replaced, and every subscription is renewed. Values say whether they are `live` or
 * `stale`; streams of events have a `gap` item wherever items may be missing. The streams end only with an error:
 * {@link LiveRefusedError} for a market that the exchange refuses.
 */
export interface Live {
  /** Every trade of these markets, in the order of its market, each once. Shared; a late subscriber starts with the next trade. */
  trades(params: LiveTradesParams): Observable<LiveTradeItem>;
  /** The order book of a market, at each change. Immutable: sides and levels that did not change are the same objects. */
  orderBook(params: LiveOrderBookParams): Observable<LiveOrderBook>;
  /** Best bid and ask, at each change. */
  bookTicker(params: MarketsParams): Observable<BookTicker & LiveStatus>;
  /** Price of the last trade, when it has changed, at most once a second. */
  lastPrice(params: MarketsParams): Observable<LastPrice & LiveStatus>;
  /** Prices and volumes of the last 24 hours, each second. */
  ticker(params: MarketsParams): Observable<MarketStatistics & LiveStatus>;
  /** Prices and volumes since 00:00 UTC, each second. */
  today(params: MarketsParams): Observable<MarketStatistics & LiveStatus>;
  /** The candle that is being made, twice a second while it changes. A candle of a later `time` ends the one before it. */
  candles(params: LiveCandlesParams): Observable<LiveCandle>;
  /** Mark price, index price and funding of futures markets, twice a second. */
  premiumIndex(params?: LivePremiumIndexParams): Observable<PremiumIndex & LiveStatus>;
  /** The exchange's time, Unix seconds. Each subscription sends a request. */
  time(): Observable<number>;
  /** Sends a query: one of {@link liveQueries}, or of your own. Each subscription sends a request. */
  request<Params, Output>(query: Query<Params, Output>, params: Params): Observable<Output>;
  /** The items of a channel that the package lacks, see {@link defineChannel}. */
  channel<Item>(channel: Channel<Item>, keys: readonly string[]): Observable<LiveItem<Item>>;
  /** The state of the connection that most channels share: now, and each later one. Opens no connection. */
  readonly state$: Observable<LiveState>;
}

/** What the live connection takes from its client. */
export interface LiveContext {
  readonly url: string;
  readonly open: OpenSocket;
  readonly options: LiveOptions;
  /** Random numbers from 0 to 1, for the jitter of reconnections. */
  readonly random: () => number;
  /** The newest trades of a market over REST. */
  readonly readRecentTrades: (market: string) => Observable<TradeBatch>;
  /** Whether somebody listens to events. */
  readonly isReported: () => boolean;
  readonly report: (event: LiveEvent) => void;
}

const aMarket: Rule = (value) =>
  typeof value === 'string' && marketNamePattern.test(value)
    ? undefined
    : `${quote(value)} must be a market such as "BTC_USDT"`;
const someMarkets: Rule = (value, where) => {
  if (!Array.isArray(value) || value.length === 0) return 'must be an array of at least one market';
  const wrong: unknown = value.find((one) => aMarket(one, where) !== undefined);
  return wrong === undefined ? undefined : aMarket(wrong, where);
};
const someTexts: Rule = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((key) => typeof key === 'string')
    ? undefined
    : 'must be an array of at least one string';
const marketsRules: OptionRules<MarketsParams> = { markets: someMarkets };
const tradesRules: OptionRules<LiveTradesParams> = { ...marketsRules, history: trueOrFalse };
const orderBookRules: OptionRules<LiveOrderBookParams> = {
  market: aMarket,
  limit: (value) =>
    depthLimits.some((limit) => limit === value)
      ? undefined
      : `${quote(value)} must be one of ${depthLimits.join(', ')}`,
  interval: oneOf(...depthIntervals),
  everyMs: durationFrom0,
};
const candlesRules: OptionRules<LiveCandlesParams> = {
  market: aMarket,
  interval: oneOf(...candleIntervals),
};

/** Makes the channels of a client. */
export function createLive(context: LiveContext): Live {
  const { random, isReported, report } = context;
  const connects = new RequestRate(connectRate, performance.now());
  const linkOf = cached((name: string) => new Link(linkOptions(context, name, connects)));
  const publicLink = linkOf(publicName);

  function subscriptionsOf<Item>(channel: Channel<Item>, link = publicLink): KeySubscriptions<Item> {
    const reportKey: ReportKey = (key, result) => {
      if (isReported()) report({ type: 'live-subscription', channel: channel.name, key, result });
    };
    return channel.on(link, () => new ChannelSubscriptions(link, channel, random, reportKey));
  }
  const reportGap = ({ kind: _, ...gap }: LiveGap) => {
    if (isReported()) report({ type: 'live-gap', ...gap });
  };

  /** The values of a channel whose values replace each other. */
  function states<Item extends object>(
    name: string,
    channel: Channel<Item>,
    isOld?: (value: Item, last: Item) => boolean,
    rules: OptionRules<MarketsParams> = marketsRules,
  ): (params: MarketsParams) => Observable<Item & LiveStatus> {
    const streamOf = cached((market: string) =>
      stateStream(
        {
          subscriptions: subscriptionsOf(channel),
          refusedError: refusedBy(name),
          ...(isOld === undefined ? {} : { isOld }),
        },
        market,
      ),
    );
    return (params) => {
      checkByRules(name, params, rules, ['markets']);
      return merge(...unique(params.markets).map(streamOf));
    };
  }

  const tradesOf = cached(
    (market: string) =>
      new TradeStream(
        {
          subscriptions: subscriptionsOf(trades),
          refusedError: refusedBy('live.trades'),
          readRecent: context.readRecentTrades,
          reportGap,
        },
        market,
      ),
  );

  const booksOf = cached((interval: string) => {
    const limits = new Map<string, number>();
    const requested = new Map<string, number>();
    const channel = depthOf(interval, (market) => {
      const limit = limits.get(market) ?? 0;
      requested.set(market, limit);
      return limit;
    });
    const source: BookSource = {
      ...{ limits, requested },
      subscriptions: subscriptionsOf(channel, interval === '0' ? publicLink : linkOf(`orderBook ${interval}`)),
      refusedError: refusedBy('live.orderBook'),
      reportGap: (market, reason, fromMs) => {
        reportGap({
          ...{ kind: 'gap', channel: channel.name, market, reason, filled: false },
          ...{ from: fromMs / 1000, to: Date.now() / 1000 },
        });
      },
    };
    return cached((market: string) => new BookStream(source, market));
  });

  const candleStreamOf = cached((market: string) =>
    cached((interval: CandleInterval) => {
      const name = `candles ${market} ${interval}`;
      const channel = candlesOf(market, interval);
      return stateStream(
        { subscriptions: subscriptionsOf(channel, linkOf(name)), refusedError: refusedBy('live.candles') },
        market,
      );
    }),
  );

  const premiumIndexes = states('live.premiumIndex', premiumIndex, undefined, { markets: anything });
  const request: Live['request'] = (query, params) => sendQuery(publicLink, context, query, params);

  return {
    trades(params) {
      checkByRules('live.trades', params, tradesRules, ['markets']);
      const { markets, history = false } = params;
      return merge(...unique(markets).map((market) => tradesOf(market).items$(history)));
    },
    orderBook(params) {
      checkByRules('live.orderBook', params, orderBookRules, ['market']);
      const { market, limit = 100, interval = '0', everyMs = 0 } = params;
      const book$ = booksOf(interval)(market).books$(limit);
      return everyMs === 0 ? book$ : book$.pipe(valuesEvery(everyMs));
    },
    // The exchange repeats the standing top after each subscription.
    bookTicker: states('live.bookTicker', bookTicker, ({ updateId }, last) => updateId <= last.updateId),
    lastPrice: states('live.lastPrice', lastPrice),
    ticker: states('live.ticker', ticker),
    today: states('live.today', today),
    candles(params) {
      checkByRules('live.candles', params, candlesRules, ['market', 'interval']);
      return candleStreamOf(params.market)(params.interval);
    },
    premiumIndex(params = {}) {
      checkByRules('live.premiumIndex', params, marketsRules);
      return premiumIndexes({ markets: params.markets ?? [everyKey] });
    },
    time: () => request(liveQueries.time, undefined),
    request,
    channel(channel, keys) {
      checkByRules('live.channel', { markets: keys }, { markets: someTexts }, ['markets']);
      const streams = unique(keys).map((key) => {
        const link = channel.keys === 'connection' ? linkOf(`${channel.name} ${key}`) : publicLink;
        const subscriptions = subscriptionsOf(channel, link);
        const known = subscriptions.itemStreams.get(key);
        if (known !== undefined) return known;
        const gapSince = (market: string, reason: LiveGap['reason'], from: number): LiveGap => {
          const gap: LiveGap = {
            ...{ kind: 'gap', channel: channel.name, market, reason, filled: false },
            ...{ from, to: Date.now() / 1000 },
          };
          reportGap(gap);
          return gap;
        };
        const made = keyStream({ subscriptions, refusedError: refusedBy(channel.name), gapSince }, key);
        subscriptions.itemStreams.set(key, made);
        return made;
      });
      return merge(...streams);
    },
    state$: publicLink.state$,
  };
}

/** Name of the connection that most channels share. */
const publicName = 'public';
/** Far below the exchange's 12,000 requests in 10 s. */
const requestRate = { burst: 200, perSecond: 100 };
/** Connections of a client, candles included: the exchange accepts 1,000 a minute from an address. */
const connectRate = { burst: 100, perSecond: 5, perMinute: Number.POSITIVE_INFINITY };
const defaultRequestTimeoutMs = 10_000;

function linkOptions(
  { url, open, options, random, isReported, report }: LiveContext,
  name: string,
  connects: RequestRate,
): LinkOptions {
  return {
    ...{ url, open, random, connects },
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

function refusedBy(name: string): RefusedError {
  return (key, { code, message }) => new LiveRefusedError(name, code, message, key);
}

/** Sends the query when the connection is open, and ends with its result. */
function sendQuery<Params, Output>(
  link: Link,
  { options: { requestTimeoutMs = defaultRequestTimeoutMs } }: LiveContext,
  { name, method, params: paramsOf, result: schema }: Query<Params, Output>,
  params: Params,
): Observable<Output> {
  return new Observable((subscriber) => {
    const failed = (error: unknown) => {
      subscriber.error(error);
    };
    const timer = setTimeout(() => {
      failed(new TimeoutError(name, requestTimeoutMs, 'attempt', 'none'));
    }, requestTimeoutMs);
    subscriber.add(() => {
      clearTimeout(timer);
    });
    subscriber.add(link.retain());
    const open$ = link.state$.pipe(
      filter(({ status }) => status === 'open'),
      take(1),
    );
    subscriber.add(
      open$.subscribe(() => {
        link.request(method, paramsOf(params), (end) => {
          if (end.type === 'refused') {
            failed(new LiveRefusedError(name, end.refusal.code, end.refusal.message));
          } else if (end.type === 'lost') {
            failed(new TransportError('the connection was lost', { endpoint: name, outcome: 'none' }));
          } else {
            const read = v.safeParse(schema, end.result);
            if (read.success) {
              subscriber.next(read.output);
              subscriber.complete();
            } else {
              // 101 is the status of the response that made the connection.
              const error = new ResponseError('the result is not a valid result of the query', 101, undefined, name);
              clearUnknownOutcome(error);
              failed(error);
            }
          }
        });
      }),
    );
  });
}

/** Makes a value for each key once. */
function cached<Key extends string, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

function unique(keys: readonly string[]): readonly string[] {
  return [...new Set(keys)];
}
