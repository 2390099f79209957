// What an account has and can pay, transfers between wallets, deposits and withdrawals.
import { createHash } from 'node:crypto';
import { decimal, type Decimal } from '../model/decimal.js';
import type { Books } from './books.js';
import type { Clock } from './clock.js';
import type { Engine } from './engine/index.js';
import type { LedgerEntry, Wallet } from './ledger.js';
import { randomHex, randomUuid } from './random.js';
import { confirmationMs, settledAt } from './records.js';
import type { Deposit, Records, Transaction, Transfer, Withdrawal } from './records.js';

interface Amount {
  readonly account: string;
  /** Default: the main balance. */
  readonly wallet?: Wallet;
  readonly asset: string;
  /** Above 0. */
  readonly amount: Decimal;
  readonly reason: LedgerEntry['reason'];
}

type NewTransfer = Omit<Transfer, 'id' | 'at'>;
type Own = 'transactionId' | 'hash' | 'at' | 'method';

/** Published: a transfer takes up to 2 s. One between spot and collateral has two steps. */
const transferStepMs = 1000;
/** Published: a withdrawal that is not confirmed expires. When, is not. */
const unconfirmedMs = 86_400_000;
const hashLength = 64;

export class Wallets {
  /** Transfers that are debited, and not credited yet. */
  readonly queued = new Set<NewTransfer>();
  /** Withdrawals are forgotten; their keys are not. */
  readonly #usedIds = new Set<string>();

  constructor(
    private readonly clock: Clock,
    private readonly engine: Engine,
    private readonly books: Books,
    private readonly records: Pick<Records, 'transfers' | 'transactions'>,
    private readonly random: () => number,
  ) {}

  spot(account: string, asset: string) {
    const freeze = this.engine.reservations.frozen(account, asset);
    return { available: this.books.balance(account, 'trade', asset).minus(freeze), freeze };
  }

  /** The sandbox lends nothing. */
  collateral(account: string, asset: string) {
    const { money, freeMargin } = this.engine.current.margin.status(account);
    const balance = this.books.balance(account, 'collateral', asset);
    return { balance, borrow: '0', available: asset === money ? freeMargin : balance };
  }

  /** What a wallet can pay: neither frozen by orders, nor used as margin. */
  available(account: string, wallet: Wallet, asset: string): Decimal {
    this.engine.advance();
    if (wallet === 'main') return this.books.balance(account, wallet, asset);
    if (wallet === 'trade') return this.spot(account, asset).available;
    const { balance, available } = this.collateral(account, asset);
    return least(balance, available);
  }

  /** What can leave the main balance: not what is held until its deposit is confirmed. Held money can be traded. */
  withdrawable(account: string, asset: string): Decimal {
    return least(this.available(account, 'main', asset), this.#free(account, asset));
  }

  /** What is not held, of main and spot together. */
  #free(account: string, asset: string): Decimal {
    const total = this.available(account, 'main', asset).plus(this.available(account, 'trade', asset));
    const held = this.records.transactions
      .of(account)
      .filter((one) => one.asset === asset && isHeld(one, this.clock.now()))
      .reduce((sum, { amount }) => sum.plus(amount), decimal(0));
    return least(total, total.minus(held));
  }

  credit({ account, wallet = 'main', asset, amount, reason }: Amount): void {
    this.books.change(account, wallet, asset, amount, reason);
  }

  /** Debits what the wallet can pay; returns false, and debits nothing, when it cannot. */
  debit({ account, wallet = 'main', asset, amount, reason }: Amount): boolean {
    if (amount.isGreaterThan(this.available(account, wallet, asset))) return false;
    this.books.change(account, wallet, asset, amount.negated(), reason);
    return true;
  }

  /** Debits the main balance of what leaves the account, without what is held. */
  debitWithdrawable(paid: Omit<Amount, 'wallet'>): boolean {
    return !paid.amount.isGreaterThan(this.withdrawable(paid.account, paid.asset)) && this.debit(paid);
  }

  transfer(transfer: NewTransfer): boolean {
    const { account, from, to, asset, amount } = transfer;
    // Held money reaches collateral neither from main nor through it.
    if (to === 'collateral' && amount.isGreaterThan(this.#free(account, asset))) return false;
    if (!this.debit({ account, wallet: from, asset, amount, reason: 'transfer' })) return false;
    this.queued.add(transfer);
    const stops: readonly Wallet[] = from === 'main' || to === 'main' ? [from, to] : [from, 'main', to];
    for (const [index, wallet] of stops.slice(1).entries())
      this.#after(transferStepMs * (index + 1), () => {
        const step = { from: stops[index] ?? from, to: wallet, id: randomUuid(this.random), at: this.clock.now() };
        this.records.transfers.push({ ...transfer, ...step });
        if (wallet !== to) return;
        this.queued.delete(transfer);
        this.credit({ account, wallet: to, asset, amount, reason: 'transfer' });
      });
    return true;
  }

