import * as v from 'valibot';
import { agreesOn } from '../agrees-on.js';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { positionSides } from '../../model/order.js';
import type { RecordOf } from '../../model/tolerant.js';
import { undocumented } from './undocumented.js';
import { marketName, oneOf, positionId, type ParamsOf } from '../fields.js';
import { closedPositions } from './closed-positions.js';

const params = {
  /** The market of the position, such as `BTC_USDT` or `BTC_PERP`. */
  market: marketName,
  /** The exchange's number of the position: `positionId` of {@link openPositions}. */
  positionId,
  /** Side of the position: `LONG` or `SHORT`. Required in hedge mode; leave it out otherwise. */
  positionSide: v.exactOptional(oneOf(positionSides)),
};

const fields = {};

/** Parameters of {@link closePosition}. */
export interface ClosePositionParams extends ParamsOf<typeof params> {}

/** The response of {@link closePosition}: the fields that the exchange sends, if any. */
export interface ClosePositionResponse extends RecordOf<typeof fields> {}

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
  request: v.strictObject(params),
  response: undocumented(fields),
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
