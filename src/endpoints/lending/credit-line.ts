import { defineEndpoint, type Endpoint, type NoParams } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';

const fields = {
  /** The asset that was lent. */
  asset: t.text,
  /** Amount, in the asset. */
  amount: t.decimalText,
  /** Interest so far, in the asset. */
  totalFunding: t.optionalDecimal,
  /** Loan to value now, percent. */
  currentLtv: t.optionalDecimal,
  /** Loan to value at the start, percent. */
  initialLtv: t.optionalDecimal,
  /** Loan to value of a margin call, percent. */
  marginCallLtv: t.optionalDecimal,
  /** Loan to value of the liquidation, percent. */
  liquidationLtv: t.optionalDecimal,
  /** When it was made, Unix seconds. */
  createdAt: t.optionalNumber,
};

/** A loan of a credit line. Unknown fields are kept. */
export interface CreditLine extends t.RecordOf<typeof fields> {}

/**
 * Reads the loan of the account's credit line. Without a loan the exchange responds with an error 400, code 0; without a
 * credit line, with 404.
 *
 * @example
 * ```ts
 * exchange.lending.creditLine().subscribe(({ currentLtv, marginCallLtv }) => console.log(currentLtv, marginCallLtv));
 * ```
 */
export const creditLine: Endpoint<NoParams, CreditLine> = defineEndpoint({
  name: 'lending.creditLine',
  path: '/api/v4/credit-line/loans/info',
  rateLimit: { limit: 1000, windowMs: 10_000 },
  safety: 'read',
  response: t.record(fields),
});
