// Deposits and withdrawals, as several groups list them.
import type * as v from 'valibot';
import type { RecordsPage } from './paging.js';
import * as t from './tolerant.js';

const confirmationFields = {
  /** Confirmations so far. */
  actual: t.optionalNumber,
  /** Confirmations that are needed. */
  required: t.optionalNumber,
};

/** The confirmations of a deposit. Unknown fields are kept. */
export interface Confirmations extends t.RecordOf<typeof confirmationFields> {}

const partialFields = {
  /** Amount that was requested, in the asset. */
  requestAmount: t.optionalDecimal,
  /** Amount that was paid so far, in the asset. */
  processedAmount: t.optionalDecimal,
  /** Fee of what was paid so far, in the asset. */
  processedFee: t.optionalDecimal,
};

/** A withdrawal that is paid in parts. Unknown fields are kept. */
export interface PartialWithdrawal extends t.RecordOf<typeof partialFields> {}

const detailsFields = {
  /** Of a withdrawal that is paid in parts. */
  partial: t.optional<PartialWithdrawal>(t.record(partialFields)),
};

/** Details of a transaction. Unknown fields are kept. */
export interface TransactionDetails extends t.RecordOf<typeof detailsFields> {}

const fields = {
  /** Identifies the transaction. One hash can have several. */
  transactionId: t.optionalText,
  /** Your identifier of a withdrawal or of a fiat deposit. */
  uniqueId: t.optionalText,
  /** `1`: deposit. `2`: withdrawal. */
  method: t.optionalNumber,
  /**
   * Of a deposit: 3, 7 credited; 4, 9 canceled; 5 unconfirmed; 15 pending; 21 frozen; 22 not credited; 27 data for the
   * travel rule are needed; 28 in review. Of a withdrawal: 3, 7 done; 4 canceled; 5 unconfirmed; 18 partly done; 21 frozen; others
   * pending.
   */
  status: t.optionalNumber,
  /** The asset. */
  ticker: t.optionalText,
  /** Name of the asset. */
  currency: t.optionalText,
  /** Amount, in the asset. */
  amount: t.decimalText,
  /** Fee, in the asset. */
  fee: t.optionalDecimal,
  /** Network of a crypto asset. */
  network: t.optionalText,
  /** Address of the other side. */
  address: t.optionalText,
  /** Memo of the address. */
  memo: t.optionalText,
  /** Hash of the transaction on its network. */
  transactionHash: t.optionalText,
  /** When it was made, Unix seconds. */
  createdAt: t.optionalNumber,
  /** Description of a fiat transaction. */
  description: t.optionalText,
  /** Details of a withdrawal. */
  details: t.optional<TransactionDetails>(t.record(detailsFields)),
  /** Of a deposit. */
  confirmations: t.optional<Confirmations>(t.record(confirmationFields)),
};

/** A deposit or a withdrawal. Unknown fields are kept. */
export interface Transaction extends t.RecordOf<typeof fields> {}

/** A page of transactions. */
export interface TransactionPage extends RecordsPage<Transaction> {}

export const transactionSchema: v.GenericSchema<unknown, Transaction> = t.record(fields, {
  uniqueId: 'unique_id',
  transactionId: 'transaction_id',
});
