// The deposit addresses of all accounts, and the deposits that the exchange canceled: their money was never on a balance,
// and a refund sends it back.
import type { Decimal } from '../model/decimal.js';
import { unixSeconds } from './clock.js';
import { randomHex, randomUuid } from './random.js';
import { Journal } from './retention.js';

interface CanceledDeposit {
  readonly account: string;
  readonly ticker: string;
  readonly network: string;
  readonly amount: Decimal;
}

/** Where a refund goes, and its fee. */
interface RefundTerms {
  readonly depositId: string;
  readonly address: string;
  readonly memo: string | undefined;
  readonly fee: string;
}

interface Refund extends CanceledDeposit, RefundTerms {
  readonly refundId: string;
  readonly hash: string;
  readonly at: number;
}

const refundMs = 60_000;
const addressLength = 40;
const memoLength = 8;
const hashLength = 64;

export class Deposits {
  readonly #addresses = new Map<string, { readonly address: string; readonly memo?: string }>();
  /** By transaction. */
  readonly #canceled = new Map<string, CanceledDeposit>();
  readonly #refunds = new Journal<Refund>();

  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
  ) {}

  /** The permanent address of an asset on a network. */
  address(account: string, ticker: string, network: string, hasMemo: boolean) {
    const key = JSON.stringify([account, ticker, network]);
    const known = this.#addresses.get(key) ?? this.newAddress(hasMemo);
    this.#addresses.set(key, known);
    return known;
  }

  newAddress(hasMemo: boolean) {
    const address = randomHex(this.random, addressLength);
    return hasMemo ? { address, memo: String(parseInt(randomHex(this.random, memoLength), 16)) } : { address };
  }

  /** Returns the transaction of the deposit. */
  cancel(deposit: CanceledDeposit): string {
    const id = randomUuid(this.random);
    this.#canceled.set(id, deposit);
    return id;
  }

  /** A canceled deposit of the account that is not refunded. */
  canceled(account: string, depositId: string): CanceledDeposit | undefined {
    const deposit = this.#canceled.get(depositId);
    return deposit?.account === account ? deposit : undefined;
  }

  refund(deposit: CanceledDeposit, terms: RefundTerms): void {
    this.#canceled.delete(terms.depositId);
    const refundId = randomUuid(this.random);
    this.#refunds.push({ ...deposit, ...terms, refundId, hash: randomHex(this.random, hashLength), at: this.now() });
  }

  /** The refunds of an account as they are listed, newest first. */
  refundsOf(account: string) {
    return this.#refunds
      .of(account)
      .map(({ depositId, ticker, network, amount, fee, refundId, address, hash, memo = null, at }) => {
        const hasEnded = this.now() >= at + refundMs;
        return {
          ...{ depositId, currency: ticker, ticker, network, depositAmount: amount, refundId, memo },
          ...{ refundAddress: address, refundAmount: amount.minus(fee), refundHash: hasEnded ? hash : null },
          status: hasEnded ? 'successful' : 'in_process',
          createdAt: unixSeconds(at),
          processedAt: hasEnded ? unixSeconds(at + refundMs) : null,
        };
      });
  }
}
