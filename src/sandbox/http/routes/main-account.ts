// What leads to the main account: deposit addresses, refunds of canceled deposits, and pages on which others pay.
import { decimal, type Decimal } from '../../../model/decimal.js';
import { unixSeconds } from '../../clock.js';
import { randomHex, randomUuid } from '../../random.js';
import type { PaymentPage } from '../../records.js';
import { invalid, invalidFields, refused, Rejection } from '../../rejection.js';
import { depositAddress } from '../../wallets.js';
import { per10s } from '../rate-limiter.js';
import { jsonResponse, page, signed, type Call, type Route } from '../route.js';
import { assetProfile, networkOf, tickerOf } from './assets.js';

export const mainAccountRoutes = [
  money('address', permanentAddress, { required: ['ticker'] }),
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
  respond: Route['respond'],
  { required = [], ...terms }: Parameters<typeof signed>[2] = {},
): Route {
  const checked = (call: Call) => {
    requireFields(call.fields, required);
    return respond(call);
  };
  return signed(`/api/v4/main-account/${path}`, checked, terms);
}

function requireFields(fields: Call['fields'], names: readonly string[]): void {
  const missing = names.filter((name) => (fields.value(name) ?? '') === '');
  if (missing.length === 0) return;
  const words = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const errors = missing.map((name) => [name, [`The ${words(name)} field is required.`]] as const);
  throw invalidFields(400, 0, Object.fromEntries(errors));
}

const maxDecimals = 8;

export function amountToTransfer({ fields }: Call, verb: 'must' | 'may'): Decimal {
  const amount = decimal(fields.amount());
  if (amount.decimalPlaces(maxDecimals).isEqualTo(amount)) return amount;
  throw invalid(400, 0, 'amount', `The amount ${verb} have at most ${maxDecimals} decimals.`);
}

function requestedNetwork(call: Call) {
  const ticker = tickerOf(call);
  const { isMemo = false } = assetProfile(ticker);
  const network = networkOf(ticker, call.fields.text('network'));
  if (network === undefined) throw invalid(400, 0, 'network', 'The selected network is invalid.');
  return { ticker, network, isMemo };
}

const rulesOf = (minAmount: string) => ({
  ...{ minAmount, maxAmount: '0', fixedFee: '0' },
  flexFee: { maxFee: '0', minFee: '0', percent: '0' },
});

function permanentAddress(call: Call) {
  const { ticker, network, isMemo } = requestedNetwork(call);
  const account = depositAddress(isMemo, call.account, ticker, network.name);
  return { account, required: rulesOf(network.minDeposit) };
}

function createAddress(call: Call) {
  const { network, isMemo } = requestedNetwork(call);
  const account = depositAddress(isMemo, randomUuid(call.state.random));
  return jsonResponse(201, { account, required: rulesOf(network.minDeposit) });
}

function fiatDeposit(call: Call) {
  const { state, account, fields } = call;
  const key = fields.textOrEmpty('uniqueId');
  const amount = decimal(fields.amount());
  if (state.records.paymentPages.of(account).some((page) => page.kind === 'fiat' && page.key === key))
    throw invalid(400, 0, 'uniqueId', 'The unique id has already been taken.');
  const { token } = openPage(call, { kind: 'fiat', key, ticker: fields.textOrEmpty('ticker'), amount });
  return { url: `https://pay.example/invoice/${token}` };
}

const notRefundable = () => new Rejection(400, 0, 'Transaction not refundable');
const hashLength = 64;

function refundDeposit({ state, account, fields }: Call) {
  const { records, clock, random } = state;
  const id = fields.textOrEmpty('transactionId');
  const deposit = records.canceledDeposits.of(account).find((one) => one.id === id && one.refund === undefined);
  if (deposit === undefined) throw notRefundable();
  const fee = networkOf(deposit.ticker, deposit.network)?.withdrawFee ?? '0';
  if (!deposit.amount.isGreaterThan(fee)) throw notRefundable();
  if (assetProfile(deposit.ticker).isMemo === true) requireFields(fields, ['memo']);
  deposit.refund = {
    ...{ id: randomUuid(random), at: clock.now(), hash: randomHex(random, hashLength) },
    ...{ address: fields.textOrEmpty('address'), memo: fields.text('memo'), fee },
  };
  return { id };
}

const refundMs = 60_000;

function refundHistory({ state, account, fields }: Call) {
  const [ticker, depositId] = [fields.text('ticker')?.toUpperCase(), fields.text('depositId')];
  const now = state.clock.now();
  const found = state.records.canceledDeposits
    .of(account)
    .filter((one) => (ticker === undefined || one.ticker === ticker) && (depositId ?? one.id) === one.id)
    .flatMap(({ refund, ...deposit }) => (refund === undefined ? [] : [{ refund, deposit }]))
    .sort((one, other) => other.refund.at - one.refund.at)
    .map(({ refund: { id, at, address, memo = null, fee, hash }, deposit }) => {
      const { ticker, network, amount } = deposit;
      const hasEnded = now >= at + refundMs;
      return {
        ...{ depositId: deposit.id, currency: ticker, ticker, network, depositAmount: amount, refundId: id, memo },
        ...{ refundAddress: address, refundAmount: amount.minus(fee), refundHash: hasEnded ? hash : null },
        status: hasEnded ? 'successful' : 'in_process',
        createdAt: unixSeconds(at),
        processedAt: hasEnded ? unixSeconds(at + refundMs) : null,
      };
    });
  return fields.page(found);
}

const expressMs = 90_000;
const maxExpressUsdt = 10_000;

function expressPayment(call: Call) {
  const { state, account, fields } = call;
  const ticker = tickerOf(call, 422);
  const amount = decimal(fields.amount());
  if (ticker === 'USDT' && amount.isGreaterThan(maxExpressUsdt)) throw refused(191, 'amount', 'Amount is too big');
  const key = fields.textOrEmpty('externalId');
  const opened = state.records.paymentPages
    .of(account)
    .find((page) => page.kind === 'express' && page.key === key && page.at + expressMs > state.clock.now());
  if (opened !== undefined && (opened.ticker !== ticker || !opened.amount.isEqualTo(amount)))
    throw refused(18, 'externalId', 'External id is already used');
  const { token, at } = opened ?? openPage(call, { kind: 'express', key, ticker, amount });
  const expireAt = new Date(at + expressMs).toISOString().slice(0, 19).replace('T', ' ');
  return jsonResponse(201, { url: `https://pay.example/express?token=${token}`, expireAt });
}

function openPage({ state, account }: Call, terms: Pick<PaymentPage, 'kind' | 'key' | 'ticker' | 'amount'>) {
  const opened: PaymentPage = { ...terms, account, at: state.clock.now(), token: pageToken(state.random) };
  state.records.paymentPages.push(opened);
  return opened;
}

const tokenLength = 32;

export function pageToken(random: () => number): string {
  return randomHex(random, tokenLength);
}

const tokenSeconds = 3600;

function cardGatewayToken({ state }: Call) {
  return { data: { token: pageToken(state.random), expires_at: unixSeconds(state.clock.now()) + tokenSeconds } };
}
