import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { isRequestedMarket } from '../../model/market.js';
import { pageParams } from '../../model/paging.js';
import { positionChangeSchema, type PositionChange } from '../../model/position-history.js';
import { listOf } from '../../model/tolerant.js';
import { marketName, positionId, unixSeconds, type ParamsOf } from '../fields.js';
import { isPeriod, periodRule } from '../orders/deal-requests.js';

const params = {
  /** Only positions of this market, such as `BTC_USDT` or `BTC_PERP`. */
  market: v.exactOptional(marketName),
  /** Only this position. */
  positionId: v.exactOptional(positionId),
  /** Only changes from this time on, Unix seconds. */
  startDate: v.exactOptional(unixSeconds),
  /** Only changes up to this time, Unix seconds. Not before `startDate`, and not in the future. */
  endDate: v.exactOptional(unixSeconds),
  /**
   * Maximum number of changes, 1 to 100.
   *
   * @default 50
   */
  limit: pageParams.limit,
  /**
   * Number of changes to skip, 0 to 10000.
   *
   * @default 0
   */
  offset: pageParams.offset,
};

const request = v.pipe(
  v.strictObject(params),
  v.forward(v.partialCheck([['startDate'], ['endDate']], isPeriod, periodRule), ['endDate']),
);

/** Parameters of {@link positionHistory}. */
export interface PositionHistoryParams extends ParamsOf<typeof params> {}

/**
 * Lists the changes of your positions, open and closed, margin and futures. Each change is a record, so a position has
 * several. {@link closedPositions} has one record for each position that was closed.
 *
 * Parameters have times in Unix seconds; times of the response are Unix seconds with microseconds.
 *
 * `POST /api/v4/collateral-account/positions/history` · signed · 12000 requests / 10 s · a read, retried after a
 * transient failure
 *
 * @throws {@link ApiError} with `reason` `validation` (30), `market` (31)
 * @throws {@link AnyExchangeError} the errors of every call
 * @see docs/reference/collateral.md#collateralpositionhistory
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 *
 * const logChanges = (exchange: Exchange, positionId: number) =>
 *   exchange.collateral.positionHistory({ positionId }).subscribe((changes) => {
 *     for (const { amount, orderDetail } of changes) console.log(orderDetail?.id, orderDetail?.tradeAmount, 'now', amount);
 *   });
 * ```
 */
export const positionHistory: Endpoint<PositionHistoryParams, PositionChange[]> = defineEndpoint({
  name: 'collateral.positionHistory',
  path: '/api/v4/collateral-account/positions/history',
  rateLimit: { limit: 12_000, windowMs: 10_000 },
  safety: 'read',
  request,
  response: listOf(positionChangeSchema),
  matchesRequest: (requested, changes) =>
    changes.every(
      ({ market, positionId: id }) =>
        isRequestedMarket(requested, market) &&
        (requested['positionId'] === undefined || requested['positionId'] === id),
    ),
});
