// Plans of fixed duration: an amount leaves the main balance for a plan, and is back at its end, with the interest. One that is
// closed before its end earns nothing.
import { cutDecimal, decimal, type Decimal } from '../model/decimal.js';
import { unixSeconds } from './clock.js';
import { hourMs, interestPlaces, type LendingSource } from './flex-lending.js';
import { randomUuid } from './random.js';
import { Journal } from './retention.js';

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
  /** When it was made, and when it was closed, Unix milliseconds. */
  readonly at: number;
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
  readonly #all = new Journal<Investment>();

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
    const made: Investment = { account, id, plan, amount, at: clock.now(), interestPaid: decimal(0) };
    this.#all.push(made);
    // In hours: a timer of the platform cannot wait for 30 days.
    const stop = clock.every(hourMs, () => {
      if (clock.now() < endOf(made) && made.closedAt === undefined) return;
      stop();
      if (made.closedAt === undefined) this.#end(made);
    });
    return made;
  }

  /** Gives the amount back before the end of the plan; returns false for an investment that is closed. */
  close(account: string, id: string): boolean {
    const found = this.#all.of(account).find((one) => one.id === id);
    if (found === undefined || found.closedAt !== undefined) return false;
    this.#giveBack(found);
    return true;
  }

  /** As they are listed, newest first. */
  investmentsOf(account: string) {
    return this.#all.of(account).map((one) => {
      const { id, plan, amount, at, closedAt, interestPaid } = one;
      const status = closedAt === undefined ? statuses.active : statuses.closed;
      const [created, updated, paymentTime] = [at, closedAt ?? at, endOf(one)].map(unixSeconds);
      return { id, plan: this.#listed(plan), status, created, updated, paymentTime, amount, interestPaid };
    });
  }

  /** The interest that was paid, as it is listed, newest first. */
  paymentsOf(account: string) {
    return this.#all
      .of(account)
      .filter(({ interestPaid }) => interestPaid.isGreaterThan(0))
      .map(({ id: investmentId, plan: { id: planId, interestTicker: ticker }, closedAt = 0, interestPaid: amount }) => {
        return { planId, investmentId, amount, ticker, timestamp: unixSeconds(closedAt) };
      })
      .sort((one, other) => other.timestamp - one.timestamp);
  }

  hasMoneyOf(account: string): boolean {
    return this.#all.of(account).some(({ closedAt }) => closedAt === undefined);
  }

  forget(before: number): void {
    this.#all.forget(before, ({ closedAt = before }) => closedAt >= before);
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

  #open(plan: FixedPlan): Investment[] {
    return this.#all.entries.filter((one) => one.plan === plan && one.closedAt === undefined);
  }

  #left(plan: FixedPlan): Decimal {
    return this.#open(plan).reduce((left, { amount }) => left.minus(amount), decimal(plan.capacity));
  }

  #listed(plan: FixedPlan) {
    const { capacity: _capacity, isRepeatable: _isRepeatable, days, ...terms } = plan;
    const left = this.#left(plan);
    const status = left.isLessThan(plan.minInvestment) ? planStatuses.soldOut : planStatuses.active;
    const maxPossibleInvestment = left.isLessThan(plan.maxInvestment) ? left : plan.maxInvestment;
    return { ...terms, status, duration: days * 24 * 60, maxPossibleInvestment };
  }
}

function endOf({ at, plan }: Investment): number {
  return at + plan.days * 24 * hourMs;
}
