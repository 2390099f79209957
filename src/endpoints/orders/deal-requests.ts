// What the requests for lists of deals share.
import * as v from 'valibot';
import { clientOrderId, unixSeconds, type ParamsOf, boundedInteger } from '../fields.js';
import type { OffsetParam } from '../list-params.js';

export const dealParams = {
  /** Only deals of the order with this identifier of yours. */
  client_order_id: v.exactOptional(clientOrderId),
  /**
   * Maximum number of deals, 1 to 500.
   *
   * @default 50
   */
  limit: v.exactOptional(boundedInteger(1, 500)),
  /** Only deals from this time on, Unix seconds. At most 6 months ago. */
  startDate: v.exactOptional(unixSeconds),
  /** Only deals up to this time, Unix seconds. Not before `startDate`. */
  endDate: v.exactOptional(unixSeconds),
};

/** The parameters that every list of deals has. */
export interface DealParams extends OffsetParam, ParamsOf<typeof dealParams> {}

/** What the exchange rejects lists of deals for. */
export const dealErrorCodes = [{ code: 30, field: 'orderHistory', reason: 'order-not-found' }] as const;
