// Plans without a fixed duration: what an account has in a plan earns interest each hour, which is paid each day, and can be
// taken back at any time.
import { cutDecimal, decimal, type Decimal } from '../model/decimal.js';
import { unixSeconds, type Clock } from './clock.js';
import { randomUuid } from './random.js';
import { Journal } from './retention.js';
import type { Wallets } from './wallets.js';

/** What plans of both kinds use. */
export interface LendingSource {
  readonly clock: Pick<Clock, 'now' | 'every'>;
  readonly wallets: Pick<Wallets, 'credit' | 'debitWithdrawable'>;
}

interface FlexPlan {
  readonly id: string;
  readonly ticker: string;
  readonly minInvestment: string;
  readonly maxInvestment: string;
  /** Interest of a year, as a share: the exchange does not say of what its rates are. */
  readonly maxRate: string;
}

interface Investment {
  readonly account: string;
  readonly id: string;
  readonly plan: FlexPlan;
  /** When it was made, and when it was last changed, Unix milliseconds. */
  readonly at: number;
  changedAt: number;
  invested: Decimal;
  /** Earned, and not paid yet. */
  earned: Decimal;
  isReinvested: boolean;
  isClosed: boolean;
}

interface Operation {
  readonly account: string;
  readonly id: string;
  readonly of: Investment;
  readonly type: number;
  readonly amount: Decimal;
  readonly at: number;
}

type Made = Pick<Operation, 'id'>;

/** Published: what an operation is. */
export const operationTypes = { invest: 1, reinvest: 2, withdraw: 3, earn: 4, close: 5, open: 6 } as const;

/** The published codes of a refused operation; `left`: less than the minimum would be left. */
export type FlexRefusal = 2 | 3 | 4 | 'closed' | 'left';

export const hourMs = 3_600_000;
export const interestPlaces = 8;
const hoursOfDay = 24;
const hoursOfYear = 8760;

export const flexPlans: readonly FlexPlan[] = [
  {
    ...{ id: '7b4a1c0e-6f0e-4f0b-9d1e-000000000003', ticker: 'USDT', maxRate: '0.15' },
    ...{ minInvestment: '10', maxInvestment: '100000' },
  },
  {
    ...{ id: '7b4a1c0e-6f0e-4f0b-9d1e-000000000004', ticker: 'BTC', maxRate: '0.0030' },
    ...{ minInvestment: '0.001', maxInvestment: '5' },
  },
];

export class FlexLending {
  readonly #investments = new Journal<Investment>();
  readonly #operations = new Journal<Operation>();

  constructor(
    private readonly source: LendingSource,
    private readonly random: () => number,
  ) {}

  /** Invests, and returns the operation; or the code of the refusal, and moves nothing. */
  invest(account: string, plan: FlexPlan, amount: Decimal, isReinvested: boolean): Made | FlexRefusal {
    if (amount.isLessThan(plan.minInvestment)) return 2;
    const known = this.find(account, plan);
    if (amount.plus(known?.invested ?? 0).isGreaterThan(plan.maxInvestment)) return 3;
    const paid = { account, asset: plan.ticker, amount, reason: 'investment' } as const;
    if (!this.source.wallets.debitWithdrawable(paid)) return 4;
    const one = known ?? this.#open(account, plan);
    one.isReinvested = isReinvested;
    return this.#change(one, known === undefined ? operationTypes.open : operationTypes.invest, amount);
  }

  withdraw(account: string, plan: FlexPlan, amount: Decimal): Made | FlexRefusal {
    const one = this.find(account, plan);
    if (one === undefined) return 'closed';
    if (amount.isGreaterThan(one.invested)) return 4;
    if (one.invested.minus(amount).isLessThan(plan.minInvestment)) return 'left';
    return this.#giveBack(one, operationTypes.withdraw, amount);
  }

  /** Pays what was earned, and gives the rest back. */
  close(account: string, plan: FlexPlan): Made | FlexRefusal {
    const one = this.find(account, plan);
    if (one === undefined) return 'closed';
    one.isReinvested = false;
    this.#pay(one);
    const made = this.#giveBack(one, operationTypes.close, one.invested);
    one.isClosed = true;
    return made;
  }

  /** The active investment in a plan. */
  find(account: string, plan: FlexPlan): Investment | undefined {
    return this.#investments.of(account).find((one) => one.plan === plan && !one.isClosed);
  }

  /** As they are listed, newest first. */
  investmentsOf(account: string) {
    return this.#investments.of(account).map(({ id, plan, invested, isReinvested, isClosed, at, changedAt }) => ({
      ...{ id, planId: plan.id, currency: plan.ticker, invested, withAutoReinvest: isReinvested },
      ...{ status: isClosed ? 0 : 1, createdAt: unixSeconds(at), updatedAt: unixSeconds(changedAt) },
    }));
  }

  /** As they are listed, newest first. */
  operationsOf(account: string) {
    return this.#operations.of(account).map(({ id, of: { id: investmentId, plan }, type, amount, at }) => ({
      ...{ createdAt: unixSeconds(at), planId: plan.id, investmentId, currency: plan.ticker, amount },
      ...{ transactionId: id, actionType: type },
    }));
  }

  hasMoneyOf(account: string): boolean {
    return this.#investments.of(account).some(({ isClosed }) => !isClosed);
  }

  forget(before: number): void {
    this.#operations.forget(before);
    this.#investments.forget(before, ({ isClosed, changedAt }) => !isClosed || changedAt >= before);
  }

  #open(account: string, plan: FlexPlan): Investment {
    const at = this.source.clock.now();
    const made: Investment = {
      ...{ account, plan, id: randomUuid(this.random), at, changedAt: at },
      ...{ invested: decimal(0), earned: decimal(0), isReinvested: false, isClosed: false },
    };
    this.#investments.push(made);
    let hours = 0;
    const stop = this.source.clock.every(hourMs, () => {
      if (made.isClosed) {
        stop();
        return;
      }
      hours += 1;
      made.earned = made.earned.plus(made.invested.times(plan.maxRate).dividedBy(hoursOfYear));
      if (hours % hoursOfDay === 0) this.#pay(made);
    });
    return made;
  }

  #pay(one: Investment): void {
    const { account, plan, isReinvested } = one;
    const amount = cutDecimal(one.earned, interestPlaces);
    if (amount.isZero()) return;
    one.earned = one.earned.minus(amount);
    const paid = { account, asset: plan.ticker, amount };
    this.source.wallets.credit({ ...paid, wallet: 'main', reason: 'interest' });
    this.#record(one, operationTypes.earn, amount);
    if (isReinvested && this.source.wallets.debitWithdrawable({ ...paid, reason: 'investment' }))
      this.#change(one, operationTypes.reinvest, amount);
  }

  #giveBack(one: Investment, type: number, amount: Decimal): Made {
    const { account, plan } = one;
    this.source.wallets.credit({ account, wallet: 'main', asset: plan.ticker, amount, reason: 'investment' });
    one.invested = one.invested.minus(amount);
    return this.#record(one, type, amount);
  }

  #change(one: Investment, type: number, amount: Decimal): Made {
    one.invested = one.invested.plus(amount);
    return this.#record(one, type, amount);
  }

  #record(of: Investment, type: number, amount: Decimal): Made {
    of.changedAt = this.source.clock.now();
    const made = { account: of.account, id: randomUuid(this.random), of, type, amount, at: of.changedAt };
    this.#operations.push(made);
    return made;
  }
}
