// Codes: created from a main balance, and redeemed to another one.
import { decimal } from '../../../model/decimal.js';
import { invalid, refused } from '../../rejection.js';
import { jsonResponse, page, type SignedCall } from '../route.js';
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
  money('codes/my', ({ state, account, fields }) => listed(fields, state.codes.createdBy(account)), paged),
  money('codes/history', ({ state, account, fields }) => listed(fields, state.codes.historyOf(account)), paged),
];

function createCode(call: SignedCall) {
  const { state, account, fields } = call;
  const terms = { account, ticker: tickerOf(call), amount: decimal(fields.amount()) };
  const made = state.codes.create({ ...terms, passphrase: fields.text('passphrase') });
  if (made === undefined) throw refused(5, 'amount', 'Insufficient balance');
  const { code, external_id } = made;
  return jsonResponse(201, { code, message: 'Code was successfully created', external_id });
}

function applyCode({ state, account, fields }: SignedCall) {
  const found = state.codes.find(account, fields.textOrEmpty('code'), fields.text('passphrase'));
  if (found === undefined) throw invalid(422, 0, 'code', 'Incorrect code or passphrase');
  if (found.redeemed !== undefined) throw invalid(422, 0, 'code', 'Code already applied');
  const { ticker, amount, external_id } = state.codes.redeem(account, found);
  return jsonResponse(201, { message: 'Code was successfully applied', ticker, amount, external_id });
}

function listed(fields: SignedCall['fields'], codes: readonly object[]) {
  return jsonResponse(201, { total: codes.length, ...fields.dataPage(codes) });
}
