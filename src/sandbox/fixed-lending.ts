// Plans of fixed duration: an amount leaves the main balance for a plan, and is back at its end, with the interest. One that is
// closed before its end earns nothing.
import { cutDecimal, decimal, formatDecimal, type Decimal } from '../model/decimal.js';
import { hourMs, interestPlaces, type LendingSource } from './flex-lending.js';
import { randomUuid } from './random.js';

interface FixedPlan {
  readonly id: string;
  readonly ticker: string;
  /** Interest of the whole duration. */
  readonly percent: string;
  readonly days: number;
  readonly interestTicker: string;
  /** Divides the interest where it is paid in another asset. */
  readonly interestRatio: string;
  readonly minInvestment: string;
  readonly maxInvestment: string;
  /** What all accounts together can have in the plan. */
  readonly capacity: string;
  /** Whether an account can have several investments in the plan at once. */
  readonly isRepeatable: boolean;
}

interface Investment {
  readonly account: string;
  readonly id: string;
  readonly plan: FixedPlan;
  readonly amount: Decimal;
  /** All times are Unix milliseconds. */
  readonly madeAt: number;
  closedAt?: number;
  interestPaid: Decimal;
}

const usdt = { ticker: 'USDT', interestTicker: 'USDT', interestRatio: '1' };
const btc = { ticker: 'BTC', minInvestment: '0.01', maxInvestment: '10' };

const plans: readonly FixedPlan[] = [
  {
    ...{ ...usdt, id: '7b4a1c0e-6f0e-4f0b-9d1e-000000000001', percent: '1', days: 30, isRepeatable: true },
    ...{ minInvestment: '100', maxInvestment: '1000000', capacity: '5000000' },
  },
  {
    ...{ ...usdt, id: '7b4a1c0e-6f0e-4f0b-9d1e-000000000011', percent: '0.2', days: 7, isRepeatable: false },
    ...{ minInvestment: '10', maxInvestment: '1000', capacity: '1500' },
  },
  {
    ...{ ...btc, id: '7b4a1c0e-6f0e-4f0b-9d1e-000000000012', percent: '0.1', days: 7, isRepeatable: true },
    ...{ interestTicker: 'USDT', interestRatio: '0.00002', capacity: '100' },
  },
  {
    ...{ ...btc, id: '7b4a1c0e-6f0e-4f0b-9d1e-000000000013', percent: '3', days: 90, isRepeatable: true },
    ...{ interestTicker: 'BTC', interestRatio: '1', capacity: '0' },
  },
];

/** The published codes of a refused investment. */
export type FixedRefusal = 1 | 2 | 3 | 4 | 5;

/** Published: active, and sold out. */
const planStatuses = { active: 1, soldOut: 2 } as const;
const statuses = { active: 1, closed: 2 } as const;

export class FixedLending {
  /** Oldest first. */
  #all: Investment[] = [];

  constructor(
    private readonly source: LendingSource,
    private readonly random: () => number,
  ) {}

