import * as v from 'valibot';
import { defineEndpoint, recordLookup, type Endpoint, type ErrorCode } from '../../endpoint/index.js';
import { decimal } from '../../model/decimal.js';
import { emptyResponse } from '../responses.js';
import { assetTicker, flag, oneOf, positiveDecimal, text, type ParamsOf } from '../fields.js';
import { mainAccountRateLimit } from '../rate-limits.js';
import type { Transaction } from '../../model/transaction.js';
import { transactionHistory } from './transactions.js';
import { withdrawalCheck } from './withdrawal-check.js';

const optionalText = v.exactOptional(text);
const personAddress = { country: optionalText, city: optionalText };

/** Of the recipient: which fields are needed depends on the provider. */
const beneficiaryFields = {
  /** First name. */
  firstName: optionalText,
  /** Last name. */
  lastName: optionalText,
  /** Telephone number. */
  phone: optionalText,
  /** Email address. */
  email: optionalText,
  /** Date of birth. */
  birthDate: optionalText,
  /** Tax number, or another code of the person. */
  code: optionalText,
  /** Token of a card, in place of `address`. */
  cardToken: optionalText,
  /** Whether the token of the card is kept. */
  cardTokenSave: v.exactOptional(flag),
  /** Session of the device's fingerprint. */
  fingerprintSession: optionalText,
  /** Address of the recipient. */
  address: v.exactOptional(
    v.strictObject({ ...personAddress, line1: optionalText, line2: optionalText, zip: optionalText }),
  ),
  /** Bank of the recipient. */
  bank: v.exactOptional(v.looseObject({}, 'must be an object')),
};

/** The recipient of a withdrawal. */
export interface Beneficiary extends ParamsOf<typeof beneficiaryFields> {}

const beneficiarySchema: v.GenericSchema<Beneficiary> = v.strictObject(beneficiaryFields);

/** Data for the travel rule. */
const travelRuleFields = {
  /** `hosted`: the wallet of a provider, which `vaspData` names. */
  walletType: oneOf(['hosted', 'unhosted']),
  /** The owner of the wallet. */
  beneficiary: v.exactOptional(
    v.strictObject({
      type: oneOf(['individual', 'entity']),
      firstName: optionalText,
      lastName: optionalText,
      fullName: optionalText,
      residenceCountry: optionalText,
      address: v.exactOptional(
        v.strictObject({ ...personAddress, postCode: optionalText, addressLine1: optionalText }),
      ),
    }),
  ),
  /** The provider of a hosted wallet: see `compliance.listVasps`. */
  vaspData: v.exactOptional(v.strictObject({ vaspId: optionalText, vaspName: optionalText })),
};

/** What the travel rule needs of a withdrawal. */
export interface TravelRule extends ParamsOf<typeof travelRuleFields> {}

const travelRuleSchema: v.GenericSchema<TravelRule> = v.strictObject(travelRuleFields);

const params = {
  /** The asset, such as `USDT`. */
  ticker: assetTicker,
  /** Amount, in the asset, above 0. */
  amount: positiveDecimal,
  /** The address, or the number of a card or an account. */
  address: v.pipe(text, v.nonEmpty('must not be empty')),
  /**
   * Your identifier of the withdrawal, at most 255 characters, unique for ever. Write it down before you subscribe: the same
   * call with the same identifier is the same withdrawal.
   */
  uniqueId: v.pipe(text, v.nonEmpty('must not be empty'), v.maxLength(255, 'must be at most 255 characters')),
  /** Network of a crypto asset, such as `TRC20`. Required where the asset has several. */
  network: v.exactOptional(text),
  /** Memo, or destination tag, of assets that have one. */
  memo: v.exactOptional(text),
  /** Payment provider of a fiat asset: one of `providers` of `public.assets`. */
  provider: v.exactOptional(text),
  /** Whether a fiat withdrawal may be paid in parts. */
  partialEnable: v.exactOptional(flag),
  /** IP address of the recipient, for some card payments. */
  customerIp: v.exactOptional(text),
  /** BIC of the recipient's bank, for SEPA and the like. */
  bankBic: v.exactOptional(text),
  /** Data of the recipient, as the provider needs them. */
  beneficiary: v.exactOptional(beneficiarySchema),
  /** Data for the travel rule, which the European Economic Area and Turkey need. */
  travelRule: v.exactOptional(travelRuleSchema),
  /** Purpose of the payment, for the Turkish exchange. */
  paymentDescription: v.exactOptional(text),
};

