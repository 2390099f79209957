// What leads to the main account: deposit addresses, refunds of canceled deposits, and pages on which others pay.
import { decimal } from '../../../model/decimal.js';
import { innerValidationMessage, invalid, Rejection, validationMessage } from '../../rejection.js';
import { jsonResponse, page, per10s, signed, type SignedCall } from '../route.js';
import { assetProfile, isAsset } from './assets.js';

const rateLimit = per10s(1000);

export const mainAccountRoutes = [
  signed('/api/v4/main-account/address', depositAddress, { rateLimit }),
  signed('/api/v4/main-account/create-new-address', createAddress, { rateLimit }),
  signed('/api/v4/main-account/fiat-deposit-url', fiatDeposit, { rateLimit, fields: { uniqueId: { maxLength: 255 } } }),
  signed('/api/v4/main-account/refund-deposit', refundDeposit, { rateLimit, fields: { memo: { maxLength: 255 } } }),
  signed('/api/v4/main-account/refund-history', refundHistory, { rateLimit, fields: page(100, 100, 10_000) }),
  signed('/api/v4/main-account/express-withdraw/token', expressPayment),
  signed('/api/v4/jwt', cardGatewayToken),
];

/** Published for `main-account/*`: a missing field is an error of code 0. */
export function requireFields(fields: SignedCall['fields'], ...names: readonly string[]): void {
  const missing = names.filter((name) => (fields.value(name) ?? '') === '');
  if (missing.length === 0) return;
  const words = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const errors = missing.map((name) => [name, [`The ${words(name)} field is required.`]] as const);
  throw new Rejection(400, 0, validationMessage, Object.fromEntries(errors));
}

function networkOf({ state, fields }: SignedCall) {
  requireFields(fields, 'ticker');
  const ticker = fields.textOrEmpty('ticker');
  if (!isAsset(state, ticker)) throw invalid(400, 0, 'ticker', 'The selected ticker is invalid.');
  const { networks, isMemo = false } = assetProfile(ticker);
  const name = fields.text('network') ?? networks[0]?.name;
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
  const account = call.state.registry.deposits.address(call.account, ticker, network.name, isMemo);
  return { account, required: rulesOf(network.minDeposit) };
}

function createAddress(call: SignedCall) {
  const { network, isMemo } = networkOf(call);
  const account = call.state.registry.deposits.newAddress(isMemo);
  return jsonResponse(201, { account, required: rulesOf(network.minDeposit) });
}

const dayMs = 24 * 60 * 60 * 1000;

function fiatDeposit({ state, account, fields }: SignedCall) {
  requireFields(fields, 'amount', 'provider', 'ticker', 'uniqueId');
  const key = JSON.stringify(['fiat', account, fields.text('uniqueId')]);
  fields.amount();
  if (state.registry.payments.has(key)) throw invalid(400, 0, 'uniqueId', 'The unique id has already been taken.');
  const opened = state.registry.payments.open(key, '', dayMs);
  return { url: `https://pay.example/invoice/${opened?.token}` };
}

const notRefundable = () => new Rejection(400, 0, 'Transaction not refundable');

function refundDeposit({ state, account, fields }: SignedCall) {
  requireFields(fields, 'transactionId', 'address');
  const depositId = fields.textOrEmpty('transactionId');
  const deposit = state.registry.deposits.canceled(account, depositId);
  if (deposit === undefined) throw notRefundable();
  const { networks, isMemo = false } = assetProfile(deposit.ticker);
  const fee = networks.find(({ name }) => name === deposit.network)?.withdrawFee ?? '0';
  if (!decimal(deposit.amount).isGreaterThan(fee)) throw notRefundable();
  if (isMemo) requireFields(fields, 'memo');
  const order = { depositId, address: fields.textOrEmpty('address'), memo: fields.text('memo'), fee };
  state.registry.deposits.refund(deposit, order);
  return { id: depositId };
}

function refundHistory({ state, account, fields }: SignedCall) {
  const ticker = fields.text('ticker')?.toUpperCase();
  const refunds = state.registry.deposits.refundsOf(account);
  const found = fields.matching(refunds, { depositId: ({ depositId }) => depositId });
  return fields.page(found.filter((one) => ticker === undefined || one.ticker === ticker));
}

const expressMs = 90_000;
const maxExpressUsdt = 10_000;

function expressPayment({ state, account, fields }: SignedCall) {
  requireFields(fields, 'ticker', 'amount', 'externalId');
  const ticker = fields.textOrEmpty('ticker');
  if (!isAsset(state, ticker)) throw invalid(422, 0, 'ticker', 'The selected ticker is invalid.');
  const amount = fields.amount();
  if (ticker === 'USDT' && decimal(amount).isGreaterThan(maxExpressUsdt))
    throw new Rejection(422, 191, innerValidationMessage, { amount: ['Amount is too big'] });
  const key = JSON.stringify(['express', account, fields.text('externalId')]);
  const opened = state.registry.payments.open(key, JSON.stringify([ticker, decimal(amount).toFixed()]), expressMs);
  if (opened === undefined)
    throw new Rejection(422, 18, innerValidationMessage, { externalId: ['External id is already used'] });
  const expireAt = new Date(opened.expiresAt).toISOString().slice(0, 19).replace('T', ' ');
  return jsonResponse(201, { url: `https://pay.example/express?token=${opened.token}`, expireAt });
}

const tokenSeconds = 3600;

function cardGatewayToken({ state }: SignedCall) {
  return {
    data: {
      token: state.registry.payments.newToken(),
      expires_at: Math.floor(state.clock.now() / 1000) + tokenSeconds,
    },
  };
}
