import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { assetTicker, type ParamsOf, positiveDecimal, text } from '../fields.js';
import { mainAccountRateLimit } from '../rate-limits.js';

const params = {
  /** The asset, such as `USDT`. Not fiat money. */
  ticker: assetTicker,
  /** Amount that the user pays, in the asset; worth at most 10000 USDT. */
  amount: positiveDecimal,
  /** A key of yours for this payment, such as the number of an invoice. */
  externalId: v.pipe(text, v.nonEmpty('must not be empty')),
};

/** Parameters of {@link createExpressPayment}. All of them are confidential. */
export interface CreateExpressPaymentParams extends ParamsOf<typeof params> {}

const fields = {
  /** The page on which the user pays. A secret: it contains the token of the payment. */
  url: v.pipe(t.text, v.nonEmpty('must not be empty')),
  /** When the page expires, 90 s after its creation: `YYYY-MM-DD HH:MM:SS`, UTC. */
  expireAt: t.optionalText,
};

/** The payment page. Unknown fields are kept. */
export interface ExpressPayment extends t.RecordOf<typeof fields> {}

/**
 * Creates a page on which another user of the exchange pays you from their balance. For business partners of the
 * exchange. Your main balance receives the money once the user pays: {@link mainBalance} shows it.
 *
 * The page is valid for 90 s. The same `externalId`, `ticker` and `amount` give the same page while it is valid, so a
 * request whose response was lost may be called again: it charges nobody. `duplicate` means that `externalId` was used
 * with another `ticker` or `amount` (code 18), or that it is paid (code 19).
 *
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 *
 * const createExpressPayment$ = (exchange: Exchange) =>
 *   exchange.account.createExpressPayment({ ticker: 'USDT', amount: '40', externalId: 'invoice-71' });
 * ```
 */
export const createExpressPayment: Endpoint<CreateExpressPaymentParams, ExpressPayment> = defineEndpoint({
  name: 'account.createExpressPayment',
  path: '/api/v4/main-account/express-withdraw/token',
  // No limit of its own is published.
  rateLimit: [{ limit: 10_000, windowMs: 10_000 }, mainAccountRateLimit],
  safety: 'keyed',
  confidential: true,
  request: v.strictObject(params),
  response: t.record(fields),
  errorCodes: [
    { code: 18, reason: 'duplicate' },
    { code: 19, reason: 'duplicate' },
    { code: 191, reason: 'amount' },
  ],
});
