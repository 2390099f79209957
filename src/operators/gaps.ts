// withoutGaps() and failOnGap(): drop the gaps of a stream of events, or end the stream at the first one.
import { filter, tap, type OperatorFunction } from 'rxjs';
import { GapError } from '../errors/index.js';
import { isRecord } from '../model/map.js';
import type { LiveGap, StreamGap } from '../model/stream-gap.js';

/** The items of a stream that are no gaps. */
export type WithoutGaps<Item> = Exclude<Item, { readonly kind: 'gap' }>;

/**
 * Drops the gaps, for consumers that need not know of missing items.
 *
 * ```text
 * source:          -a-b-G-c-|   G: a gap
 * withoutGaps():   -a-b---c-|
 * ```
 *
 * @example
 * ```ts
 * import { watchTrades, withoutGaps, type Exchange } from 'exchange-rx';
 *
 * const prints = (exchange: Exchange) =>
 *   watchTrades(exchange, 'BTC_USDT')
 *     .pipe(withoutGaps())
 *     .subscribe((item) => console.log(item.kind === 'trade' ? item.trade.price : item.error.message));
 * ```
 */
export function withoutGaps<Item>(): OperatorFunction<Item, WithoutGaps<Item>> {
  return filter((item): item is WithoutGaps<Item> => !isGap(item));
}

/**
 * Ends the stream with {@link GapError} at the first gap, for consumers that cannot go on without the missing items. A
 * gap of a live stream whose items follow (`filled`) is dropped, because nothing is missing.
 *
 * ```text
 * source:        -a-b-G-c-|   G: a gap
 * failOnGap():   -a-b-#
 * ```
 *
 * @example
 * ```ts
 * import { failOnGap, GapError, watchCandles, type Exchange } from 'exchange-rx';
 * import { retry, throwError } from 'rxjs';
 *
 * // Starts again with 20 candles after a gap.
 * const candles = (exchange: Exchange) =>
 *   watchCandles(exchange, 'BTC_USDT', '1m', { history: 20 }).pipe(
 *     failOnGap(),
 *     retry({ delay: (error) => (error instanceof GapError ? [true] : throwError(() => error)) }),
 *   );
 * ```
 */
export function failOnGap<Item>(): OperatorFunction<Item, WithoutGaps<Item>> {
  return (source) =>
    source.pipe(
      tap((item) => {
        if (isGap(item) && !isFilled(item)) throw new GapError('failOnGap', item);
      }),
      withoutGaps(),
    );
}

function isFilled(gap: StreamGap | LiveGap): boolean {
  return 'filled' in gap && gap.filled;
}

function isGap(item: unknown): item is StreamGap {
  return isRecord(item) && item['kind'] === 'gap';
}
