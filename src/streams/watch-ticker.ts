// watchTicker(): polls the ticker of a market.
import { map, tap, type Observable } from 'rxjs';
import { optionsOf, parse, ResponseError, trueOrFalse } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import { isAboveZero } from '../model/decimal.js';
import type { Ticker } from '../model/ticker.js';
import { liveIn, type WatchLiveOptions, type MarketSource } from './live-or-polls.js';
import { liveTickers } from './live-ticker.js';
import { polledState, type StateUpdate } from './polled-state.js';
import { checkMarket, watchRules, type WatchOptions } from './polls.js';

/** Options of {@link watchTicker}. */
export interface WatchTickerOptions extends WatchOptions, WatchLiveOptions {
  /**
   * The pause between two polls, milliseconds, above 0. The exchange refreshes tickers every second.
   *
   * @default 1000
   */
  readonly everyMs?: number;
}

const tickerOptions = optionsOf<WatchTickerOptions>({ ...watchRules, live: trueOrFalse });

/** What {@link watchTicker} emits. */
export interface TickerUpdate extends StateUpdate {
  /** The last ticker that was read or pushed; `undefined` before the first one. Use it only while it is not `stale`. */
  readonly ticker: Ticker | undefined;
}

/**
 * Polls the ticker of a market and emits it after every poll. A failed poll does not end the stream: it marks the ticker
 * as stale, and the pauses grow until a poll succeeds. A response without a ticker of the market, or with a price of
 * zero, counts as a failed poll: the market may have been delisted.
 *
 * Subscribers of the same observable share its polls, a late subscriber gets the last update at once, and the last one
 * to unsubscribe stops the polls. At most one poll is in flight.
 *
 * ```text
 * polls:           1---2---#------3---    #: failure
 * watchTicker():   1---2---s------3---    s: the ticker of poll 2, stale, with the error
 * ```
 *
 * Sends `GET /api/v4/public/ticker`, which has the tickers of all markets, with priority `background`.
 *
 * With `live: true`, the exchange pushes the ticker each second. It computes `change` from the pushed prices, rounded to
 * two decimals as the exchange lists it. `base_id` and `quote_id` are those of the last poll. `isFrozen` is absent while
 * live, because only polls say it.
 *
 * The observable fails with the error of `pauseWhile`.
 *
 * @example
 * ```ts
 * import { createExchange, watchTicker } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 * import { take } from 'rxjs';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * watchTicker(exchange, 'BTC_USDT')
 *   .pipe(take(1))
 *   .subscribe(({ ticker, stale }) => console.log(stale ? 'outdated' : ticker?.last_price));
 * ```
 *
 * @throws {@link RequestError} for an invalid market or invalid options.
 */
export function watchTicker(
  exchange: Pick<Exchange, 'public' | 'live'>,
  market: string,
  options?: WatchTickerOptions,
): Observable<TickerUpdate>;
/**
 * Polls the ticker of a market, with a client that has no live connection.
 *
 * @throws {@link RequestError} for an invalid market or invalid options.
 */
export function watchTicker(
  exchange: Pick<Exchange, 'public'>,
  market: string,
  options?: WatchTickerOptions & { readonly live?: false },
): Observable<TickerUpdate>;
export function watchTicker(
  exchange: MarketSource,
  market: string,
  options: WatchTickerOptions = {},
): Observable<TickerUpdate> {
  checkMarket('watchTicker', market);
  const { everyMs = 1000, ...others } = parse('watchTicker', tickerOptions, options);
  const live = liveIn('watchTicker', exchange, options);
  let polled: Ticker | undefined;
  return polledState<Ticker, Pick<TickerUpdate, 'ticker'>>(
    {
      read: (call) =>
        exchange.public.tickers(call).pipe(
          map((tickers) => tickerOf(tickers, market)),
          tap((ticker) => (polled = ticker)),
        ),
      nothing: { ticker: undefined },
      next: (ticker) => ({ ticker }),
      withoutChanges: (state) => state,
      live$: live && liveTickers(live, market, everyMs, () => polled),
    },
    { ...others, everyMs },
  );
}

function tickerOf(tickers: Readonly<Record<string, Ticker>>, market: string): Ticker {
  const ticker = Object.hasOwn(tickers, market) ? tickers[market] : undefined;
  if (ticker !== undefined && isAboveZero(ticker.last_price)) return ticker;
  const problem = ticker === undefined ? 'the response has no readable ticker' : 'the last price is not above 0';
  throw new ResponseError(`HTTP 200: ${market}: ${problem}`, 200, undefined, 'public.tickers');
}
