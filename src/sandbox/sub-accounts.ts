// The sub-accounts of every account: their state, their keys, and the transfers between them and the main account.
import type { SubAccount } from '../model/accounts.js';
import type { Decimal } from '../model/decimal.js';
import { walletNames, type Books } from './books.js';
import { unixSeconds, type Clock } from './clock.js';
import { clientIp, createKey, notOfAccount, notOfKey, type Key } from './keys.js';
import { randomHex, randomUuid } from './random.js';
import type { Rejection } from './rejection.js';
import { Journal } from './retention.js';
import type { Wallets } from './wallets.js';

export type Direction = 'main_to_sub' | 'sub_to_main';

/** A sub-account of one main account, with the name of its books. */
export interface OwnedSubAccount {
  readonly owner: string;
  readonly account: string;
  values: SubAccount;
}

export interface SubAccountKey {
  readonly id: string;
  readonly of: OwnedSubAccount;
  readonly key: Key;
  readonly type: number;
  title: string;
  ips: readonly string[];
}

interface SubAccountTransfer {
  readonly account: string;
  readonly id: string;
  readonly at: number;
  readonly direction: Direction;
  readonly asset: string;
  readonly amount: Decimal;
}

interface Source {
  readonly clock: Clock;
  readonly books: Books;
  readonly wallets: Wallets;
  readonly lending: readonly { hasMoneyOf(account: string): boolean }[];
  /** By public key. */
  readonly keys: Map<string, Key>;
}

/** Published: a key of type 1 reads and trades; one of type 2 deposits and withdraws, too. */
const keyTypes = { trade: 1, withdraw: 2 } as const;
const ofMoney =
  /^\/api\/v4\/main-account\/(address|create-new-address|fiat-deposit-url|refund-deposit|withdraw|withdraw-pay|express-withdraw\/token)$/;
const spotOrders = /^\/api\/v4\/order\/(new|bulk|market|stock_market|stop_limit|stop_market)$/;
const collateral = /^\/api\/v4\/(order\/collateral|collateral-account)\//;
/** Only the main account manages sub-accounts. */
const ofMain = '/api/v4/sub-account/';

export class SubAccounts {
  readonly #owned = new Map<string, OwnedSubAccount[]>();
  #keys: SubAccountKey[] = [];
  readonly #transfers = new Journal<SubAccountTransfer>();

  constructor(
    private readonly source: Source,
    private readonly random: () => number,
    /** What every main account has at the start. */
    private readonly samples: readonly SubAccount[],
  ) {}

