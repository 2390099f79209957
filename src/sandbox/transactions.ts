// Deposits and withdrawals: their states by the clock.
import type { Decimal } from '../model/decimal.js';

interface TransactionBase {
  readonly account: string;
  readonly transactionId: string;
  readonly hash: string;
  readonly at: number;
  readonly asset: string;
  readonly network: string;
  readonly address: string;
  readonly memo: string | undefined;
  /** Of a withdrawal: with its fee. */
  readonly amount: Decimal;
  readonly fee: Decimal;
}

export interface Deposit extends TransactionBase {
  readonly method: 1;
  /** The number that it needs. */
  readonly confirmations: number;
}

export interface Withdrawal extends TransactionBase {
  readonly method: 2;
  readonly uniqueId: string;
  /** When it starts, Unix milliseconds; `undefined` until the main account confirms that of a sub-account. */
  startedAt: number | undefined;
  isCanceled: boolean;
}

export type Transaction = Deposit | Withdrawal;

const withdrawalMs = 30_000;
export const confirmationMs = 5000;

/** The published codes of both methods that the sandbox uses. */
export const statuses = { pending: 15, started: 1, successful: 7, canceled: 4, unconfirmed: 5 } as const;

export function statusOf(transaction: Transaction, now: number): number {
  if (transaction.method === 1) return confirmationsOf(transaction, now) > 0 ? statuses.successful : statuses.pending;
  const { isCanceled, startedAt } = transaction;
  if (isCanceled) return statuses.canceled;
  if (startedAt === undefined) return statuses.unconfirmed;
  return now >= startedAt + withdrawalMs ? statuses.successful : statuses.started;
}

/** When it is settled, Unix milliseconds; `undefined` for a withdrawal that waits. */
export function endOf(transaction: Transaction): number | undefined {
  const { at } = transaction;
  if (transaction.method === 1) return at + transaction.confirmations * confirmationMs;
  const { isCanceled, startedAt } = transaction;
  return isCanceled ? at : startedAt && startedAt + withdrawalMs;
}

export function isUnconfirmed(transaction: Transaction): transaction is Withdrawal {
  return transaction.method === 2 && !transaction.isCanceled && transaction.startedAt === undefined;
}

export function confirmationsOf({ at, confirmations }: Deposit, now: number): number {
  return Math.max(0, Math.min(confirmations, Math.floor((now - at) / confirmationMs)));
}

/** Whether it is a deposit that is credited, and cannot leave yet. */
export function isHeld(transaction: Transaction, now: number): boolean {
  if (transaction.method === 2) return false;
  const actual = confirmationsOf(transaction, now);
  return actual > 0 && actual < transaction.confirmations;
}
