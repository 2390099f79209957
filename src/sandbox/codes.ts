// The codes of all accounts: each is money that has left one main balance, and arrives on another one once.
import { formatDecimal, type Decimal } from '../model/decimal.js';
import { unixSeconds } from './clock.js';
import { randomUuid } from './random.js';
import { Journal } from './retention.js';
import type { Wallets } from './wallets.js';

interface NewCode {
  readonly account: string;
  readonly ticker: string;
  readonly amount: Decimal;
  readonly passphrase: string | undefined;
}

interface Code extends NewCode {
  readonly code: string;
  readonly external_id: string;
  readonly at: number;
  redeemed?: { readonly account: string; readonly at: number };
}

export class Codes {
  readonly #all = new Journal<Code>();

  constructor(
    private readonly wallets: Pick<Wallets, 'credit' | 'debitWithdrawable'>,
    private readonly now: () => number,
    private readonly random: () => number,
  ) {}

  /** `undefined` when the main balance cannot pay it. */
  create(terms: NewCode): Pick<Code, 'code' | 'external_id'> | undefined {
    const { account, ticker, amount } = terms;
    if (!this.wallets.debitWithdrawable({ account, asset: ticker, amount, reason: 'code' })) return undefined;
    const code = `WB${randomUuid(this.random)}${ticker}`;
    const made = { ...terms, code, external_id: randomUuid(this.random), at: this.now() };
    this.#all.push(made);
    return made;
  }

  /** The code, if this account may redeem it with this passphrase. */
  find(account: string, code: string, passphrase: string | undefined): Code | undefined {
    const found = this.#all.entries.find((one) => one.code === code);
    return found?.account === account || found?.passphrase !== passphrase ? undefined : found;
  }

  redeem(account: string, found: Code) {
    found.redeemed = { account, at: this.now() };
    this.wallets.credit({ account, wallet: 'main', asset: found.ticker, amount: found.amount, reason: 'code' });
    return listed(found, found.redeemed.at);
  }

  /** Those that the account created, newest first. */
  createdBy(account: string) {
    return this.#all.of(account).map((one) => listed(one, one.at));
  }

  /** Those that the account created or redeemed, newest first. */
  historyOf(account: string) {
    const entries = this.#all.entries.flatMap((one) => [
      ...(one.account === account ? [listed(one, one.at, '-')] : []),
      ...(one.redeemed?.account === account ? [listed(one, one.redeemed.at, '+')] : []),
    ]);
    return entries.reverse().sort((first, second) => second.date - first.date);
  }

  /** Forgets the codes that were redeemed before this time, Unix milliseconds. */
  forget(before: number): void {
    this.#all.forget(before, ({ redeemed }) => redeemed === undefined || redeemed.at >= before);
  }
}

/** A code in a list; the amount has a sign in the history. */
function listed({ code, ticker, amount, external_id, redeemed }: Code, at: number, sign = '') {
  const status = redeemed === undefined ? 'New' : 'Activated';
  return { amount: sign + formatDecimal(amount), code, date: unixSeconds(at), status, ticker, external_id };
}