  /** Starts a deposit: credited with its first confirmation, and held until its last. Returns its transaction. */
  receive(deposit: Omit<Deposit, Own | 'fee'>): string {
    const made = { ...deposit, ...this.#newTransaction(), method: 1, fee: decimal(0) } as const;
    this.records.transactions.push(made);
    const { account, asset, amount } = deposit;
    this.#after(confirmationMs, () => {
      this.credit({ account, asset, amount, reason: 'deposit' });
    });
    return made.transactionId;
  }

  isUsed(account: string, uniqueId: string): boolean {
    return this.#usedIds.has(JSON.stringify([account, uniqueId]));
  }

  /** Starts a withdrawal, or lets it wait for its confirmation; returns false, and uses no key, when the account cannot pay it. */
  withdraw(withdrawal: Omit<Withdrawal, Own | 'startedAt' | 'isCanceled'>, needsConfirmation: boolean): boolean {
    const { account, asset, amount, uniqueId } = withdrawal;
    if (!this.debitWithdrawable({ account, asset, amount, reason: 'withdrawal' })) return false;
    this.#usedIds.add(JSON.stringify([account, uniqueId]));
    const transaction = this.#newTransaction();
    const startedAt = needsConfirmation ? undefined : transaction.at;
    const made: Withdrawal = { ...withdrawal, ...transaction, method: 2, startedAt, isCanceled: false };
    this.records.transactions.push(made);
    if (needsConfirmation)
      this.#after(unconfirmedMs, () => {
        if (isUnconfirmed(made)) this.#cancel(made);
      });
    return true;
  }

  unconfirmedOf(account: string): readonly Withdrawal[] {
    return this.records.transactions.of(account).filter(isUnconfirmed);
  }

  /** Cancels a withdrawal that is not settled, and gives its money back; returns false for any other. */
  cancelWithdrawal(account: string, uniqueId: string): boolean {
    const found = this.records.transactions.of(account).find((one) => one.method === 2 && one.uniqueId === uniqueId);
    if (found?.method !== 2 || found.isCanceled || (settledAt(found) ?? Infinity) <= this.clock.now()) return false;
    this.#cancel(found);
    return true;
  }

  #cancel(withdrawal: Withdrawal): void {
    withdrawal.isCanceled = true;
    this.credit({ ...withdrawal, reason: 'withdrawal' });
  }

  #newTransaction() {
    return { transactionId: randomUuid(this.random), hash: randomHex(this.random, hashLength), at: this.clock.now() };
  }

  /** Once, and without holding the process. */
  #after(ms: number, task: () => void): void {
    const stop = this.clock.every(ms, () => {
      stop();
      task();
    });
  }
}

const addressLength = 40;
const memoLength = 8;

/** The deposit address that belongs to a text: the permanent one of an account and a network, or a new one. */
export function depositAddress(isMemo: boolean, ...of: readonly string[]) {
  const hash = createHash('sha256').update(JSON.stringify(of)).digest('hex');
  const address = hash.slice(0, addressLength);
  return isMemo ? { address, memo: String(parseInt(hash.slice(-memoLength), 16)) } : { address };
}

/** The lesser of two amounts, at least 0. */
function least(one: Decimal, other: Decimal): Decimal {
  const lesser = one.isLessThan(other) ? one : other;
  return lesser.isLessThan(0) ? decimal(0) : lesser;
}

/** The published codes of both methods that the sandbox uses. */
export const statuses = { pending: 15, started: 1, successful: 7, canceled: 4, unconfirmed: 5 } as const;

export function statusOf(transaction: Transaction, now: number): number {
  if (transaction.method === 1) return confirmationsOf(transaction, now) > 0 ? statuses.successful : statuses.pending;
  if (transaction.isCanceled) return statuses.canceled;
  if (transaction.startedAt === undefined) return statuses.unconfirmed;
  return now >= (settledAt(transaction) ?? Infinity) ? statuses.successful : statuses.started;
}

function isUnconfirmed(transaction: Transaction): transaction is Withdrawal {
  return transaction.method === 2 && !transaction.isCanceled && transaction.startedAt === undefined;
}

export function confirmationsOf({ at, confirmations }: Deposit, now: number): number {
  return Math.max(0, Math.min(confirmations, Math.floor((now - at) / confirmationMs)));
}

/** Whether it is a deposit that is credited, and cannot leave yet. */
function isHeld(transaction: Transaction, now: number): boolean {
  if (transaction.method === 2) return false;
  const actual = confirmationsOf(transaction, now);
  return actual > 0 && actual < transaction.confirmations;
}
