import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { maxOffset } from '../../model/paging.js';
import { closedPositionSchema, type ClosedPosition } from '../../model/position.js';
import { listOf } from '../../model/tolerant.js';
import { unixSeconds, type ParamsOf, rule } from '../fields.js';
import { pageLimit, inOrder, offsetParam } from '../list-params.js';

const defaultLimit = 50;

const params = {
  /** Only positions that were closed from this time on, Unix seconds. */
  startDate: v.exactOptional(unixSeconds),
  /** Only positions that were closed up to this time, Unix seconds. Not before `startDate`. */
  endDate: v.exactOptional(unixSeconds),
  /**
   * Maximum number of positions, 1 to 100.
   *
   * @default 50
   */
  limit: pageLimit,
  /**
   * Number of positions to skip. `offset` and `limit` together are at most 10000.
   *
   * @default 0
   */
  offset: offsetParam.offset,
};

const request = v.pipe(
  v.strictObject(params),
  inOrder(),
  rule(
    'offset',
    ({ limit = defaultLimit, offset = 0 }) => offset + limit <= maxOffset,
    `and limit together must be at most ${maxOffset}`,
  ),
);

/** Parameters of {@link closedPositions}. */
export interface ClosedPositionsParams extends ParamsOf<typeof params> {}

/**
 * Lists the positions that were closed, the last one first, each with its profit, fees and funding. The period is that
 * of the closing; the figures are those of the whole life of a position.
 *
 * `netPnl` is the result of a position: do not subtract `totalTradeFee` or `totalFunding` from it, which it is already
 * net of.
 *
 * @example
 * ```ts
 * exchange.collateral.closedPositions({ limit: 10 }).subscribe((positions) => {
 *   for (const { market, closedSize, netPnl } of positions) console.log(market, closedSize, netPnl);
 * });
 * ```
 */
export const closedPositions: Endpoint<ClosedPositionsParams, ClosedPosition[]> = defineEndpoint({
  name: 'collateral.closedPositions',
  path: '/api/v4/collateral-account/positions/closed-pnl',
  rateLimit: { limit: 12_000, windowMs: 10_000 },
  safety: 'read',
  page: { defaultLimit },
  request,
  response: listOf(closedPositionSchema),
});
