// failOnGap(): ends a live stream of events at the first gap.
import { filter, tap, type OperatorFunction } from 'rxjs';
import { GapError } from '../errors/index.js';
import type { LiveGap } from '../model/stream-gap.js';

/**
 * Ends a stream of live events with {@link GapError} at the first gap, for consumers that cannot go on without the
 * missing items. A gap whose items follow (`filled`) is dropped, because nothing is missing.
 *
 * ```text
 * source:        -a-F-b-G-c-|   F: a filled gap, G: a gap
 * failOnGap():   -a---b-#
 * ```
 *
 * @example
 * ```ts
 * import { failOnGap, GapError, type Exchange } from 'exchange-rx';
 * import { retry, throwError } from 'rxjs';
 *
 * // Starts again with the last 100 trades after a gap.
 * const trades = (exchange: Exchange) =>
 *   exchange.live.trades({ markets: ['BTC_USDT'], history: true }).pipe(
 *     failOnGap(),
 *     retry({ delay: (error) => (error instanceof GapError ? [true] : throwError(() => error)) }),
 *   );
 * ```
 */
export function failOnGap<Item extends { readonly kind: string }>(): OperatorFunction<Item, Exclude<Item, LiveGap>> {
  return (source) =>
    source.pipe(
      tap((item) => {
        if (isGap(item) && !item.filled) throw new GapError('failOnGap', item);
      }),
      filter((item): item is Exclude<Item, LiveGap> => !isGap(item)),
    );
}

function isGap(item: { readonly kind: string }): item is LiveGap {
  return item.kind === 'gap';
}
