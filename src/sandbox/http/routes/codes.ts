// Codes: created from a main balance, and redeemed to another one.
import { decimal } from '../../../model/decimal.js';
import { innerValidationMessage, invalid, Rejection } from '../../rejection.js';
import { jsonResponse, page, per10s, signed, type SignedCall } from '../route.js';
import { isAsset } from './assets.js';
import { requireFields } from './main-account.js';

const rateLimit = per10s(1000);
const listTerms = { rateLimit, fields: page(100, 30, 10_000) };

export const codesRoutes = [
  signed('/api/v4/main-account/codes', createCode, {
    rateLimit,
    fields: { passphrase: { maxLength: 25 }, description: { maxLength: 280 } },
  }),
  signed('/api/v4/main-account/codes/apply', applyCode, {
    rateLimit: { limit: 60, windowMs: 1000 },
    fields: { passphrase: { maxLength: 25 } },
  }),
  signed(
    '/api/v4/main-account/codes/my',
    ({ state, account, fields }) => listed(fields, state.registry.codes.createdBy(account)),
    listTerms,
  ),
  signed(
    '/api/v4/main-account/codes/history',
    ({ state, account, fields }) => listed(fields, state.registry.codes.historyOf(account)),
    listTerms,
  ),
];

function createCode({ state, account, fields }: SignedCall) {
  requireFields(fields, 'ticker', 'amount');
  const ticker = fields.textOrEmpty('ticker');
  if (!isAsset(state, ticker)) throw invalid(400, 0, 'ticker', 'The selected ticker is invalid.');
  const amount = decimal(fields.amount());
  const passphrase = fields.text('passphrase');
  const made = state.registry.codes.create({ account, ticker, amount, passphrase });
  if (made === undefined) throw new Rejection(422, 5, innerValidationMessage, { amount: ['Insufficient balance'] });
  const { code, external_id } = made;
  return jsonResponse(201, { code, message: 'Code was successfully created', external_id });
}

function applyCode({ state, account, fields }: SignedCall) {
  requireFields(fields, 'code');
  const code = fields.textOrEmpty('code');
  const found = state.registry.codes.find(account, code, fields.text('passphrase'));
  if (found === undefined) throw invalid(422, 0, 'code', 'Incorrect code or passphrase');
  if (found.redeemed !== undefined) throw invalid(422, 0, 'code', 'Code already applied');
  const { ticker, amount, external_id } = state.registry.codes.redeem(account, found);
  return jsonResponse(201, { message: 'Code was successfully applied', ticker, amount, external_id });
}

function listed(fields: SignedCall['fields'], codes: readonly object[]) {
  return jsonResponse(201, { total: codes.length, ...fields.dataPage(codes) });
}
