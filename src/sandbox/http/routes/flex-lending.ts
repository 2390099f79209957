// Plans without a fixed duration: an investment earns interest each hour, which is paid each day.
import { cutDecimal, decimal, type Decimal } from '../../../model/decimal.js';
import { unixSeconds } from '../../clock.js';
import { randomUuid } from '../../random.js';
import type { FlexInvestment, FlexOperation, FlexPlan } from '../../records.js';
import { invalid, refused } from '../../rejection.js';
import { jsonResponse, page, type ExchangeState, type Call } from '../route.js';
import { money } from './main-account.js';

const paged = { fields: page(100, 100, 10_000) };
const operationsPage = { fields: page(100, 50, 10_000) };
const changed = { required: ['plan', 'amount'] };

export const flexLendingRoutes = [
  money('smart-flex/plans', listPlans, paged),
  money('smart-flex/investments', investments, paged),
  money('smart-flex/investments/history', operations, operationsPage),
  money('smart-flex/investments/payment-history', earnings, operationsPage),
  money('smart-flex/investments/invest', invest, changed),
  money('smart-flex/investments/withdraw', withdraw, changed),
  money('smart-flex/investments/close', close, { required: ['plan'] }),
  money('smart-flex/investments/auto-invest', setReinvest, { required: ['plan'] }),
];

const plans: readonly FlexPlan[] = [
  {
    ...{ id: '7b4a1c0e-6f0e-4f0b-9d1e-000000000003', ticker: 'USDT', maxRate: '0.15' },
    ...{ minInvestment: '10', maxInvestment: '100000' },
  },
  {
    ...{ id: '7b4a1c0e-6f0e-4f0b-9d1e-000000000004', ticker: 'BTC', maxRate: '0.0030' },
    ...{ minInvestment: '0.001', maxInvestment: '5' },
  },
];

/** Published: what an operation is. */
const types = { invest: 1, reinvest: 2, withdraw: 3, earn: 4, close: 5, open: 6 } as const;

const hourMs = 3_600_000;
const hoursOfDay = 24;
const hoursOfYear = 8760;
const interestPlaces = 8;

function listPlans({ fields }: Call) {
  return fields.page(fields.matching(plans, { ticker: ({ ticker }) => ticker })).records;
}

function planOf({ fields }: Call): FlexPlan {
  const id = fields.text('plan');
  const plan = plans.find((one) => one.id === id);
  if (plan === undefined) throw invalid(400, 0, 'plan', 'The selected plan is invalid.');
  return plan;
}

function activeIn({ state, account }: Call, plan: FlexPlan): FlexInvestment | undefined {
  return state.records.flexInvestments.of(account).find((one) => one.plan === plan && !one.isClosed);
}

function active(call: Call): FlexInvestment {
  const found = activeIn(call, planOf(call));
  if (found === undefined) throw refused(0, 'plan', 'The plan has no active investment.');
  return found;
}

function invest(call: Call) {
  const { state, account, fields } = call;
  const [plan, amount, isReinvested] = [planOf(call), decimal(fields.amount()), fields.flag('withReinvest')];
  if (amount.isLessThan(plan.minInvestment)) throw refused(2, 'amount', 'Amount is less than the minimum of the plan.');
  const known = activeIn(call, plan);
  if (amount.plus(known?.invested ?? 0).isGreaterThan(plan.maxInvestment))
    throw refused(3, 'amount', 'Amount is greater than the maximum of the plan.');
  if (!state.wallets.debitWithdrawable({ account, asset: plan.ticker, amount, reason: 'investment' }))
    throw notEnough();
  const one = known ?? open(call, plan);
  one.isReinvested = isReinvested;
  return made(add(state, one, known === undefined ? types.open : types.invest, amount));
}

const notEnough = () => refused(4, 'amount', 'Not enough balance.');
const made = ({ id }: FlexOperation) => jsonResponse(201, { data: { transactionId: id } });

function withdraw(call: Call) {
  const amount = decimal(call.fields.amount());
  const one = active(call);
  if (amount.isGreaterThan(one.invested)) throw notEnough();
  if (one.invested.minus(amount).isLessThan(one.plan.minInvestment))
    throw refused(0, 'minAmountLeft', 'Less than the minimum of the plan would be left.');
  return made(giveBack(call.state, one, types.withdraw, amount));
}

