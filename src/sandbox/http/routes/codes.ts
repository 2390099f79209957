// Codes: created from a main balance, and redeemed to another one.
import { decimal, formatDecimal } from '../../../model/decimal.js';
import { unixSeconds } from '../../clock.js';
import { randomUuid } from '../../random.js';
import type { Code } from '../../records.js';
import { invalid, refused } from '../../rejection.js';
import { jsonResponse, page, type Call } from '../route.js';
import { tickerOf } from './assets.js';
import { money } from './main-account.js';

const passphrase = { maxLength: 25 };
const paged = { fields: page(100, 30, 10_000) };

export const codesRoutes = [
  money('codes', createCode, {
    ...{ required: ['ticker', 'amount'], fields: { passphrase, description: { maxLength: 280 } } },
  }),
  money('codes/apply', applyCode, {
    ...{ rateLimit: { limit: 60, windowMs: 1000 }, required: ['code'], fields: { passphrase } },
  }),
  money('codes/my', myCodes, paged),
  money('codes/history', codeHistory, paged),
];

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
  const codes = state.records.codes.of(account).map((code) => record(code, code.at));
  return listed(fields, codes);
}

function codeHistory({ state, account, fields }: Call) {
  const entries = state.records.codes.entries.flatMap((code) => [
    ...(code.account === account ? [record(code, code.at, '-')] : []),
    ...(code.redeemed?.account === account ? [record(code, code.redeemed.at, '+')] : []),
  ]);
  const newestFirst = entries.reverse().sort((one, other) => other.date - one.date);
  return listed(fields, newestFirst);
}

function record({ code, ticker, amount, external_id, redeemed }: Code, at: number, sign = '') {
  const status = redeemed === undefined ? 'New' : 'Activated';
  return { amount: sign + formatDecimal(amount), code, date: unixSeconds(at), status, ticker, external_id };
}

function listed(fields: Call['fields'], codes: readonly object[]) {
  return jsonResponse(201, { total: codes.length, ...fields.dataPage(codes) });
}
