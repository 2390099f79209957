import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { maxOffset, recordsPageOf, type RecordsPage } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { assetTicker, boundedInteger, rule, unixSeconds, type ParamsOf } from '../fields.js';

const fields = {
  /** The asset. */
  asset: t.optionalText,
  /** Highest amount, in the asset. */
  amount: t.optionalDecimal,
  /** Highest principal, in the asset: at another time, perhaps. */
  principal: t.optionalDecimal,
  /** Highest interest, in the asset: at another time, perhaps. */
  interest: t.optionalDecimal,
};

/** What was borrowed, from the first loan to the last payment. Unknown fields, such as the times, are kept. */
export interface BorrowRecord extends t.RecordOf<typeof fields> {}

/** A page of the history of loans. */
export interface BorrowHistoryPage extends RecordsPage<BorrowRecord> {}

const params = {
  /** Only this asset. */
  asset: v.exactOptional(assetTicker),
  /** Only loans from this time on, Unix seconds. */
  startTime: v.exactOptional(unixSeconds),
  /** Only loans up to this time, Unix seconds. After `startTime`. */
  endTime: v.exactOptional(unixSeconds),
  /** Maximum number of items, 1 to 100. The exchange has published 50 and 100 as its default: give one. */
  limit: v.exactOptional(boundedInteger(1, 100)),
  /**
   * Number of items to skip, 0 to 10000.
   *
   * @default 0
   */
  offset: v.exactOptional(boundedInteger(0, maxOffset)),
};

/** Parameters of {@link borrowHistory}. */
export interface BorrowHistoryParams extends ParamsOf<typeof params> {}

/**
 * Lists a page of what the collateral account has borrowed, the **oldest** first. The exchange has published few of the fields:
 * the records are as it sends them. A period of more than 10000 records is refused.
 *
 * @example
 * ```ts
 * exchange.collateral.borrowHistory({ limit: 50 }).subscribe(({ records }) => console.log(records));
 * ```
 */
export const borrowHistory: Endpoint<BorrowHistoryParams, BorrowHistoryPage> = defineEndpoint({
  name: 'collateral.borrowHistory',
  path: '/api/v4/collateral-account/borrow-history',
  rateLimit: { limit: 12_000, windowMs: 10_000 },
  safety: 'read',
  request: v.pipe(
    v.strictObject(params),
    rule('endTime', ({ startTime = 0, endTime = Infinity }) => endTime > startTime, 'must be after startTime'),
  ),
  response: recordsPageOf<BorrowRecord>(t.record(fields)),
});
