// Plans of fixed duration: an investment is paid back with interest at its end, and without interest before.
import { cutDecimal, decimal, type Decimal } from '../../../model/decimal.js';
import { unixSeconds } from '../../clock.js';
import { randomUuid } from '../../random.js';
import type { FixedInvestment, FixedPlan } from '../../records.js';
import { invalid, refused } from '../../rejection.js';
import { jsonResponse, page, type ExchangeState, type Call } from '../route.js';
import { money } from './main-account.js';

const paged = { fields: page(100, 100, 10_000) };

export const fixedLendingRoutes = [
  money('smart/plans', listPlans),
  money('smart/investment', invest, { required: ['planId', 'amount'] }),
  money('smart/investment/close', close, { required: ['id'] }),
  money('smart/investments', investments, paged),
  money('smart/interest-payment-history', payments, paged),
];

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

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const minutesOfDay = 24 * 60;
const interestPlaces = 8;
/** Published: active, and sold out. */
const planStatuses = { active: 1, soldOut: 2 } as const;
const statuses = { active: 1, closed: 2 } as const;

function listPlans({ state, fields }: Call) {
  return fields.matching(plans, { ticker: ({ ticker }) => ticker }).map((plan) => planRecord(state, plan));
}

function planRecord(state: ExchangeState, plan: FixedPlan) {
  const { capacity: _capacity, isRepeatable: _isRepeatable, days, ...terms } = plan;
  const left = leftOf(state, plan);
  const status = left.isLessThan(plan.minInvestment) ? planStatuses.soldOut : planStatuses.active;
  const maxPossibleInvestment = left.isLessThan(plan.maxInvestment) ? left : plan.maxInvestment;
  return { ...terms, status, duration: days * minutesOfDay, maxPossibleInvestment };
}

function openIn({ records }: ExchangeState, plan: FixedPlan): FixedInvestment[] {
  return records.fixedInvestments.entries.filter((one) => one.plan === plan && one.closedAt === undefined);
}

function leftOf(state: ExchangeState, plan: FixedPlan): Decimal {
  return openIn(state, plan).reduce((left, { amount }) => left.minus(amount), decimal(plan.capacity));
}

function invest({ state, account, fields }: Call) {
  const { records, wallets, clock, random } = state;
  const planId = fields.textOrEmpty('planId');
  const plan = plans.find(({ id }) => id === planId);
  if (plan === undefined) throw invalid(400, 0, 'planId', 'The selected plan id is invalid.');
  const amount = decimal(fields.amount());
  const left = leftOf(state, plan);
  const soldOut = () => refused(5, 'planId', 'The plan cannot pay this investment.');
  if (left.isLessThan(plan.minInvestment)) throw soldOut();
  if (!plan.isRepeatable && openIn(state, plan).some((one) => one.account === account))
    throw refused(1, 'planId', 'You have already invested in this plan.');
  if (amount.isLessThan(plan.minInvestment)) throw refused(2, 'amount', 'Amount is less than the minimum of the plan.');
  if (amount.isGreaterThan(plan.maxInvestment))
    throw refused(3, 'amount', 'Amount is greater than the maximum of the plan.');
  if (amount.isGreaterThan(left)) throw soldOut();
  if (!wallets.debitWithdrawable({ account, asset: plan.ticker, amount, reason: 'investment' }))
    throw refused(4, 'amount', 'Not enough balance.');
  const id = randomUuid(random);
  const made: FixedInvestment = { account, id, plan, amount, at: clock.now(), interestPaid: decimal(0) };
  records.fixedInvestments.push(made);
  // In hours: a timer of the platform cannot wait for 30 days.
  const stop = clock.every(hourMs, () => {
    if (clock.now() < endOf(made) && made.closedAt === undefined) return;
    stop();
    if (made.closedAt === undefined) end(state, made);
  });
  return jsonResponse(201, { id });
}

function close({ state, account, fields }: Call) {
  const id = fields.textOrEmpty('id');
  const found = state.records.fixedInvestments.of(account).find((one) => one.id === id);
  if (found === undefined || found.closedAt !== undefined) throw refused(0, 'id', 'Investment already closed.');
  giveBack(state, found);
  return {};
}

function end(state: ExchangeState, ended: FixedInvestment): void {
  const { account, plan, amount } = ended;
  const interest = amount.times(plan.percent).shiftedBy(-2).dividedBy(plan.interestRatio);
  ended.interestPaid = cutDecimal(interest, interestPlaces);
  giveBack(state, ended);
  state.wallets.credit({ account, asset: plan.interestTicker, amount: ended.interestPaid, reason: 'interest' });
}

function giveBack({ clock, wallets }: ExchangeState, closed: FixedInvestment): void {
  const { account, plan, amount } = closed;
  closed.closedAt = clock.now();
  wallets.credit({ account, asset: plan.ticker, amount, reason: 'investment' });
}

function endOf({ at, plan }: FixedInvestment): number {
  return at + plan.days * dayMs;
}

function investments({ state, account, fields }: Call) {
  const status = fields.integer('status', { minimum: 1, maximum: 2 });
  const found = fields
    .matching(state.records.fixedInvestments.of(account), { id: ({ id }) => id, ticker: ({ plan }) => plan.ticker })
    .map((one) => {
      const { id, plan, amount, at, closedAt, interestPaid } = one;
      const status = closedAt === undefined ? statuses.active : statuses.closed;
      const [created, updated, paymentTime] = [at, closedAt ?? at, endOf(one)].map(unixSeconds);
      return { id, plan: planRecord(state, plan), status, created, updated, paymentTime, amount, interestPaid };
    });
  return fields.page(found.filter((one) => status === undefined || one.status === status));
}

function payments({ state, account, fields }: Call) {
  const paid = state.records.fixedInvestments
    .of(account)
    .filter(({ interestPaid }) => interestPaid.isGreaterThan(0))
    .map(({ id: investmentId, plan: { id: planId, interestTicker: ticker }, closedAt = 0, interestPaid: amount }) => {
      return { planId, investmentId, amount, ticker, timestamp: unixSeconds(closedAt) };
    })
    .sort((one, other) => other.timestamp - one.timestamp);
  return fields.page(fields.matching(paid, { ticker: ({ ticker }) => ticker, planId: ({ planId }) => planId }));
}
