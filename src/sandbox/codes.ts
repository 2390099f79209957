// The codes of all accounts: each is money that has left one main balance, and arrives on another one once.
import { decimal, formatDecimal, type Decimal } from '../model/decimal.js';
import { randomUuid } from './random.js';
import type { Wallets } from './wallets.js';

export interface Code {
  readonly code: string;
  readonly external_id: string;
  readonly account: string;
  readonly ticker: string;
  readonly amount: Decimal;
  readonly passphrase: string | undefined;
  /** Unix seconds. */
  readonly date: number;
  redeemed?: { readonly account: string; readonly date: number };
}

/** What a new code is of. */
export type NewCode = Pick<Code, 'account' | 'ticker' | 'amount' | 'passphrase'>;

/** A code in a list; the amount has a sign in the history. */
export interface ListedCode {
  readonly amount: string;
  readonly code: string;
  readonly date: number;
  readonly status: 'New' | 'Activated';
  readonly ticker: string;
  readonly external_id: string;
}

export class Codes {
  /** Oldest first. */
  #all: Code[] = [];

  constructor(
    private readonly wallets: Pick<Wallets, 'credit' | 'debitWithdrawable'>,
    private readonly now: () => number,
    private readonly random: () => number,
  ) {}

  /** `undefined` when the main balance cannot pay it. */
  create({ account, ticker, amount, passphrase }: NewCode): Pick<Code, 'code' | 'external_id'> | undefined {
    if (!this.wallets.debitWithdrawable({ account, asset: ticker, amount, reason: 'code' })) return undefined;
    const made: Code = {
      ...{ account, ticker, amount, passphrase },
      code: `WB${randomUuid(this.random)}${ticker}`,
      external_id: randomUuid(this.random),
      date: this.#seconds(),
    };
    this.#all.push(made);
    return made;
  }

  /** The code, if this account may redeem it with this passphrase. */
  find(account: string, code: string, passphrase: string | undefined): Code | undefined {
    const found = this.#all.find((one) => one.code === code);
    return found?.account === account || found?.passphrase !== passphrase ? undefined : found;
  }

  redeem(account: string, found: Code): ListedCode {
    found.redeemed = { account, date: this.#seconds() };
    this.wallets.credit({ account, wallet: 'main', asset: found.ticker, amount: found.amount, reason: 'code' });
    return listed(found, found.redeemed.date);
  }

  /** Those that the account created, newest first. */
  createdBy(account: string): ListedCode[] {
    const own = this.#all.filter((one) => one.account === account);
    return own.map((one) => listed(one, one.date)).reverse();
  }

  /** Those that the account created or redeemed, newest first. */
  historyOf(account: string): ListedCode[] {
    const entries = this.#all.flatMap((one) => [
      ...(one.account === account ? [listed(one, one.date, '-')] : []),
      ...(one.redeemed?.account === account ? [listed(one, one.redeemed.date, '+')] : []),
    ]);
    return entries.reverse().sort((first, second) => second.date - first.date);
  }

  /** Forgets the codes that were redeemed before this time, Unix milliseconds. */
  forget(before: number): void {
    this.#all = this.#all.filter(({ redeemed }) => redeemed === undefined || redeemed.date * 1000 >= before);
  }

  #seconds(): number {
    return Math.floor(this.now() / 1000);
  }
}

function listed({ code, ticker, amount, external_id, redeemed }: Code, date: number, sign = ''): ListedCode {
  const status = redeemed === undefined ? 'New' : 'Activated';
  return { amount: sign + formatDecimal(decimal(amount)), code, date, status, ticker, external_id };
}