function close(call: Call) {
  const one = active(call);
  one.isReinvested = false;
  pay(call.state, one);
  const operation = giveBack(call.state, one, types.close, one.invested);
  one.isClosed = true;
  return made(operation);
}

function setReinvest(call: Call) {
  active(call).isReinvested = call.fields.flag('enabled');
  return { data: [] };
}

function open({ state, account }: Call, plan: FlexPlan): FlexInvestment {
  const { clock, random, records } = state;
  const at = clock.now();
  const one: FlexInvestment = {
    ...{ account, plan, id: randomUuid(random), at, changedAt: at },
    ...{ invested: decimal(0), earned: decimal(0), isReinvested: false, isClosed: false },
  };
  records.flexInvestments.push(one);
  let hours = 0;
  const stop = clock.every(hourMs, () => {
    if (one.isClosed) {
      stop();
      return;
    }
    hours += 1;
    one.earned = one.earned.plus(one.invested.times(plan.maxRate).dividedBy(hoursOfYear));
    if (hours % hoursOfDay === 0) pay(state, one);
  });
  return one;
}

function pay(state: ExchangeState, one: FlexInvestment): void {
  const { account, plan, isReinvested } = one;
  const amount = cutDecimal(one.earned, interestPlaces);
  if (amount.isZero()) return;
  one.earned = one.earned.minus(amount);
  const paid = { account, asset: plan.ticker, amount };
  state.wallets.credit({ ...paid, reason: 'interest' });
  record(state, one, types.earn, amount);
  if (isReinvested && state.wallets.debitWithdrawable({ ...paid, reason: 'investment' }))
    add(state, one, types.reinvest, amount);
}

function giveBack(state: ExchangeState, one: FlexInvestment, type: number, amount: Decimal): FlexOperation {
  const { account, plan } = one;
  state.wallets.credit({ account, asset: plan.ticker, amount, reason: 'investment' });
  return add(state, one, type, amount.negated());
}

function add(state: ExchangeState, one: FlexInvestment, type: number, amount: Decimal): FlexOperation {
  one.invested = one.invested.plus(amount);
  return record(state, one, type, amount.abs());
}

function record({ clock, random, records }: ExchangeState, of: FlexInvestment, type: number, amount: Decimal) {
  of.changedAt = clock.now();
  const operation = { account: of.account, id: randomUuid(random), of, type, amount, at: of.changedAt };
  records.flexOperations.push(operation);
  return operation;
}

function investments({ state, account, fields }: Call) {
  const status = fields.integer('investmentStatus', { minimum: 0, maximum: 1 });
  const found = fields
    .matching(state.records.flexInvestments.of(account), {
      ...{ ticker: ({ plan }) => plan.ticker, plan: ({ plan }) => plan.id, investment: ({ id }) => id },
    })
    .map(({ id, plan, invested, isReinvested, isClosed, at, changedAt }) => ({
      ...{ id, planId: plan.id, currency: plan.ticker, invested, withAutoReinvest: isReinvested },
      ...{ status: isClosed ? 0 : 1, createdAt: unixSeconds(at), updatedAt: unixSeconds(changedAt) },
    }));
  return fields.dataPage(found.filter((one) => status === undefined || one.status === status));
}

function operations(call: Call) {
  const wanted = call.fields.value('actionTypes');
  return listed(call, (type) => !Array.isArray(wanted) || wanted.length === 0 || wanted.includes(type));
}

function earnings(call: Call) {
  return listed(call, (type) => type === types.earn);
}

function listed({ state, account, fields }: Call, isWanted: (type: number) => boolean) {
  const period = fields.period('dateFrom', 'dateTo');
  const found = fields
    .matching(state.records.flexOperations.of(account), {
      ...{ plan: ({ of }) => of.plan.id, investment: ({ of }) => of.id, transaction: ({ id }) => id },
    })
    .map(({ id, of: { id: investmentId, plan }, type, amount, at }) => ({
      ...{ createdAt: unixSeconds(at), planId: plan.id, investmentId, currency: plan.ticker, amount },
      ...{ transactionId: id, actionType: type },
    }));
  return fields.dataPage(found.filter(({ createdAt, actionType }) => period.has(createdAt) && isWanted(actionType)));
}
