// watchPositions(): polls the open positions of the collateral account and emits them with their changes.
import { map, type Observable } from 'rxjs';
import { optionsOf, parse, trueOrFalse } from '../errors/index.js';
import type { Exchange } from '../exchange.js';
import { aMarket } from '../live/index.js';
import type { Position } from '../model/position.js';
import type { Unreadable } from '../model/unreadable.js';
import { readListOf, WatchedList, type ListChange, type ReadList } from './list-changes.js';
import { livePositions } from './live-account.js';
import { liveIn, type LiveSource, type WatchLiveOptions } from './live-or-polls.js';
import { polledState, type StateUpdate } from './polled-state.js';
import { watchRules, type WatchOptions } from './polls.js';

/** Options of {@link watchPositions}. */
export interface WatchPositionsOptions extends WatchOptions, WatchLiveOptions {
  /**
   * Only positions of this market, such as `BTC_USDT` (margin) or `BTC_PERP` (futures).
   *
   * @default all markets
   */
  readonly market?: string;
  /**
   * The pause between two polls, milliseconds, above 0.
   *
   * @default 1000
   */
  readonly everyMs?: number;
}

const positionsOptions = optionsOf<WatchPositionsOptions>({ ...watchRules, market: aMarket, live: trueOrFalse });

/** What {@link watchPositions} emits. */
export interface PositionsUpdate extends StateUpdate {
  /** The open positions by `positionId`; empty before the first successful poll. */
  readonly positions: ReadonlyMap<number, Position>;
  /**
   * The positions that were added, changed or have gone since the previous update; empty in the first update of a
   * subscriber. A position changes with the price, because its profit does.
   */
  readonly changes: readonly ListChange<Position>[];
  /**
   * What the last successful poll contained but could not be read; usually `undefined`. A position that is missing from
   * such a list stays in `positions` as it was. When more positions are missing than records are unreadable, each of
   * them is `gone` after it was missing from more than 3 such lists in a row.
   */
  readonly unreadable: Unreadable | undefined;
}

/**
 * Polls the open positions, margin and futures, and emits them after every poll, with their changes. A failed poll does
 * not end the stream: it marks the positions as stale, and the pauses grow until a poll succeeds.
 *
 * Subscribers of the same observable share its polls, a late subscriber gets the last update at once, and the last one
 * to unsubscribe stops the polls. At most one poll is in flight.
 *
 * ```text
 * polls:              1---2---#------3---    #: failure
 * watchPositions():   1---2---s------3---    s: the positions of poll 2, stale, with the error
 * ```
 *
 * Sends `POST /api/v4/collateral-account/positions/open` with priority `background`.
 *
 * With `live: true`, the exchange pushes the positions each second, without `unrealizedPnl`, `pnlPercent` and `tpsl`:
 * these are absent while live. {@link LivePosition} has the fields that it pushes.
 *
 * The observable fails with {@link RequestError} when the client has no credentials, and with the error of
 * `pauseWhile`.
 *
 * @example
 * ```ts
 * import { watchPositions, type Exchange } from 'exchange-rx';
 *
 * const logProfits = (exchange: Exchange) =>
 *   watchPositions(exchange, { everyMs: 5000 }).subscribe(({ positions, stale }) => {
 *     for (const { market, amount, unrealizedPnl } of positions.values())
 *       console.log(market, amount, unrealizedPnl, stale ? '(outdated)' : '');
 *   });
 * ```
 *
 * @throws {@link RequestError} for invalid options.
 */
export function watchPositions(
  exchange: Pick<Exchange, 'collateral' | 'live'>,
  options?: WatchPositionsOptions,
): Observable<PositionsUpdate>;
/**
 * Polls the open positions, with a client that has no live connection.
 *
 * @throws {@link RequestError} for invalid options.
 */
export function watchPositions(
  exchange: Pick<Exchange, 'collateral'>,
  options?: WatchPositionsOptions & { readonly live?: false },
): Observable<PositionsUpdate>;
export function watchPositions(
  exchange: Pick<Exchange, 'collateral'> & LiveSource,
  options: WatchPositionsOptions = {},
): Observable<PositionsUpdate> {
  const { market, everyMs = 1000, ...others } = parse('watchPositions', positionsOptions, options);
  const live = liveIn('watchPositions', exchange, options);
  const list = new WatchedList<Position>(({ positionId }) => positionId);
  return polledState<ReadList<Position>, Omit<PositionsUpdate, keyof StateUpdate>>(
    {
      read: (call) =>
        exchange.collateral.openPositions(market === undefined ? {} : { market }, call).pipe(map(readListOf)),
      nothing: { positions: new Map(), changes: [], unreadable: undefined },
      next: (read, last) => {
        const { items, ...rest } = list.next(read, last?.positions);
        return { positions: items, ...rest };
      },
      withoutChanges: (state) => ({ ...state, changes: [] }),
      live$: live && livePositions(live, market, everyMs),
    },
    { ...others, everyMs },
  );
}
