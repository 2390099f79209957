// The deposit addresses of all accounts, and the deposits that the exchange canceled: their money was never on a balance,
// and a refund sends it back.
import { decimal, formatDecimal } from '../model/decimal.js';
import { randomHex, randomUuid } from './random.js';

interface CanceledDeposit {
  readonly account: string;
  readonly ticker: string;
  readonly network: string;
  readonly amount: string;
}

interface Refund extends CanceledDeposit {
  readonly depositId: string;
  readonly refundId: string;
  readonly address: string;
  readonly memo: string | null;
  readonly refundAmount: string;
  readonly hash: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Where a refund goes, and its fee. */
export interface RefundOrder {
  readonly depositId: string;
  readonly address: string;
  readonly memo: string | undefined;
  readonly fee: string;
}

const refundMs = 60_000;
const addressLength = 40;
const memoLength = 8;
const hashLength = 64;

export class Deposits {
  readonly #addresses = new Map<string, { readonly address: string; readonly memo?: string }>();
  /** By transaction. */
  readonly #canceled = new Map<string, CanceledDeposit>();
  readonly #refunds = new Map<string, Refund>();

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

  canceled(account: string, depositId: string): CanceledDeposit | undefined {
    const deposit = this.#canceled.get(depositId);
    return deposit?.account === account && !this.#refunds.has(depositId) ? deposit : undefined;
  }

  refund(deposit: CanceledDeposit, { depositId, address, memo, fee }: RefundOrder): void {
    this.#refunds.set(depositId, {
      ...deposit,
      ...{ depositId, address, memo: memo ?? null, at: this.now() },
      refundId: randomUuid(this.random),
      refundAmount: formatDecimal(decimal(deposit.amount).minus(fee)),
      hash: randomHex(this.random, hashLength),
    });
  }

  /** The refunds of an account as they are listed, newest first. */
  refundsOf(account: string) {
    const refunds = [...this.#refunds.values()].filter((refund) => refund.account === account);
    return refunds
      .reverse()
      .map(({ depositId, ticker, network, amount, refundId, address, refundAmount, hash, memo, at }) => {
        const hasEnded = this.now() >= at + refundMs;
        return {
          ...{ depositId, currency: ticker, ticker, network, depositAmount: amount, refundId },
          ...{ refundAddress: address, refundAmount, refundHash: hasEnded ? hash : null, memo },
          status: hasEnded ? 'successful' : 'in_process',
          createdAt: Math.floor(at / 1000),
          processedAt: hasEnded ? Math.floor((at + refundMs) / 1000) : null,
        };
      });
  }
}
