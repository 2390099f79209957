// watchCandles(): polls the candles of a market, emits each closed one once, and the current one as it changes.
import { concat, concatMap, defer, EMPTY, map, of, type Observable } from 'rxjs';
import { count, oneOf, optionsOf, parse, trueOrFalse } from '../errors/index.js';
import type { CallOptions } from '../client/index.js';
import type { Exchange } from '../exchange.js';
import { candleIntervals, candleSeconds, type Candle, type CandleInterval } from '../model/candle.js';
import { CandleSeries, maxCandles, type CandleSeriesItem } from './candle-series.js';
import { CandleFeed, liveCandlesOf, type CandlePush } from './live-candles.js';
import { liveIn, type WatchLiveOptions, type MarketSource } from './live-or-polls.js';
import { polledEvents, type StreamFailure } from './polled-events.js';
import { checkMarket, watchRules, type WatchOptions } from './polls.js';

/** Options of {@link watchCandles}. */
export interface WatchCandlesOptions extends WatchOptions, WatchLiveOptions {
  /**
   * How many closed candles are emitted from before the subscription, 0 to 1438: such as those of a moving average.
   *
   * @default 0
   */
  readonly history?: number;
  /**
   * The pause between two polls, milliseconds, above 0.
   *
   * @default 1000 for intervals up to `1m`, 10000 for longer ones
   */
  readonly everyMs?: number;
}

const candlesOptions = optionsOf<WatchCandlesOptions>({
  ...watchRules,
  history: count(0, maxCandles - 2),
  live: trueOrFalse,
});

/** What {@link watchCandles} emits. Switch on `kind`: `closed`, `current`, `gap` or `error`. */
export type CandleItem = CandleSeriesItem | StreamFailure;

/**
 * Polls the candles of a market. Each `closed` candle comes once, in order, also when several closed between two polls.
 * The `current` candle comes when it has changed. The exchange lists closed candles only, so the current one is made of
 * those of a shorter interval: `through` says up to which time. The interval `1s` has no current candle. A candle that
 * begins more than one interval and an hour after the newest credible time counts as unreadable.
 *
 * A failed poll is an `error` item and does not end the stream: the next successful poll has the candles that closed
 * meanwhile. A `gap` says that some are missing from a list.
 *
 * Subscribers of the same observable share its polls. They are events: a late subscriber gets no earlier candles. The
 * last one to unsubscribe stops the polls. At most one poll is in flight.
 *
 * ```text
 * candles:          |--a--|--b--|--c--|--
 * polls:            1---2---3-------4---
 * watchCandles():   C---C---aC------bcC-    a, b, c: closed, C: current
 * ```
 *
 * Sends `GET /api/v1/public/kline` with priority `background`, once for the closed candles and once for the current one.
 *
 * With `live: true`, the exchange pushes the current candle, also of the interval `1s`, on a connection of its own. A
 * closed candle is always a listed one: polls start when an interval has ended, and stop when its candle is listed, or
 * after five polls without it. No current candle comes before the first response.
 *
 * The observable fails with the error of `pauseWhile`.
 *
 * @example
 * ```ts
 * import { watchCandles, type Exchange } from 'exchange-rx';
 *
 * const logCloses = (exchange: Exchange) =>
 *   watchCandles(exchange, 'BTC_USDT', '1m', { history: 20 }).subscribe((item) => {
 *     if (item.kind === 'closed') console.log(new Date(item.candle.time * 1000), item.candle.close);
 *   });
 * ```
 *
 * @throws {@link RequestError} for an invalid market, interval or options.
 */
export function watchCandles(
  exchange: Pick<Exchange, 'public' | 'live'>,
  market: string,
  interval: CandleInterval,
  options?: WatchCandlesOptions,
): Observable<CandleItem>;
/**
 * Polls the candles of a market, with a client that has no live connection.
 *
 * @throws {@link RequestError} for an invalid market, interval or options.
 */
export function watchCandles(
  exchange: Pick<Exchange, 'public'>,
  market: string,
  interval: CandleInterval,
  options?: WatchCandlesOptions & { readonly live?: false },
): Observable<CandleItem>;
export function watchCandles(
  exchange: MarketSource,
  market: string,
  interval: CandleInterval,
  options: WatchCandlesOptions = {},
): Observable<CandleItem> {
  checkMarket('watchCandles', market);
  parse('watchCandles', oneOf(...candleIntervals), interval, 'interval');
  const parsed = parse('watchCandles', candlesOptions, options);
  const { history = 0, everyMs = candleSeconds[interval] <= 60 ? 1000 : 10_000, ...others } = parsed;
  const live = liveIn('watchCandles', exchange, options);
  return polledEvents<Lists, CandleSeriesItem, CandlePush>(
    () => {
      const series = new CandleSeries(interval, history);
      const candles = new CandleFeed(series);
      return {
        read: (call) => listsOf(exchange, market, interval, series, call),
        itemsOf: (lists, readAt) =>
          lists.parts === undefined
            ? [...series.add(lists.candles, readAt), ...candles.afterList()]
            : series.addParts(lists.candles, lists.parts, readAt),
        live: live && {
          pushes$: liveCandlesOf(live, { market, interval, everyMs }),
          isEnough$: candles.isEnough$,
          itemsOf: (push) => candles.addPush(push),
          itemsAfterFailure: () => [],
        },
      };
    },
    { ...others, everyMs },
  );
}

/** A list of candles of the interval, or of the shorter interval of which the current candle consists. */
interface Lists {
  readonly candles: readonly Candle[];
  readonly parts?: CandleInterval;
}

/** The closed candles first: they come although the parts of the current one cannot be read. */
function listsOf(
  exchange: Pick<Exchange, 'public'>,
  market: string,
  interval: CandleInterval,
  series: CandleSeries,
  call: CallOptions,
): Observable<Lists> {
  const list = (params: { readonly interval: CandleInterval; readonly start?: number; readonly limit: number }) =>
    exchange.public.candles({ market, ...params }, call);
  const current$ = defer(() => {
    const request = series.partsRequest();
    if (request === undefined) return EMPTY;
    return list({ ...request, limit: maxCandles }).pipe(map((candles) => ({ candles, parts: request.interval })));
  });
  return list({ interval, ...series.request() }).pipe(concatMap((candles) => concat(of({ candles }), current$)));
}
