// Lending: plans of fixed duration, and plans without one.
import { decimal } from '../../../model/decimal.js';
import { flexPlans } from '../../flex-lending.js';
import { innerValidationMessage, invalid, Rejection } from '../../rejection.js';
import { jsonResponse, page, per10s, signed, type SignedCall, type SignedRoute } from '../route.js';
import { requireFields } from './main-account.js';

const paged = page(100, 100, 10_000);
const operationsPage = page(100, 50, 10_000);

export const lendingRoutes = [
  route('smart/plans', ({ state, fields }) => fields.matching(state.registry.fixedLending.plans(), ofTicker)),
  route('smart/investment', investFixed),
  route('smart/investment/close', closeFixed),
  route('smart/investments', fixedInvestments, paged),
  route('smart/interest-payment-history', fixedPayments, paged),
  route('smart-flex/plans', ({ fields }) => fields.page(fields.matching(flexPlans, ofTicker)).records, paged),
  route('smart-flex/investments', flexInvestments, paged),
  route('smart-flex/investments/history', flexOperations, operationsPage),
  route('smart-flex/investments/payment-history', flexEarnings, operationsPage),
  route('smart-flex/investments/invest', investFlex),
  route('smart-flex/investments/withdraw', withdrawFlex),
  route('smart-flex/investments/close', closeFlex),
  route('smart-flex/investments/auto-invest', setReinvest),
];

function route(path: string, respond: SignedRoute['respond'], fields: SignedRoute['fields'] = {}): SignedRoute {
  return signed(`/api/v4/main-account/${path}`, respond, { rateLimit: per10s(1000), fields });
}

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
  throw new Rejection(422, typeof result === 'number' ? result : 0, innerValidationMessage, { [field]: [text] });
}

function investFixed({ state, account, fields }: SignedCall) {
  requireFields(fields, 'planId', 'amount');
  const planId = fields.textOrEmpty('planId');
  const { fixedLending } = state.registry;
  if (!fixedLending.has(planId)) throw invalid(400, 0, 'planId', 'The selected plan id is invalid.');
  const id = accepted(fixedLending.invest(account, planId, decimal(fields.amount())));
  return jsonResponse(201, { id });
}

function closeFixed({ state, account, fields }: SignedCall) {
  requireFields(fields, 'id');
  if (!state.registry.fixedLending.close(account, fields.textOrEmpty('id')))
    throw new Rejection(422, 0, innerValidationMessage, { id: ['Investment already closed.'] });
  return {};
}

function fixedInvestments({ state, account, fields }: SignedCall) {
  const status = fields.integer('status', { minimum: 1, maximum: 2 });
  const found = fields.matching(state.registry.fixedLending.investmentsOf(account), {
    id: ({ id }) => id,
    ticker: ({ plan }) => plan.ticker,
  });
  return fields.page(found.filter((one) => status === undefined || one.status === status));
}

function fixedPayments({ state, account, fields }: SignedCall) {
  const payments = state.registry.fixedLending.paymentsOf(account);
  return fields.page(fields.matching(payments, { ...ofTicker, planId: ({ planId }) => planId }));
}

function flexInvestments({ state, account, fields }: SignedCall) {
  const status = fields.integer('investmentStatus', { minimum: 0, maximum: 1 });
  const found = fields.matching(state.registry.flexLending.investmentsOf(account), {
    ticker: ({ currency }) => currency,
    plan: ({ planId }) => planId,
    investment: ({ id }) => id,
  });
  return fields.dataPage(found.filter((one) => status === undefined || one.status === status));
}

type Operations = ReturnType<SignedCall['state']['registry']['flexLending']['operationsOf']>;

function operationsOf({ fields }: SignedCall, operations: Operations): Operations {
  const [from = 0, to = Number.POSITIVE_INFINITY] = [fields.integer('dateFrom'), fields.integer('dateTo')];
  return fields
    .matching(operations, {
      plan: ({ planId }) => planId,
      investment: ({ investmentId }) => investmentId,
      transaction: ({ transactionId }) => transactionId,
    })
    .filter(({ createdAt }) => createdAt >= from && createdAt <= to);
}

function flexOperations(call: SignedCall) {
  const types = call.fields.value('actionTypes');
  const found = operationsOf(call, call.state.registry.flexLending.operationsOf(call.account));
  return call.fields.dataPage(
    found.filter(({ actionType }) => !Array.isArray(types) || types.length === 0 || types.includes(actionType)),
  );
}

function flexEarnings(call: SignedCall) {
  return call.fields.dataPage(operationsOf(call, call.state.registry.flexLending.earningsOf(call.account)));
}

function planOf({ fields }: SignedCall, ...names: readonly string[]) {
  requireFields(fields, 'plan', ...names);
  const plan = flexPlans.find(({ id }) => id === fields.text('plan'));
  if (plan === undefined) throw invalid(400, 0, 'plan', 'The selected plan is invalid.');
  return plan;
}

const made = (transactionId: string) => jsonResponse(201, { data: { transactionId } });

function investFlex(call: SignedCall) {
  const plan = planOf(call, 'amount');
  const { state, account, fields } = call;
  const amount = decimal(fields.amount());
  return made(accepted(state.registry.flexLending.invest(account, plan, amount, fields.flag('withReinvest'))));
}

function withdrawFlex(call: SignedCall) {
  const plan = planOf(call, 'amount');
  return made(accepted(call.state.registry.flexLending.withdraw(call.account, plan, decimal(call.fields.amount()))));
}

function closeFlex(call: SignedCall) {
  return made(accepted(call.state.registry.flexLending.close(call.account, planOf(call))));
}

function setReinvest(call: SignedCall) {
  const one = call.state.registry.flexLending.find(call.account, planOf(call));
  if (one === undefined) return accepted('closed');
  one.isReinvested = call.fields.flag('enabled');
  return { data: [] };
}
