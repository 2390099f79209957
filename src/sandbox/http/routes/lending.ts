// Lending: plans of fixed duration, and plans without one.
import { decimal } from '../../../model/decimal.js';
import { flexPlans, operationTypes } from '../../flex-lending.js';
import { invalid, refused } from '../../rejection.js';
import { jsonResponse, page, type SignedCall } from '../route.js';
import { money } from './main-account.js';

const paged = { fields: page(100, 100, 10_000) };
const operationsPage = { fields: page(100, 50, 10_000) };
const changed = { required: ['plan', 'amount'] };

export const lendingRoutes = [
  money('smart/plans', ({ state, fields }) => fields.matching(state.fixedLending.plans(), ofTicker)),
  money('smart/investment', investFixed, { required: ['planId', 'amount'] }),
  money('smart/investment/close', closeFixed, { required: ['id'] }),
  money('smart/investments', fixedInvestments, paged),
  money('smart/interest-payment-history', fixedPayments, paged),
  money('smart-flex/plans', ({ fields }) => fields.page(fields.matching(flexPlans, ofTicker)).records, paged),
  money('smart-flex/investments', flexInvestments, paged),
  money('smart-flex/investments/history', flexOperations, operationsPage),
  money('smart-flex/investments/payment-history', flexEarnings, operationsPage),
  money('smart-flex/investments/invest', investFlex, changed),
  money('smart-flex/investments/withdraw', withdrawFlex, changed),
  money('smart-flex/investments/close', closeFlex, { required: ['plan'] }),
  money('smart-flex/investments/auto-invest', setReinvest, { required: ['plan'] }),
];

const ofTicker = { ticker: ({ ticker }: { readonly ticker: string }) => ticker };

/** What a refused operation says, by its published code. */
const refusals = {
  1: ['planId', 'You have already invested in this plan.'],
  2: ['amount', 'Amount is less than the minimum of the plan.'],
  3: ['amount', 'Amount is greater than the maximum of the plan.'],
  4: ['amount', 'Not enough balance.'],
  5: ['planId', 'The plan cannot pay this investment.'],
  closed: ['plan', 'The plan has no active investment.'],
  left: ['minAmountLeft', 'Less than the minimum of the plan would be left.'],
} as const;

/** The result of an operation that was not refused. */
function accepted(result: { readonly id: string } | keyof typeof refusals): string {
  if (typeof result === 'object') return result.id;
  const [field, text] = refusals[result];
  throw refused(typeof result === 'number' ? result : 0, field, text);
}

function investFixed({ state, account, fields }: SignedCall) {
  const planId = fields.textOrEmpty('planId');
  if (!state.fixedLending.has(planId)) throw invalid(400, 0, 'planId', 'The selected plan id is invalid.');
  const id = accepted(state.fixedLending.invest(account, planId, decimal(fields.amount())));
  return jsonResponse(201, { id });
}

function closeFixed({ state, account, fields }: SignedCall) {
  if (!state.fixedLending.close(account, fields.textOrEmpty('id')))
    throw refused(0, 'id', 'Investment already closed.');
  return {};
}

function fixedInvestments({ state, account, fields }: SignedCall) {
  const status = fields.integer('status', { minimum: 1, maximum: 2 });
  const found = fields.matching(state.fixedLending.investmentsOf(account), {
    id: ({ id }) => id,
    ticker: ({ plan }) => plan.ticker,
  });
  return fields.page(found.filter((one) => status === undefined || one.status === status));
}

function fixedPayments({ state, account, fields }: SignedCall) {
  const payments = state.fixedLending.paymentsOf(account);
  return fields.page(fields.matching(payments, { ...ofTicker, planId: ({ planId }) => planId }));
}

function flexInvestments({ state, account, fields }: SignedCall) {
  const status = fields.integer('investmentStatus', { minimum: 0, maximum: 1 });
  const found = fields.matching(state.flexLending.investmentsOf(account), {
    ticker: ({ currency }) => currency,
    plan: ({ planId }) => planId,
    investment: ({ id }) => id,
  });
  return fields.dataPage(found.filter((one) => status === undefined || one.status === status));
}

function operationsOf({ state, account, fields }: SignedCall) {
  const period = fields.period('dateFrom', 'dateTo');
  return fields
    .matching(state.flexLending.operationsOf(account), {
      plan: ({ planId }) => planId,
      investment: ({ investmentId }) => investmentId,
      transaction: ({ transactionId }) => transactionId,
    })
    .filter(({ createdAt }) => period.has(createdAt));
}

function flexOperations(call: SignedCall) {
  const types = call.fields.value('actionTypes');
  const isWanted = (type: unknown) => !Array.isArray(types) || types.length === 0 || types.includes(type);
  return call.fields.dataPage(operationsOf(call).filter(({ actionType }) => isWanted(actionType)));
}

function flexEarnings(call: SignedCall) {
  return call.fields.dataPage(operationsOf(call).filter(({ actionType }) => actionType === operationTypes.earn));
}

function planOf({ fields }: SignedCall) {
  const plan = flexPlans.find(({ id }) => id === fields.text('plan'));
  if (plan === undefined) throw invalid(400, 0, 'plan', 'The selected plan is invalid.');
  return plan;
}

const made = (transactionId: string) => jsonResponse(201, { data: { transactionId } });

function investFlex(call: SignedCall) {
  const { state, account, fields } = call;
  const [plan, amount] = [planOf(call), decimal(fields.amount())];
  return made(accepted(state.flexLending.invest(account, plan, amount, fields.flag('withReinvest'))));
}

function withdrawFlex(call: SignedCall) {
  return made(accepted(call.state.flexLending.withdraw(call.account, planOf(call), decimal(call.fields.amount()))));
}

function closeFlex(call: SignedCall) {
  return made(accepted(call.state.flexLending.close(call.account, planOf(call))));
}

function setReinvest(call: SignedCall) {
  const one = call.state.flexLending.find(call.account, planOf(call));
  if (one === undefined) return accepted('closed');
  one.isReinvested = call.fields.flag('enabled');
  return { data: [] };
}