/** Parameters of {@link withdraw} and {@link withdrawExact}. */
export interface WithdrawParams extends ParamsOf<typeof params> {}

const errorCodes: readonly ErrorCode[] = [
  { status: 400, field: 'uniqueId', reason: 'duplicate' },
  { status: 400, field: 'unique_id', reason: 'duplicate' },
  { status: 422, code: 3, reason: 'amount' },
  { status: 422, code: 4, reason: 'amount' },
  { status: 422, code: 5, reason: 'insufficient-balance' },
  { status: 422, code: 6, reason: 'amount' },
  { status: 422, code: 7, reason: 'amount' },
  { status: 422, code: 8, reason: 'amount' },
];

/** The history does not say whether its amounts have the fee in them. */
function isDebitOf({ amount, fee = '0' }: Transaction, requested: string): boolean {
  const [shown, debited] = [decimal(amount), decimal(requested)];
  return [debited, debited.minus(fee), debited.plus(fee)].some((possible) => possible.isEqualTo(shown));
}

const lookup = recordLookup({
  compares: 'uniqueId, ticker and amount with account.transactionHistory',
  list: transactionHistory,
  paramsOf: () => ({ transactionMethod: 2 }),
  filterOf: ({ uniqueId }) => ({ uniqueId }),
  itemsOf: ({ records }) => records,
  madeAt: ({ createdAt }) => createdAt,
  matches: (transaction, { uniqueId, ticker, amount }) =>
    transaction.uniqueId === uniqueId &&
    (transaction.method ?? 2) === 2 &&
    (transaction.ticker ?? ticker) === ticker &&
    isDebitOf(transaction, String(amount)),
  outputOf: () => [],
});

const shared = {
  rateLimit: mainAccountRateLimit,
  safety: 'keyed',
  movesMoneyOut: true,
  confidential: true,
  request: v.strictObject(params),
  wireNames: { uniqueId: 'unique_id' },
  response: emptyResponse,
  errorCodes,
  recordLookup: lookup,
} as const;

/**
 * Withdraws an amount from the main account; the fee is taken from the amount.
 * The exchange starts it at once. Emits an empty list when the exchange has accepted it: {@link transactionHistory} has its state. Needs `allowWithdrawals` of the
 * client, and a key with the right to withdraw.
 *
 * Network, memo, minimum and fee are checked by `public.assets` and `public.assetFees` before it is sent. After a lost response
 * it is looked up by `uniqueId`. It fails for 3 days after a change of the password, and without two-factor authentication.
 *
 * @example
 * ```ts
 * exchange.account
 *   .withdraw({ ticker: 'USDT', amount: '50', network: 'TRC20', address: 'TXxaddress', uniqueId: 'payout-2026-11-28' })
 *   .subscribe(() => console.log('accepted'));
 * ```
 */
export const withdraw: Endpoint<WithdrawParams, unknown[]> = defineEndpoint({
  name: 'account.withdraw',
  path: '/api/v4/main-account/withdraw',
  check: withdrawalCheck(true),
  ...shared,
});

/**
 * As {@link withdraw}, but the recipient gets the whole amount: the fee is debited in addition.
 *
 * @example
 * ```ts
 * exchange.account
 *   .withdrawExact({ ticker: 'USDT', amount: '50', network: 'TRC20', address: 'TXxaddress', uniqueId: 'invoice-17' })
 *   .subscribe(() => console.log('accepted'));
 * ```
 */
export const withdrawExact: Endpoint<WithdrawParams, unknown[]> = defineEndpoint({
  name: 'account.withdrawExact',
  path: '/api/v4/main-account/withdraw-pay',
  check: withdrawalCheck(false),
  ...shared,
});
