// What leads to the main account: deposit addresses, refunds of canceled deposits, and pages on which others pay.
import { decimal } from '../../../model/decimal.js';
import { unixSeconds } from '../../clock.js';
import { invalid, invalidFields, refused, Rejection } from '../../rejection.js';
import { per10s } from '../rate-limiter.js';
import { jsonResponse, page, signed, type SignedCall, type SignedRoute } from '../route.js';
import { assetProfile, tickerOf } from './assets.js';

export const mainAccountRoutes = [
  money('address', depositAddress, { required: ['ticker'] }),
  money('create-new-address', createAddress, { required: ['ticker'] }),
  money('fiat-deposit-url', fiatDeposit, {
    ...{ required: ['amount', 'provider', 'ticker', 'uniqueId'], fields: { uniqueId: { maxLength: 255 } } },
  }),
  money('refund-deposit', refundDeposit, {
    ...{ required: ['transactionId', 'address'], fields: { memo: { maxLength: 255 } } },
  }),
  money('refund-history', refundHistory, { fields: page(100, 100, 10_000) }),
  money('express-withdraw/token', expressPayment, {
    ...{ rateLimit: per10s(10_000), required: ['ticker', 'amount', 'externalId'] },
  }),
  signed('/api/v4/jwt', cardGatewayToken),
];

/** A route of `main-account/*`, for which a missing field is published as an error of code 0. */
export function money(
  path: string,
  respond: SignedRoute['respond'],
  { required = [], ...terms }: Parameters<typeof signed>[2] = {},
): SignedRoute {
  const checked = (call: SignedCall) => {
    requireFields(call.fields, required);
    return respond(call);
  };
  return signed(`/api/v4/main-account/${path}`, checked, terms);
}

function requireFields(fields: SignedCall['fields'], names: readonly string[]): void {
  const missing = names.filter((name) => (fields.value(name) ?? '') === '');
  if (missing.length === 0) return;
  const words = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const errors = missing.map((name) => [name, [`The ${words(name)} field is required.`]] as const);
  throw invalidFields(400, 0, Object.fromEntries(errors));
}

function networkOf(call: SignedCall) {
  const ticker = tickerOf(call);
  const { networks, isMemo = false } = assetProfile(ticker);
  const name = call.fields.text('network') ?? networks[0]?.name;
  const network = networks.find((one) => one.name === name);
  if (network === undefined) throw invalid(400, 0, 'network', 'The selected network is invalid.');
  return { ticker, network, isMemo };
}

const rulesOf = (minAmount: string) => ({
  ...{ minAmount, maxAmount: '0', fixedFee: '0' },
  flexFee: { maxFee: '0', minFee: '0', percent: '0' },
});

function depositAddress(call: SignedCall) {
  const { ticker, network, isMemo } = networkOf(call);
  const account = call.state.deposits.address(call.account, ticker, network.name, isMemo);
  return { account, required: rulesOf(network.minDeposit) };
}

function createAddress(call: SignedCall) {
  const { network, isMemo } = networkOf(call);
  const account = call.state.deposits.newAddress(isMemo);
  return jsonResponse(201, { account, required: rulesOf(network.minDeposit) });
}

const dayMs = 24 * 60 * 60 * 1000;

function fiatDeposit({ state, account, fields }: SignedCall) {
  const key = JSON.stringify(['fiat', account, fields.text('uniqueId')]);
  fields.amount();
  if (state.payments.has(key)) throw invalid(400, 0, 'uniqueId', 'The unique id has already been taken.');
  const opened = state.payments.open(key, '', dayMs);
  return { url: `https://pay.example/invoice/${opened?.token}` };
}

const notRefundable = () => new Rejection(400, 0, 'Transaction not refundable');

function refundDeposit({ state, account, fields }: SignedCall) {
  const depositId = fields.textOrEmpty('transactionId');
  const deposit = state.deposits.canceled(account, depositId);
  if (deposit === undefined) throw notRefundable();
  const { networks, isMemo = false } = assetProfile(deposit.ticker);
  const fee = networks.find(({ name }) => name === deposit.network)?.withdrawFee ?? '0';
  if (!deposit.amount.isGreaterThan(fee)) throw notRefundable();
  if (isMemo) requireFields(fields, ['memo']);
  const terms = { depositId, address: fields.textOrEmpty('address'), memo: fields.text('memo'), fee };
  state.deposits.refund(deposit, terms);
  return { id: depositId };
}

function refundHistory({ state, account, fields }: SignedCall) {
  const ticker = fields.text('ticker')?.toUpperCase();
  const found = fields.matching(state.deposits.refundsOf(account), { depositId: ({ depositId }) => depositId });
  return fields.page(found.filter((one) => ticker === undefined || one.ticker === ticker));
}

const expressMs = 90_000;
const maxExpressUsdt = 10_000;

function expressPayment(call: SignedCall) {
  const { state, account, fields } = call;
  const ticker = tickerOf(call, 422);
  const amount = decimal(fields.amount());
  if (ticker === 'USDT' && amount.isGreaterThan(maxExpressUsdt)) throw refused(191, 'amount', 'Amount is too big');
  const key = JSON.stringify(['express', account, fields.text('externalId')]);
  const opened = state.payments.open(key, JSON.stringify([ticker, amount]), expressMs);
  if (opened === undefined) throw refused(18, 'externalId', 'External id is already used');
  const expireAt = new Date(opened.expiresAt).toISOString().slice(0, 19).replace('T', ' ');
  return jsonResponse(201, { url: `https://pay.example/express?token=${opened.token}`, expireAt });
}

const tokenSeconds = 3600;

function cardGatewayToken({ state }: SignedCall) {
  const token = state.payments.newToken();
  return { data: { token, expires_at: unixSeconds(state.clock.now()) + tokenSeconds } };
}
