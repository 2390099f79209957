// What the requests for lists of deals and of ended orders share.
import * as v from 'valibot';
import { boundedInteger, pageParams } from '../../model/paging.js';
import { clientOrderId, unixSeconds, type ParamsOf } from '../fields.js';

export const dealParams = {
  /** Only deals of the order with this identifier of yours. */
  client_order_id: v.exactOptional(clientOrderId),
  /**
   * Maximum number of deals, 1 to 500.
   *
   * @default 50
   */
  limit: v.exactOptional(boundedInteger(1, 500)),
  /**
   * Number of deals to skip, 0 to 10000.
   *
   * @default 0
   */
  offset: pageParams.offset,
  /** Only deals from this time on, Unix seconds. At most 6 months ago. */
  startDate: v.exactOptional(unixSeconds),
  /** Only deals up to this time, Unix seconds. Not before `startDate`. */
  endDate: v.exactOptional(unixSeconds),
};

/** The parameters that every list of deals has. */
export interface DealParams extends ParamsOf<typeof dealParams> {}

/** The bounds of a period. */
interface Period {
  readonly startDate?: number;
  readonly endDate?: number;
}

/** Whether a period does not end before it begins. */
export function isPeriod({ startDate, endDate }: Period): boolean {
  return startDate === undefined || endDate === undefined || endDate >= startDate;
}

/** The message about a period that ends before it begins. */
export const periodRule = 'must be at or after startDate';

const maxSpanSeconds = 31 * 24 * 60 * 60;

/** Whether a period does not end before it begins, and is not longer than a history can be read at once. */
export function isHistoryPeriod({ startDate, endDate }: Period): boolean {
  const isBounded = startDate !== undefined && endDate !== undefined;
  return !isBounded || (endDate >= startDate && endDate - startDate <= maxSpanSeconds);
}

/** The message about a period that ends before it begins, or is too long. */
export const historyPeriodRule = 'must be at or after startDate, by at most 31 days';

/** What the exchange rejects lists of deals for. */
export const dealErrorCodes = [{ code: 30, field: 'orderHistory', reason: 'order-not-found' }] as const;
