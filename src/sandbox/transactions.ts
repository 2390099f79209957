// Deposits and withdrawals: their states by the clock, and how the exchange lists both.
import type { Decimal } from '../model/decimal.js';
import { unixSeconds } from './clock.js';

export interface Transaction {
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

export interface Deposit extends Transaction {
  readonly confirmations: number;
}

/** A withdrawal, as it is requested. */
export type NewWithdrawal = Omit<Transaction, 'transactionId' | 'hash' | 'at'> & {
  readonly uniqueId: string;
  /** Whether it waits for the main account, as those of sub-accounts do. */
  readonly needsConfirmation: boolean;
};

export interface Withdrawal extends NewWithdrawal, Transaction {
  /** When it starts, Unix milliseconds; `undefined` until it is confirmed. */
  startedAt: number | undefined;
  isCanceled: boolean;
}

const withdrawalMs = 30_000;
export const confirmationMs = 5000;

/** The published codes of both methods that the sandbox uses. */
const statuses = { pending: 15, started: 1, successful: 7, canceled: 4, unconfirmed: 5 } as const;

export function isUnconfirmed({ isCanceled, startedAt }: Withdrawal): boolean {
  return !isCanceled && startedAt === undefined;
}

export function isSettled(withdrawal: Withdrawal, now: number): boolean {
  const status = statusOf(withdrawal, now);
  return status === statuses.successful || status === statuses.canceled;
}

export function confirmationsOf({ at, confirmations }: Deposit, now: number): number {
  return Math.max(0, Math.min(confirmations, Math.floor((now - at) / confirmationMs)));
}

/** Whether a deposit is credited, and cannot leave yet. */
export function isHeld(deposit: Deposit, now: number): boolean {
  const actual = confirmationsOf(deposit, now);
  return actual > 0 && actual < deposit.confirmations;
}

/** Deposits (method 1) and withdrawals (method 2) as they are listed: newest first, as both are given. */
export function listed(ofDeposits: readonly Deposit[], ofWithdrawals: readonly Withdrawal[], now: number) {
  const deposits = ofDeposits.map((one) => ({
    transaction: one,
    method: 1,
    uniqueId: null,
    status: confirmationsOf(one, now) > 0 ? statuses.successful : statuses.pending,
    confirmations: { actual: confirmationsOf(one, now), required: one.confirmations },
  }));
  const withdrawals = ofWithdrawals.map((one) => ({
    transaction: one,
    method: 2,
    uniqueId: one.uniqueId,
    status: statusOf(one, now),
    confirmations: null,
  }));
  return [...withdrawals, ...deposits]
    .sort((one, other) => other.transaction.at - one.transaction.at)
    .map(({ transaction, method, uniqueId, status, confirmations }) => {
      const { address, memo = '', at, asset, amount, fee, network, hash, transactionId } = transaction;
      const isSent = method === 1 || status === statuses.successful;
      return {
        ...{ address, uniqueId, createdAt: unixSeconds(at), currency: asset, ticker: asset, method },
        ...{ amount, description: '', memo, fee, status, network },
        ...{ transactionHash: isSent ? hash : '', transactionId, details: null, confirmations },
      };
    });
}

function statusOf({ isCanceled, startedAt }: Withdrawal, now: number): number {
  if (isCanceled) return statuses.canceled;
  if (startedAt === undefined) return statuses.unconfirmed;
  return now >= startedAt + withdrawalMs ? statuses.successful : statuses.started;
}