  of(owner: string): OwnedSubAccount[] {
    const known = this.#owned.get(owner);
    if (known !== undefined) return known;
    const owned = this.samples.map((values) => this.#own(owner, values));
    this.#owned.set(owner, owned);
    return owned;
  }

  find(owner: string, id: string): OwnedSubAccount | undefined {
    return this.of(owner).find(({ values }) => values.id === id);
  }

  isSubAccount(account: string): boolean {
    return [...this.#owned.values()].some((owned) => owned.some((one) => one.account === account));
  }

  create(owner: string, values: Pick<SubAccount, 'alias' | 'email' | 'kyc' | 'permissions'>): SubAccount {
    const made: SubAccount = {
      ...{ id: randomUuid(this.random), userId: randomUuid(this.random), status: 'active' },
      color: randomColor(this.random),
      ...values,
    };
    this.of(owner).push(this.#own(owner, made));
    return made;
  }

  /** Returns false, and removes nothing, while the sub-account has money. */
  remove(one: OwnedSubAccount): boolean {
    const { books, wallets, lending } = this.source;
    const hasMoney =
      walletNames.some((wallet) => Object.keys(books.wallet(one.account, wallet)).length > 0) ||
      lending.some((plans) => plans.hasMoneyOf(one.account)) ||
      wallets.queued.some(({ account }) => account === one.account) ||
      wallets.unconfirmedOf(one.account).length > 0;
    if (hasMoney) return false;
    for (const key of this.keysOf(one.owner)) if (key.of === one) this.removeKey(key);
    this.#owned.set(
      one.owner,
      this.of(one.owner).filter((other) => other !== one),
    );
    return true;
  }

  setStatus(one: OwnedSubAccount, status: 'active' | 'blocked'): void {
    one.values = { ...one.values, status };
    for (const { of, key } of this.#keys) if (of === one) key.isEnabled = status === 'active';
  }

  /** Transfers between the main balances; returns no identifier, and moves nothing, when the payer cannot pay. */
  transfer(one: OwnedSubAccount, direction: Direction, asset: string, amount: Decimal): string | undefined {
    const [from, to] = direction === 'main_to_sub' ? [one.owner, one.account] : [one.account, one.owner];
    const terms = { asset, amount, reason: 'sub-account' } as const;
    if (!this.source.wallets.debitWithdrawable({ ...terms, account: from })) return undefined;
    this.source.wallets.credit({ ...terms, account: to, wallet: 'main' });
    const id = randomUuid(this.random);
    this.#transfers.push({ account: one.account, id, at: this.source.clock.now(), direction, asset, amount });
    return id;
  }

  /** As they are listed, newest first. */
  transfersOf({ account }: OwnedSubAccount, direction: string | undefined) {
    return this.#transfers
      .of(account)
      .filter((one) => direction === undefined || one.direction === direction)
      .map(({ id, at, asset: currency, amount, ...one }) => {
        return { transactionId: id, id, direction: one.direction, currency, amount, createdAt: unixSeconds(at) };
      });
  }

  createKey(of: OwnedSubAccount, type: number, title: string): SubAccountKey {
    const key = createKey(of.account, this.random, (path) => refusalOf(made, path));
    key.isEnabled = of.values.status === 'active';
    const made: SubAccountKey = { id: randomUuid(this.random), of, key, type, title, ips: [] };
    this.source.keys.set(key.apiKey, key);
    this.#keys.push(made);
    return made;
  }

  /** Newest first. */
  keysOf(owner: string): SubAccountKey[] {
    return this.#keys.filter(({ of }) => of.owner === owner).reverse();
  }

  removeKey(removed: SubAccountKey): void {
    this.source.keys.delete(removed.key.apiKey);
    this.#keys = this.#keys.filter((key) => key !== removed);
  }

  forget(before: number): void {
    this.#transfers.forget(before);
  }

  #own(owner: string, values: SubAccount): OwnedSubAccount {
    return { owner, account: `${owner}/${values.id}`, values };
  }
}

/** The sub-accounts that every main account has at the start. */
export function sampleSubAccounts(random: () => number, count: number): SubAccount[] {
  return Array.from({ length: count }, (_, index) => ({
    id: randomUuid(random),
    alias: `trading_bot_${index + 1}`,
    userId: `u-${10_000 + index}`,
    email: `${String.fromCharCode(97 + (index % 26))}***@example.com`,
    status: index % 10 === 9 ? 'blocked' : 'active',
    color: randomColor(random),
    kyc: { shareKyc: index % 2 === 0, kycStatus: 'verified' },
    permissions: { spotEnabled: true, collateralEnabled: index % 3 === 0 },
  }));
}

function randomColor(random: () => number): string {
  return `#${randomHex(random, 6).toUpperCase()}`;
}

/** Why a key may not call a path: by its allowlist, its type, and the permissions of its sub-account. */
function refusalOf({ ips, type, of }: SubAccountKey, path: string): Rejection | undefined {
  if (ips.length > 0 && !ips.includes(clientIp)) return notOfKey();
  if (type === keyTypes.trade && ofMoney.test(path)) return notOfKey();
  const { spotEnabled, collateralEnabled } = of.values.permissions ?? {};
  const isRefused =
    path.startsWith(ofMain) ||
    (spotEnabled === false && spotOrders.test(path)) ||
    (collateralEnabled === false && collateral.test(path));
  return isRefused ? notOfAccount() : undefined;
}