  /** As they are listed. */
  plans() {
    return plans.map((plan) => this.#listed(plan));
  }

  has(planId: string): boolean {
    return plans.some(({ id }) => id === planId);
  }

  /** Invests, and returns the investment; or the code of the refusal, and moves nothing. */
  invest(account: string, planId: string, amount: Decimal): { readonly id: string } | FixedRefusal {
    const plan = plans.find(({ id }) => id === planId);
    const left = plan === undefined ? decimal(0) : this.#left(plan);
    if (plan === undefined || left.isLessThan(plan.minInvestment)) return 5;
    if (!plan.isRepeatable && this.#open(plan).some((one) => one.account === account)) return 1;
    if (amount.isLessThan(plan.minInvestment)) return 2;
    if (amount.isGreaterThan(plan.maxInvestment)) return 3;
    if (amount.isGreaterThan(left)) return 5;
    const { wallets, clock } = this.source;
    if (!wallets.debitWithdrawable({ account, asset: plan.ticker, amount, reason: 'investment' })) return 4;
    const id = randomUuid(this.random);
    const made: Investment = { account, id, plan, amount, madeAt: clock.now(), interestPaid: decimal(0) };
    this.#all.push(made);
    // In hours: a timer of the platform cannot wait for 30 days.
    const stop = clock.every(hourMs, () => {
      if (clock.now() < endOf(made.madeAt, plan) && made.closedAt === undefined) return;
      stop();
      if (made.closedAt === undefined) this.#end(made);
    });
    return made;
  }

  /** Gives the amount back before the end of the plan; returns false for an investment that is closed. */
  close(account: string, id: string): boolean {
    const found = this.#all.find((one) => one.account === account && one.id === id);
    if (found === undefined || found.closedAt !== undefined) return false;
    this.#giveBack(found);
    return true;
  }

  /** As they are listed, newest first. */
  investmentsOf(account: string) {
    return this.#of(account).map(({ id, plan, amount, madeAt, closedAt, interestPaid }) => ({
      ...{ id, plan: this.#listed(plan), status: closedAt === undefined ? statuses.active : statuses.closed },
      ...{ created: seconds(madeAt), updated: seconds(closedAt ?? madeAt), paymentTime: seconds(endOf(madeAt, plan)) },
      ...{ amount: formatDecimal(amount), interestPaid: formatDecimal(interestPaid) },
    }));
  }

  /** The interest that was paid, as it is listed, newest first. */
  paymentsOf(account: string) {
    return this.#of(account)
      .filter(({ interestPaid }) => interestPaid.isGreaterThan(0))
      .map(({ id, plan, closedAt = 0, interestPaid }) => ({
        ...{ planId: plan.id, investmentId: id, amount: formatDecimal(interestPaid) },
        ...{ ticker: plan.interestTicker, timestamp: seconds(closedAt) },
      }))
      .sort((one, other) => other.timestamp - one.timestamp);
  }

  hasMoneyOf(account: string): boolean {
    return this.#all.some((one) => one.account === account && one.closedAt === undefined);
  }

  forget(before: number): void {
    this.#all = this.#all.filter(({ closedAt }) => closedAt === undefined || closedAt >= before);
  }

  #end(ended: Investment): void {
    const { account, plan, amount } = ended;
    const interest = amount.times(plan.percent).shiftedBy(-2).dividedBy(plan.interestRatio);
    ended.interestPaid = cutDecimal(interest, interestPlaces);
    this.#giveBack(ended);
    const paid = { account, asset: plan.interestTicker, amount: ended.interestPaid };
    this.source.wallets.credit({ ...paid, wallet: 'main', reason: 'interest' });
  }

  #giveBack(closed: Investment): void {
    const { account, plan, amount } = closed;
    closed.closedAt = this.source.clock.now();
    this.source.wallets.credit({ account, wallet: 'main', asset: plan.ticker, amount, reason: 'investment' });
  }

  #of(account: string): Investment[] {
    return this.#all.filter((one) => one.account === account).reverse();
  }

  #open(plan: FixedPlan): Investment[] {
    return this.#all.filter((one) => one.plan === plan && one.closedAt === undefined);
  }

  #left(plan: FixedPlan): Decimal {
    return this.#open(plan).reduce((left, { amount }) => left.minus(amount), decimal(plan.capacity));
  }

  #listed(plan: FixedPlan) {
    const { id, ticker, percent, days, interestTicker, interestRatio, minInvestment, maxInvestment } = plan;
    const left = this.#left(plan);
    return {
      ...{ id, ticker, status: left.isLessThan(minInvestment) ? planStatuses.soldOut : planStatuses.active },
      ...{ percent, duration: days * 24 * 60, interestTicker, interestRatio, minInvestment, maxInvestment },
      maxPossibleInvestment: formatDecimal(left.isLessThan(maxInvestment) ? left : decimal(maxInvestment)),
    };
  }
}

function endOf(madeAt: number, { days }: FixedPlan): number {
  return madeAt + days * 24 * hourMs;
}

function seconds(at: number): number {
  return Math.floor(at / 1000);
}
