// What the exchange has lent to the collateral account, as it pushes it.
import type * as v from 'valibot';
import { decimalText, optionalDecimal, optionalNumber, record, text, type RecordOf } from './tolerant.js';

const fields = {
  /** The asset. */
  asset: text,
  /** Amount, in the asset. Negative: the account owes it. */
  amount: decimalText,
  /** Funding that is not charged yet. */
  unrealizedFunding: optionalDecimal,
  /** Price at which the exchange liquidates it. Absent: none. */
  liquidationPrice: optionalDecimal,
  /** Time at which it was opened, Unix seconds with fractions. */
  openDate: optionalNumber,
  /** Time of its last change, Unix seconds with fractions. */
  modifyDate: optionalNumber,
};

/** A loan of the collateral account, with the names of {@link LivePosition}. Unknown fields are kept. */
export interface Borrow extends RecordOf<typeof fields> {}

/** The names of the fields in pushes. */
const pushNames = {
  unrealizedFunding: 'unrealized_funding',
  liquidationPrice: 'liq_price',
  openDate: 'ctime',
  modifyDate: 'mtime',
} as const;

export const borrowSchema: v.GenericSchema<unknown, Borrow> = record(fields, pushNames);
