import * as v from 'valibot';
import { defineEndpoint, recordLookup, type Endpoint } from '../../endpoint/index.js';
import { decimal } from '../../model/decimal.js';
import * as t from '../../model/tolerant.js';
import { isAmountOf, isRequested } from '../agrees-on.js';
import { assetTicker, type ParamsOf, positiveDecimalWith, text } from '../fields.js';
import { mainAccountRateLimit } from '../rate-limits.js';
import { codeHistory, myCodes, type CodeHistoryPage, type MyCodePage } from './code-lists.js';

const maxPassphraseLength = 25;

const passphrase = v.pipe(
  text,
  v.nonEmpty('must not be empty'),
  v.maxLength(maxPassphraseLength, `must be at most ${maxPassphraseLength} characters`),
  v.regex(/^\S*$/, 'must not contain spaces'),
);

const maxDescriptionLength = 280;

const maxDecimals = 18;

const maxAmount = '100000000000000000';

const createParams = {
  /** The asset, such as `USDT`. Not fiat money. */
  ticker: assetTicker,
  /** Amount, in the asset: at most 1e17, with at most 18 decimals. The main balance pays it. */
  amount: v.pipe(
    positiveDecimalWith(maxDecimals),
    v.check((amount) => !decimal(amount).isGreaterThan(maxAmount), 'must be at most 1e17'),
  ),
  /** Needed to redeem the code, at most 25 characters, without spaces. A secret. */
  passphrase: v.exactOptional(passphrase),
  /** A note of yours, at most 280 characters. No list shows it. */
  description: v.exactOptional(
    v.pipe(text, v.maxLength(maxDescriptionLength, `must be at most ${maxDescriptionLength} characters`)),
  ),
};

/** Parameters of {@link createCode}. All of them are confidential. */
export interface CreateCodeParams extends ParamsOf<typeof createParams> {}

const createdFields = {
  /** The code. A secret: who has it, and its passphrase, has the money. */
  code: v.pipe(t.text, v.nonEmpty('must not be empty')),
  /** What the exchange says. Absent when the code was looked up. */
  message: t.optionalText,
  /** The exchange's identifier of the code. Not a secret. */
  external_id: t.optionalText,
};

/** A new code. Unknown fields are kept. */
export interface CreatedCode extends t.RecordOf<typeof createdFields> {}

/**
 * Creates a code that another account of the exchange redeems, and debits the main balance. It needs the client's
 * `allowWithdrawals`, because a code is money: keep it out of logs.
 *
 * The exchange has no key for it. A request whose response was lost is looked up in {@link myCodes}: only a code that was
 * not listed before the request, and has its asset and amount, is taken for its own. No list shows passphrases and
 * descriptions, so the outcome is `unknown` when another program creates codes of the same amount at the same time.
 *
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 *
 * const createCode$ = (exchange: Exchange) =>
 *   exchange.account.createCode({ ticker: 'USDT', amount: '25', passphrase: 'a-secret' });
 * ```
 */
export const createCode: Endpoint<CreateCodeParams, CreatedCode> = defineEndpoint({
  name: 'account.createCode',
  path: '/api/v4/main-account/codes',
  rateLimit: mainAccountRateLimit,
  safety: 'once',
  movesMoneyOut: true,
  confidential: true,
  request: v.strictObject(createParams),
  response: t.record(createdFields),
  errorCodes: [
    { code: 5, reason: 'insufficient-balance' },
    { code: 3, reason: 'amount' },
    { code: 4, reason: 'amount' },
  ],
  recordLookup: recordLookup({
    compares: 'ticker and amount of the codes that are new with account.myCodes',
    list: myCodes,
    itemsOf: ({ data }: MyCodePage) => data,
    idOf: ({ code }) => code,
    madeAt: ({ date }) => date,
    matches: (made, { ticker, amount }) => isRequested(ticker, made.ticker) && isAmountOf(made.amount, amount),
    outputOf: ({ code, external_id }) => ({ code, ...(external_id === undefined ? {} : { external_id }) }),
  }),
});

const applyParams = {
  /** The code. A secret. */
  code: v.pipe(text, v.nonEmpty('must not be empty'), v.regex(/^\S*$/, 'must not contain spaces')),
  /** Its passphrase, if it has one. A secret. */
  passphrase: v.exactOptional(passphrase),
};

/** Parameters of {@link applyCode}. All of them are secrets. */
export interface ApplyCodeParams extends ParamsOf<typeof applyParams> {}

const appliedFields = {
  /** What the exchange says. Absent when the redemption was looked up. */
  message: t.optionalText,
  /** The asset. */
  ticker: t.text,
  /** Amount that the main balance received, in the asset. */
  amount: t.decimalText,
  /** The exchange's identifier of the code. Not a secret. */
  external_id: t.optionalText,
};

/** A redeemed code. Unknown fields are kept. */
export interface AppliedCode extends t.RecordOf<typeof appliedFields> {}

/**
 * Redeems a code of another account: the main balance receives its amount. An account cannot redeem its own codes.
 *
 * A code is redeemed once. A request whose response was lost, or that was refused, is looked up in {@link codeHistory} by
 * the code, so a refusal takes some seconds. `other` means that the code or its passphrase is wrong, that the code is
 * one of the account, or that another account has redeemed it: the exchange does not say which.
 *
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 *
 * const applyCode$ = (exchange: Exchange, code: string, passphrase: string) =>
 *   exchange.account.applyCode({ code, passphrase });
 * ```
 */
export const applyCode: Endpoint<ApplyCodeParams, AppliedCode> = defineEndpoint({
  name: 'account.applyCode',
  path: '/api/v4/main-account/codes/apply',
  rateLimit: [{ limit: 60, windowMs: 1000 }, mainAccountRateLimit],
  safety: 'keyed',
  confidential: true,
  request: v.strictObject(applyParams),
  response: t.record(appliedFields),
  recordLookup: recordLookup({
    compares: 'code with account.codeHistory',
    list: codeHistory,
    itemsOf: ({ data }: CodeHistoryPage) => data,
    madeAt: ({ date }) => date,
    // A code is a UUID with a prefix: it is the same in any case.
    matches: ({ code: used, amount }, { code }) => isRequested(code, used) && decimal(amount).isGreaterThan(0),
    outputOf: ({ ticker, amount, external_id }) => ({
      ticker,
      amount,
      ...(external_id === undefined ? {} : { external_id }),
    }),
    // The exchange refuses a second redemption as it refuses a wrong code.
    after: ['other'],
  }),
});
