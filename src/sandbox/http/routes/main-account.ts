// What leads to the main account: deposit addresses, refunds of canceled deposits, pages on which others pay, and codes,
// which are created from a main balance and redeemed to another one.
import { decimal, formatDecimal, type Decimal } from '../../../model/decimal.js';
import { unixSeconds } from '../../clock.js';
import { randomHex, randomUuid } from '../../random.js';
import type { Code, PaymentPage } from '../../records.js';
import { invalid, invalidFields, refused, Rejection } from '../../rejection.js';
import { depositAddress } from '../../wallets.js';
import { per10s } from '../rate-limiter.js';
import { jsonResponse, page, signed, type Call, type Route } from '../route.js';
import { assetProfile, networkOf, tickerOf } from './assets.js';

const passphrase = { maxLength: 25 };
const codesPage = { fields: page(100, 30, 10_000) };

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
  money('codes', createCode, {
    ...{ required: ['ticker', 'amount'], fields: { passphrase, description: { maxLength: 280 } } },
  }),
  money('codes/apply', applyCode, {
    ...{ rateLimit: { limit: 60, windowMs: 1000 }, required: ['code'], fields: { passphrase } },
  }),
  money('codes/my', myCodes, codesPage),
  money('codes/history', codeHistory, codesPage),
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

function createCode(call: Call) {
  const { state, account, fields } = call;
  const { records, wallets, clock, random } = state;
  const [ticker, amount, passphrase] = [tickerOf(call), decimal(fields.amount()), fields.text('passphrase')];
  if (!wallets.debitWithdrawable({ account, asset: ticker, amount, reason: 'code' }))
    throw refused(5, 'amount', 'Insufficient balance');
  const [code, external_id] = [`WB${randomUuid(random)}${ticker}`, randomUuid(random)];
  records.codes.push({ account, at: clock.now(), code, external_id, ticker, amount, passphrase });
  return jsonResponse(201, { code, message: 'Code was successfully created', external_id });
}

function applyCode({ state, account, fields }: Call) {
  const { records, wallets, clock } = state;
  const [given, passphrase] = [fields.textOrEmpty('code'), fields.text('passphrase')];
  const found = records.codes.entries.find(({ code }) => code === given);
  if (found === undefined || found.account === account || found.passphrase !== passphrase)
    throw invalid(422, 0, 'code', 'Incorrect code or passphrase');
  if (found.redeemed !== undefined) throw invalid(422, 0, 'code', 'Code already applied');
  found.redeemed = { account, at: clock.now() };
  const { ticker, amount, external_id } = found;
  wallets.credit({ account, asset: ticker, amount, reason: 'code' });
  return jsonResponse(201, { message: 'Code was successfully applied', ticker, amount, external_id });
}

function myCodes({ state, account, fields }: Call) {
  const codes = state.records.codes.of(account).map((code) => codeRecord(code, code.at));
  return codePage(fields, codes);
}

function codeHistory({ state, account, fields }: Call) {
  const entries = state.records.codes.entries.flatMap((code) => [
    ...(code.account === account ? [codeRecord(code, code.at, '-')] : []),
    ...(code.redeemed?.account === account ? [codeRecord(code, code.redeemed.at, '+')] : []),
  ]);
  const newestFirst = entries.reverse().sort((one, other) => other.date - one.date);
  return codePage(fields, newestFirst);
}

function codeRecord({ code, ticker, amount, external_id, redeemed }: Code, at: number, sign = '') {
  const status = redeemed === undefined ? 'New' : 'Activated';
  return { amount: sign + formatDecimal(amount), code, date: unixSeconds(at), status, ticker, external_id };
}

function codePage(fields: Call['fields'], codes: readonly object[]) {
  return jsonResponse(201, { total: codes.length, ...fields.dataPage(codes) });
}
