import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { positionSides } from '../../model/order.js';
import { type ClosedPosition, closedPositionSchema, type Position, positionSchema } from '../../model/position.js';
import { listOf, type RecordOf } from '../../model/tolerant.js';
import { agreesOn, isRequested } from '../agrees-on.js';
import { marketName, oneOf, type ParamsOf, positionId } from '../fields.js';
import { inOrder, pageParams, periodParams, withinListed, type PageParams, type PeriodParams } from '../list-params.js';
import { undocumented } from './undocumented.js';

const params = {
  /** Only positions of this market, such as `BTC_USDT` or `BTC_PERP`. */
  market: v.exactOptional(marketName),
};

/** Parameters of {@link openPositions}. */
export interface OpenPositionsParams extends ParamsOf<typeof params> {}

/**
 * Lists the open positions of the collateral account, margin and futures. Emits an empty list when no position is open.
 * In hedge mode a market may have two: see {@link hedgeMode}.
 *
 * @example
 * ```ts
 * import { concatMap } from 'rxjs';
 *
 * const { collateral } = exchange;
 * collateral
 *   .placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '100000', ioc: true })
 *   .pipe(concatMap(({ market }) => collateral.openPositions({ market })))
 *   .subscribe((positions) => {
 *     for (const { amount, basePrice, unrealizedPnl } of positions) console.log(amount, 'at', basePrice, unrealizedPnl);
 *   });
 * ```
 */
export const openPositions: Endpoint<OpenPositionsParams, Position[]> = defineEndpoint({
  name: 'collateral.openPositions',
  path: '/api/v4/collateral-account/positions/open',
  rateLimit: { limit: 12_000, windowMs: 10_000 },
  safety: 'read',
  request: v.strictObject(params),
  response: listOf(positionSchema),
  matchesRequest: (requested, positions) => positions.every(({ market }) => isRequested(requested['market'], market)),
});

/** Parameters of {@link closedPositions}. */
export interface ClosedPositionsParams extends PageParams, PeriodParams {}

/**
 * Lists the positions that were closed, the last one first, each with its profit, fees and funding. The period is that
 * of the closing; the figures are those of the whole life of a position.
 *
 * `netPnl` is the result of a position: do not subtract `totalTradeFee` or `totalFunding` from it, which it is already
 * net of. `offset` and `limit` together are at most 10000.
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
  page: { defaultLimit: 50 },
  request: v.pipe(v.strictObject({ ...periodParams, ...pageParams }), inOrder(), withinListed(50)),
  response: listOf(closedPositionSchema),
});

const closeParams = {
  /** The market of the position, such as `BTC_USDT` or `BTC_PERP`. */
  market: marketName,
  /** The exchange's number of the position: `positionId` of {@link openPositions}. */
  positionId,
  /** Side of the position: `LONG` or `SHORT`. Required in hedge mode; leave it out otherwise. */
  positionSide: v.exactOptional(oneOf(positionSides)),
};

const closeFields = {};

/** Parameters of {@link closePosition}. */
export interface ClosePositionParams extends ParamsOf<typeof closeParams> {}

/** The response of {@link closePosition}: the fields that the exchange sends, if any. */
export interface ClosePositionResponse extends RecordOf<typeof closeFields> {}

/**
 * Closes an open position, margin or futures, with a market order for its whole amount. The exchange cancels the stop
 * loss and the take profit of the position.
 *
 * The response is not documented, and was seen to be an empty list. The observable emits an object with the fields of
 * the response, which is empty when it has none: {@link openPositions} shows what is left of the position, and
 * {@link closedPositions} its result.
 *
 * `position-not-found` means that no such position is open. Where an earlier request of the same observable may have
 * closed it, because its response was lost, the position is looked up among the closed ones: the observable emits an
 * empty object when it is there. The outcome is `unknown` when no list shows it within seconds.
 *
 * @example
 * ```ts
 * import { concatMap, mergeAll } from 'rxjs';
 *
 * const { collateral } = exchange;
 * collateral
 *   .openPositions()
 *   .pipe(
 *     mergeAll(),
 *     concatMap(({ market, positionId }) => collateral.closePosition({ market, positionId })),
 *   )
 *   .subscribe({ complete: () => console.log('every position is closed') });
 * ```
 */
export const closePosition: Endpoint<ClosePositionParams, ClosePositionResponse> = defineEndpoint({
  name: 'collateral.closePosition',
  path: '/api/v4/collateral-account/position/close',
  safety: 'idempotent',
  key: ({ market, positionId: id }) => JSON.stringify([market, id]),
  request: v.strictObject(closeParams),
  response: undocumented(closeFields),
  matchesRequest: agreesOn('market', 'positionId', 'positionSide'),
  errorCodes: [
    { code: 104, reason: 'position-not-found' },
    { code: 114, reason: 'position-side' },
  ],
  resultLookup: {
    after: ['position-not-found'],
    finds: 'closed position',
    closedPositions,
    outputOf: () => ({}),
  },
});
