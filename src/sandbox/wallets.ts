// The movements of the main account: what can leave a balance, transfers between the wallets, deposits with their
// confirmations, and withdrawals. Every part of the sandbox that debits or credits an account does it here.
import { decimal, type Decimal } from '../model/decimal.js';
import type { Books } from './books.js';
import { unixSeconds, type Clock } from './clock.js';
import type { Engine } from './engine/index.js';
import type { LedgerEntry, Wallet } from './ledger.js';
import { randomHex, randomUuid } from './random.js';
import { Journal } from './retention.js';
import {
  confirmationMs,
  confirmationsOf,
  isHeld,
  isSettled,
  isUnconfirmed,
  listed,
  type Deposit,
  type NewWithdrawal,
  type Transaction,
  type Withdrawal,
} from './transactions.js';

/** What a wallet pays or receives. */
export interface Amount {
  readonly account: string;
  readonly wallet: Wallet;
  readonly asset: string;
  /** Above 0. */
  readonly amount: Decimal;
  readonly reason: LedgerEntry['reason'];
}

interface Source {
  readonly engine: Pick<Engine, 'frozen' | 'collateralAccount' | 'advance'>;
  readonly books: Books;
  readonly clock: Clock;
}

interface Transfer {
  readonly account: string;
  readonly from: Wallet;
  readonly to: Wallet;
  readonly asset: string;
  readonly amount: Decimal;
}

/** One step of a transfer, which has main on one side. */
interface ExecutedTransfer extends Transfer {
  readonly id: string;
  readonly at: number;
}

/** Published: a transfer takes up to 2 s. One between spot and collateral has two steps. */
const transferStepMs = 1000;
/** Published: a withdrawal that is not confirmed expires. When, is not. */
const unconfirmedMs = 86_400_000;
const hashLength = 64;

export class Wallets {
  readonly #transfers = new Journal<ExecutedTransfer>();
  readonly #deposits = new Journal<Deposit>();
  readonly #withdrawals = new Journal<Withdrawal>();
  /** Withdrawals are forgotten; their keys are not. */
  readonly #usedIds = new Set<string>();
  readonly #queued = new Set<Transfer>();

  constructor(
    private readonly source: Source,
    private readonly random: () => number,
  ) {}

  /** What a wallet can pay: neither frozen by orders, nor used as margin. */
  available(account: string, wallet: Wallet, asset: string): Decimal {
    const { engine, books } = this.source;
    engine.advance();
    const balance = books.balance(account, wallet, asset);
    if (wallet === 'main') return balance;
    if (wallet === 'trade') return balance.minus(engine.frozen(account, asset));
    const { money, freeMargin } = engine.collateralAccount(account);
    return asset === money ? least(balance, freeMargin) : balance;
  }

  /** What can leave the main balance: not what is held until its deposit is confirmed. Held money can be traded. */
  withdrawable(account: string, asset: string): Decimal {
    return least(this.available(account, 'main', asset), this.free(account, asset));
  }

  /** What is not held, of main and spot together. */
  free(account: string, asset: string): Decimal {
    const total = this.available(account, 'main', asset).plus(this.available(account, 'trade', asset));
    const held = this.#deposits
      .of(account)
      .filter((one) => one.asset === asset && isHeld(one, this.#now()))
      .reduce((sum, { amount }) => sum.plus(amount), decimal(0));
    return least(total, total.minus(held));
  }

  credit({ account, wallet, asset, amount, reason }: Amount): void {
    this.source.books.change(account, wallet, asset, amount, reason);
  }

  /** Debits what the wallet can pay; returns false, and debits nothing, when it cannot. */
  debit({ account, wallet, asset, amount, reason }: Amount): boolean {
    if (amount.isGreaterThan(this.available(account, wallet, asset))) return false;
    this.source.books.change(account, wallet, asset, amount.negated(), reason);
    return true;
  }

  /** Debits the main balance of what leaves the account, without what is held. */
  debitWithdrawable(paid: Omit<Amount, 'wallet'>): boolean {
    const isFree = !paid.amount.isGreaterThan(this.withdrawable(paid.account, paid.asset));
    return isFree && this.debit({ ...paid, wallet: 'main' });
  }

  /** Transfers that are queued: debited, and not credited yet. */
  get queued(): readonly Transfer[] {
    return [...this.#queued];
  }

  /** Queues a transfer; returns false when the wallet cannot pay it. */
  transfer(transfer: Transfer): boolean {
    const { account, from, to, asset, amount } = transfer;
    // Held money reaches collateral neither from main nor through it.
    if (to === 'collateral' && amount.isGreaterThan(this.free(account, asset))) return false;
    if (!this.debit({ account, wallet: from, asset, amount, reason: 'transfer' })) return false;
    this.#queued.add(transfer);
    const stops: readonly Wallet[] = from === 'main' || to === 'main' ? [from, to] : [from, 'main', to];
    for (const [index, wallet] of stops.slice(1).entries())
      this.#after(transferStepMs * (index + 1), () => {
        const id = randomUuid(this.random);
        this.#transfers.push({ ...transfer, from: stops[index] ?? from, to: wallet, id, at: this.#now() });
        if (wallet !== to) return;
        this.#queued.delete(transfer);
        this.credit({ account, wallet: to, asset, amount, reason: 'transfer' });
      });
    return true;
  }

  /** Starts a deposit: credited with its first confirmation, and held until the last. Returns its `transactionId`. */
  receive(deposit: Omit<Deposit, 'transactionId' | 'hash' | 'at' | 'fee'>): string {
    const made = { ...deposit, ...this.#newTransaction(), fee: decimal(0) };
    this.#deposits.push(made);
    const { account, asset, amount } = deposit;
    this.#after(confirmationMs, () => {
      this.credit({ account, wallet: 'main', asset, amount, reason: 'deposit' });
    });
    return made.transactionId;
  }

