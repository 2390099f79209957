// What accounts have beside orders, positions and balances: plain data, which the routes of each product read and change.
import type { MiningAccount, SubAccount } from '../model/accounts.js';
import type { Decimal } from '../model/decimal.js';
import { unixSeconds } from './clock.js';
import type { Wallet } from './ledger.js';
import { randomHex, randomUuid } from './random.js';
import { Journal, type Entry } from './retention.js';

const dayMs = 86_400_000;

interface Owned extends Entry {
  readonly account: string;
}

interface Identified extends Owned {
  readonly id: string;
}

/** One step of a transfer, which has main on one side. */
export interface Transfer extends Identified {
  readonly from: Wallet;
  readonly to: Wallet;
  readonly asset: string;
  readonly amount: Decimal;
}

interface TransactionBase extends Owned {
  readonly transactionId: string;
  readonly hash: string;
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

/** When it is settled, Unix milliseconds; `undefined` for a withdrawal that waits. */
export function settledAt(transaction: Transaction): number | undefined {
  const { at } = transaction;
  if (transaction.method === 1) return at + transaction.confirmations * confirmationMs;
  const { isCanceled, startedAt } = transaction;
  return isCanceled ? at : startedAt && startedAt + withdrawalMs;
}

/** Money that has left one main balance, and arrives on another one once. */
export interface Code extends Owned {
  readonly code: string;
  readonly external_id: string;
  readonly ticker: string;
  readonly amount: Decimal;
  readonly passphrase: string | undefined;
  redeemed?: { readonly account: string; readonly at: number };
}

/** A deposit that the exchange canceled: its money was never on a balance, and a refund sends it back. Its ID is that of its transaction. */
export interface CanceledDeposit extends Identified {
  readonly ticker: string;
  readonly network: string;
  readonly amount: Decimal;
  refund?: {
    readonly id: string;
    readonly at: number;
    readonly address: string;
    readonly memo: string | undefined;
    readonly fee: string;
    readonly hash: string;
  };
}

/** A page on which somebody else pays an account. The sandbox has nobody who pays. */
export interface PaymentPage extends Owned {
  readonly kind: 'fiat' | 'express';
  readonly key: string;
  readonly ticker: string;
  readonly amount: Decimal;
  readonly token: string;
}

/** One step of a conversion: a market, in either direction. */
export interface Leg {
  readonly from: string;
  readonly to: string;
  /** `to` for 1 `from`. */
  readonly rate: Decimal;
}

export interface Quote extends Identified {
  readonly from: string;
  readonly to: string;
  /** The asset that `amount` is in. */
  readonly direction: 'from' | 'to';
  readonly amount: Decimal;
  readonly give: Decimal;
  readonly receive: Decimal;
  readonly rate: Decimal;
  readonly legs: readonly Leg[];
  /** Unix milliseconds. */
  readonly expiresAt: number;
  /** The key with which the caller converted at once. */
  readonly key: string | undefined;
  convertedAt?: number;
}

interface Plan {
  readonly id: string;
  readonly ticker: string;
  readonly minInvestment: string;
  readonly maxInvestment: string;
}

export interface FixedPlan extends Plan {
  /** Interest of the whole duration. */
  readonly percent: string;
  readonly days: number;
  readonly interestTicker: string;
  /** Divides the interest where it is paid in another asset. */
  readonly interestRatio: string;
  /** What all accounts together can have in the plan. */
  readonly capacity: string;
  /** Whether an account can have several investments in the plan at once. */
  readonly isRepeatable: boolean;
}

export interface FixedInvestment extends Identified {
  readonly plan: FixedPlan;
  readonly amount: Decimal;
  closedAt?: number;
  interestPaid: Decimal;
}

export interface FlexPlan extends Plan {
  /** Interest of a year, as a share: the exchange does not say of what its rates are. */
  readonly maxRate: string;
}

export interface FlexInvestment extends Identified {
  readonly plan: FlexPlan;
  /** When it was last changed, Unix milliseconds. */
  changedAt: number;
  invested: Decimal;
  /** Earned, and not paid yet. */
  earned: Decimal;
  isReinvested: boolean;
  isClosed: boolean;
}

export interface FlexOperation extends Identified {
  readonly of: FlexInvestment;
  readonly type: number;
  readonly amount: Decimal;
}

/** A sub-account of one main account, with the name of its books. */
export interface OwnedSubAccount {
  readonly owner: string;
  readonly account: string;
  values: SubAccount;
}

/** A transfer between the main balances of a sub-account and of its main account. */
export interface SubAccountTransfer extends Identified {
  readonly direction: 'main_to_sub' | 'sub_to_main';
  readonly asset: string;
  readonly amount: Decimal;
}

export interface WatcherLink extends Identified {
  readonly accounts: readonly string[];
  readonly name: string;
  readonly link: string;
  readonly permissions: readonly string[];
  /** Unix seconds; `null` for a link without an end. */
  readonly liveUntil: number | null;
  readonly createdAt: number;
}

/** A worker, and since when, Unix milliseconds, it has had which hash rate; oldest first. */
export interface Worker {
  readonly name: string;
  readonly rates: { readonly at: number; readonly terahashes: Decimal }[];
}

export interface OwnedMiningAccount extends Owned {
  readonly values: MiningAccount;
  readonly workers: Worker[];
  payout: { readonly payoutDestination: string; readonly externalAddress: string | null };
}

/** Where the pool pays until another destination is set. */
export const mainBalance: OwnedMiningAccount['payout'] = { payoutDestination: 'main_balance', externalAddress: null };

export interface Reward extends Owned {
  /** The name of the mining account. `at` is the begin of the day. */
  readonly name: string;
  readonly total: Decimal;
  readonly fee: Decimal;
  /** The mean hash rate of its day, terahashes a second. */
  readonly rate: Decimal;
  /** Of a reward that is paid to an address. */
  readonly payment: { readonly address: string; readonly hash: string; readonly at: number } | undefined;
}

export type Records = ReturnType<typeof createRecords>;

function createRecords() {
  const kept = () => undefined;
  return {
    transfers: new Journal<Transfer>(),
    transactions: new Journal<Transaction>(settledAt),
    codes: new Journal<Code>(({ redeemed }) => redeemed?.at),
    canceledDeposits: new Journal<CanceledDeposit>(({ refund }) => refund?.at),
    paymentPages: new Journal<PaymentPage>(({ kind, at }) => (kind === 'fiat' ? undefined : at)),
    quotes: new Journal<Quote>(({ convertedAt, expiresAt, key }) =>
      convertedAt !== undefined && key !== undefined ? undefined : (convertedAt ?? expiresAt),
    ),
    fixedInvestments: new Journal<FixedInvestment>(({ closedAt }) => closedAt),
    flexInvestments: new Journal<FlexInvestment>(({ isClosed, changedAt }) => (isClosed ? changedAt : undefined)),
    flexOperations: new Journal<FlexOperation>(),
    subAccounts: new Set<OwnedSubAccount>(),
    subAccountTransfers: new Journal<SubAccountTransfer>(),
    miningAccounts: new Journal<OwnedMiningAccount>(kept),
    watcherLinks: new Journal<WatcherLink>(kept),
    rewards: new Journal<Reward>(),
  };
}

/** What every account has at the start; `now` is Unix milliseconds. */
export function sampleRecords(
  accounts: readonly { readonly name: string }[],
  { subAccountCount = 40, miningAccountCount = 35 }: { subAccountCount?: number; miningAccountCount?: number },
  now: number,
  random: () => number,
): Records {
  const records = createRecords();
  const subAccounts = Array.from({ length: subAccountCount }, (_, index) => sampleSubAccount(index, random));
  for (const { name: account } of accounts) {
    for (const values of subAccounts) records.subAccounts.add(subAccount(account, values));
    for (let number = 1; number <= miningAccountCount; number += 1) {
      const at = now - (miningAccountCount - number) * dayMs;
      const values = { name: `my_miner_${String(number).padStart(2, '0')}`, createdAt: unixSeconds(at) };
      records.miningAccounts.push({ account, at, values, workers: [], payout: mainBalance });
    }
  }
  return records;
}

function sampleSubAccount(index: number, random: () => number): SubAccount {
  return {
    ...{ id: randomUuid(random), alias: `trading_bot_${index + 1}`, userId: `u-${10_000 + index}` },
    email: `${String.fromCharCode(97 + (index % 26))}***@example.com`,
    status: index % 10 === 9 ? 'blocked' : 'active',
    color: randomColor(random),
    kyc: { shareKyc: index % 2 === 0, kycStatus: 'verified' },
    permissions: { spotEnabled: true, collateralEnabled: index % 3 === 0 },
  };
}

export function subAccount(owner: string, values: SubAccount): OwnedSubAccount {
  return { owner, account: `${owner}/${values.id}`, values };
}

export function randomColor(random: () => number): string {
  return `#${randomHex(random, 6).toUpperCase()}`;
}
