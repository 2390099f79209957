import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import * as t from '../../model/tolerant.js';
import { assetTicker, boundedInteger, type ParamsOf, positiveDecimal, rule, text } from '../fields.js';
import { mainAccountRateLimit } from '../rate-limits.js';

const link = v.pipe(text, v.url('must be a URL'), v.startsWith('https://', 'must begin with https://'));
const given = v.pipe(text, v.nonEmpty('must not be empty'));

const addressParams = {
  /** Street and number. */
  line1: v.exactOptional(given),
  /** Second line. */
  line2: v.exactOptional(given),
  /** City. */
  city: v.exactOptional(given),
  /** Postal code. */
  zipCode: v.exactOptional(given),
  /** Country, ISO 3166-1 alpha-2, such as `DE`. */
  countryCode: v.exactOptional(given),
};

/** The postal address of a customer. */
export interface FiatDepositAddress extends ParamsOf<typeof addressParams> {}

const addressSchema: v.GenericSchema<FiatDepositAddress> = v.strictObject(addressParams);

const customerParams = {
  /** First name. */
  firstName: v.exactOptional(given),
  /** Last name. */
  lastName: v.exactOptional(given),
  /** Email address. */
  email: v.exactOptional(given),
  /** Date of birth, `YYYY-MM-DD`; at least 18 years ago. */
  birthDate: v.exactOptional(v.pipe(text, v.isoDate('must be a date such as "1990-12-31"'))),
  /** Postal address. */
  address: v.exactOptional(addressSchema),
};

/** The customer who pays. */
export interface FiatDepositCustomer extends ParamsOf<typeof customerParams> {}

const customerSchema: v.GenericSchema<FiatDepositCustomer> = v.strictObject(customerParams, 'must be an object');

/** Of a key of yours. */
const maxUniqueIdLength = 255;

const params = {
  /** The asset, such as `EUR`. `providers.deposits` of {@link assets} lists the providers of an asset. */
  ticker: assetTicker,
  /** The payment provider, such as `VISAMASTER`. */
  provider: given,
  /** Amount of the deposit, in the asset. */
  amount: positiveDecimal,
  /** A key of yours for this deposit, at most 255 characters. The exchange accepts each key once. */
  uniqueId: v.pipe(given, v.maxLength(maxUniqueIdLength, `must be at most ${maxUniqueIdLength} characters`)),
  /** The customer who pays. Required for `VISAMASTER` in USD and EUR, and for `MERCURYO`. */
  customer: v.exactOptional(customerSchema),
  /** Where the customer is sent after the payment. HTTPS, on a domain that the exchange has approved for you. */
  successLink: v.exactOptional(link),
  /** Where the customer is sent when the payment failed. HTTPS, on an approved domain. */
  failureLink: v.exactOptional(link),
  /** Where the customer can return to. HTTPS, on an approved domain. */
  returnLink: v.exactOptional(link),
  /** Lifetime of the payment page, seconds, at most 86400. For `VISAMASTER` and `CHECKOUT` only. */
  expiresAfter: v.exactOptional(boundedInteger(1, 86_400)),
};

/** Parameters of {@link createFiatDeposit}. All of them are confidential. */
export interface CreateFiatDepositParams extends ParamsOf<typeof params> {}

type Fields = v.InferOutput<typeof paramsSchema>;

const paramsSchema = v.strictObject(params);

const needsCustomer = ({ provider, ticker }: Fields) =>
  provider === 'MERCURYO' || (provider === 'VISAMASTER' && ['USD', 'EUR'].includes(ticker));

const fields = {
  /** The page on which the customer pays. */
  url: v.pipe(t.text, v.nonEmpty('must not be empty')),
};

/** The payment page of a deposit. Unknown fields are kept. */
export interface FiatDeposit extends t.RecordOf<typeof fields> {}

/**
 * Creates a deposit of fiat money, and the page on which the customer pays it. The money arrives on the main balance
 * when it is paid. A customer who pays by SEPA must state `uniqueId` in the transfer. The exchange enables the endpoint
 * on request.
 *
 * The exchange accepts a `uniqueId` once: `duplicate` means that it was used before. No list shows the URL, so a request
 * whose response was lost has the outcome `unknown`: compare `uniqueId` with the deposits of the main account, and
 * create another deposit with another `uniqueId` if you need its page. A page that nobody pays moves no money.
 *
 * The parameter `address` of the exchange, a card number, is left out: card data do not belong into a program that is
 * not certified for them.
 *
 * @example
 * ```ts
 * import type { Exchange } from 'exchange-rx';
 *
 * const createFiatDeposit$ = (exchange: Exchange) =>
 *   exchange.account.createFiatDeposit({ ticker: 'UAH', provider: 'CHECKOUT', amount: '500', uniqueId: 'invoice-71' });
 * ```
 */
export const createFiatDeposit: Endpoint<CreateFiatDepositParams, FiatDeposit> = defineEndpoint({
  name: 'account.createFiatDeposit',
  path: '/api/v4/main-account/fiat-deposit-url',
  rateLimit: mainAccountRateLimit,
  safety: 'keyed',
  confidential: true,
  request: v.pipe(
    paramsSchema,
    rule<Fields>(
      'customer',
      (request) => request.customer !== undefined || !needsCustomer(request),
      'is required for VISAMASTER in USD and EUR, and for MERCURYO',
    ),
    rule<Fields>(
      'expiresAfter',
      ({ expiresAfter, provider }) => expiresAfter === undefined || ['VISAMASTER', 'CHECKOUT'].includes(provider),
      'is for VISAMASTER and CHECKOUT only',
    ),
  ),
  response: t.record(fields),
  errorCodes: [
    { code: 0, field: 'uniqueId', reason: 'duplicate' },
    { code: 0, field: 'amount', reason: 'amount' },
  ],
});