  isUsed(account: string, uniqueId: string): boolean {
    return this.#usedIds.has(JSON.stringify([account, uniqueId]));
  }

  /** Starts a withdrawal; returns false, and uses no key, when the account cannot pay it. */
  withdraw(withdrawal: NewWithdrawal): boolean {
    const { account, asset, amount, uniqueId } = withdrawal;
    if (!this.debitWithdrawable({ account, asset, amount, reason: 'withdrawal' })) return false;
    this.#usedIds.add(JSON.stringify([account, uniqueId]));
    const transaction = this.#newTransaction();
    const startedAt = withdrawal.needsConfirmation ? undefined : transaction.at;
    this.#withdrawals.push({ ...withdrawal, ...transaction, startedAt, isCanceled: false });
    if (withdrawal.needsConfirmation)
      this.#after(unconfirmedMs, () => {
        if (this.unconfirmedOf(account).some((one) => one.transactionId === transaction.transactionId))
          this.cancelWithdrawal(account, uniqueId);
      });
    return true;
  }

  /** The withdrawals of an account that wait for its main account. */
  unconfirmedOf(account: string): readonly Transaction[] {
    return this.#withdrawals.of(account).filter(isUnconfirmed);
  }

  /** Starts a withdrawal that waits. */
  confirm(transactionId: string): void {
    for (const one of this.#withdrawals.entries) if (one.transactionId === transactionId) one.startedAt = this.#now();
  }

  /** Cancels a withdrawal that is not settled, and gives its money back; returns false for any other. */
  cancelWithdrawal(account: string, uniqueId: string): boolean {
    const found = this.#withdrawals.of(account).find((one) => one.uniqueId === uniqueId);
    if (found === undefined || isSettled(found, this.#now())) return false;
    found.isCanceled = true;
    this.credit({ account, wallet: 'main', asset: found.asset, amount: found.amount, reason: 'withdrawal' });
    return true;
  }

  /** As they are listed, newest first. */
  transfersOf(account: string) {
    return this.#transfers.of(account).map(({ id, asset: currency, amount, from, to, at }) => {
      const [from_balance, to_balance] = [nameOf(from), nameOf(to)];
      return { id, currency, amount, from_balance, to_balance, created_at: unixSeconds(at) };
    });
  }

  /** Deposits and withdrawals as they are listed, newest first. */
  transactionsOf(account: string) {
    return listed(this.#deposits.of(account), this.#withdrawals.of(account), this.#now());
  }

  forget(before: number): void {
    this.#transfers.forget(before);
    this.#withdrawals.forget(before, (one) => !isSettled(one, this.#now()));
    this.#deposits.forget(before, (one) => confirmationsOf(one, this.#now()) < one.confirmations);
  }

  #now(): number {
    return this.source.clock.now();
  }

  #newTransaction() {
    return { transactionId: randomUuid(this.random), hash: randomHex(this.random, hashLength), at: this.#now() };
  }

  /** Once, and without holding the process. */
  #after(ms: number, task: () => void): void {
    const stop = this.source.clock.every(ms, () => {
      stop();
      task();
    });
  }
}

/** The lesser of two amounts, at least 0. */
function least(one: Decimal, other: Decimal): Decimal {
  const lesser = one.isLessThan(other) ? one : other;
  return lesser.isLessThan(0) ? decimal(0) : lesser;
}

/** The exchange calls the trade balance `spot`. */
function nameOf(wallet: Wallet): 'main' | 'spot' | 'collateral' {
  return wallet === 'trade' ? 'spot' : wallet;
}
