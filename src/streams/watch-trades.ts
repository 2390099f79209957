// watchTrades(): polls the newest trades of a market and emits each trade once.
import type { Observable } from 'rxjs';
import { optionsOf, parse, trueOrFalse } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import type { Trade } from '../model/trade.js';
import { liveIn, type WatchLiveOptions, type MarketSource } from './live-or-polls.js';
import { LiveTape, liveTradesOf, type TradePush } from './live-tape.js';
import { polledEvents, type StreamFailure } from './polled-events.js';
import { checkMarket, watchRules, type WatchOptions } from './polls.js';
import type { TapeItem } from './trade-tape.js';

/** Options of {@link watchTrades}. */
export interface WatchTradesOptions extends WatchOptions, WatchLiveOptions {
  /**
   * Whether the trades that the first poll lists, at most 100, are emitted, too. Otherwise only later trades are.
   *
   * @default false
   */
  readonly history?: boolean;
  /**
   * The pause between two polls, milliseconds, above 0. The exchange refreshes trades every second. A longer pause makes
   * gaps likelier. A live trade is emitted at once.
   *
   * @default 1000
   */
  readonly everyMs?: number;
}

const tradesOptions = optionsOf<WatchTradesOptions>({ ...watchRules, history: trueOrFalse, live: trueOrFalse });

/** What {@link watchTrades} emits. Switch on `kind`: `trade`, `gap` or `error`. */
export type TradeItem = TapeItem | StreamFailure;

/**
 * Polls the newest trades of a market and emits each of them once, oldest first. The exchange lists at most 100 trades:
 * none is missed while fewer than 100 arrive between two polls. When more did, a `gap` comes before the trades after it.
 * A trade inside a reported gap may still come, when a later response lists it.
 *
 * A failed poll is an `error` item and does not end the stream. The pauses grow until a poll succeeds.
 *
 * Subscribers of the same observable share its polls. They are events: a late subscriber gets no earlier trades. The
 * last one to unsubscribe stops the polls. At most one poll is in flight.
 *
 * ```text
 * polls:           [ab]--[abc]--#--[xyz]    [xyz]: 100 trades, none of which was listed before
 * watchTrades():   ------c------e--(gxyz)   e: error, g: gap
 * ```
 *
 * Sends `GET /api/v4/public/trades/{market}` with priority `background`.
 *
 * With `live: true`, the exchange pushes the trades. Pushed and polled trades are joined by their numbers: no trade comes
 * twice. Polls go on until they list one of the pushed trades, so that none is missed. When that poll fails, a `gap` of
 * the reason `reconnect` comes before the pushed trades.
 *
 * The observable fails with the error of `pauseWhile`.
 *
 * @example
 * ```ts
 * import { createExchange, watchTrades } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 * import { take } from 'rxjs';
 *
 * const exchange = createExchange(createSandbox().clientOptions());
 * watchTrades(exchange, 'BTC_USDT', { history: true })
 *   .pipe(take(1))
 *   .subscribe((item) => {
 *     if (item.kind === 'trade') console.log(item.trade.type, item.trade.quote_volume, 'at', item.trade.price);
 *     else if (item.kind === 'gap') console.warn('trades are missing from', item.from, 'to', item.to);
 *   });
 * ```
 *
 * @throws {@link RequestError} for an invalid market or invalid options.
 */
export function watchTrades(
  exchange: Pick<Exchange, 'public' | 'live'>,
  market: string,
  options?: WatchTradesOptions,
): Observable<TradeItem>;
/**
 * Polls the newest trades of a market, with a client that has no live connection.
 *
 * @throws {@link RequestError} for an invalid market or invalid options.
 */
export function watchTrades(
  exchange: Pick<Exchange, 'public'>,
  market: string,
  options?: WatchTradesOptions & { readonly live?: false },
): Observable<TradeItem>;
export function watchTrades(
  exchange: MarketSource,
  market: string,
  options: WatchTradesOptions = {},
): Observable<TradeItem> {
  checkMarket('watchTrades', market);
  const { history = false, everyMs = 1000, ...others } = parse('watchTrades', tradesOptions, options);
  const live = liveIn('watchTrades', exchange, options);
  return polledEvents<readonly Trade[], TapeItem, TradePush>(
    () => {
      const tape = new LiveTape(history);
      return {
        read: (call) => exchange.public.recentTrades({ market }, call),
        itemsOf: (page) => tape.addPage(page, Date.now()),
        live: live && {
          pushes$: liveTradesOf(live, market),
          isEnough$: tape.isJoined$,
          wanted$: tape.wanted$,
          itemsOf: (push) => tape.addPush(push),
          itemsAfterFailure: () => tape.joinAnyway(Date.now()),
        },
      };
    },
    { ...others, everyMs },
  );
}
