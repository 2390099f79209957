// What an application reads of the user who authorized it, by an access token.
import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import type { Balance, TradeBalance } from '../../model/balances.js';
import type { Deal } from '../../model/deal.js';
import type { HistoricalOrder } from '../../model/order.js';
import * as t from '../../model/tolerant.js';
import type { TransactionPage } from '../../model/transaction.js';
import { mainBalance as ownMainBalance } from '../account/main-balance.js';
import { transactionHistory } from '../account/transactions.js';
import { history as convertHistory, type ConversionPage, type ConvertHistoryParams } from '../convert/convert.js';
import { marketName, text, type ParamsOf } from '../fields.js';
import { conversionParams, pageParams, type PageParams } from '../list-params.js';
import { dealsByMarket } from '../orders/deals.js';
import { history as orderHistory } from '../orders/history.js';
import { dataOf, emptyResponse } from '../responses.js';
import { balance as ownSpotBalance } from '../spot/balance.js';

const tokenParams = {
  /**
   * The user's access token, a secret: see `oauthCredentials`. RFC 6750, 2.1; a text of fewer than 8 characters could not be
   * hidden in others.
   */
  access_token: v.pipe(
    text,
    v.regex(/^[\w.~+/=-]{8,}$/, 'must be an access token: at least 8 letters, digits and -._~+/='),
  ),
};

/** Parameters of a request in the name of a user. */
export interface UserParams extends ParamsOf<typeof tokenParams> {}

/** Parameters of a list in the name of a user. */
export interface UserListParams extends UserParams, PageParams {}

const marketParams = {
  /** Only this market. */
  market: v.exactOptional(marketName),
};

/** Parameters of a list of a market in the name of a user. */
export interface UserMarketParams extends UserListParams, ParamsOf<typeof marketParams> {}

/** Parameters of {@link converts}. */
export interface UserConversionParams extends UserParams, ConvertHistoryParams {}

/** The user's orders that have ended, by market. */
export interface UserOrders extends Record<string, HistoricalOrder[]> {}

/** The user's deals, by market. */
export interface UserDeals extends Record<string, Deal[]> {}

const ofUser = { authentication: 'bearer', safety: 'read', request: v.strictObject(tokenParams) } as const;
const listOfUser = { ...ofUser, request: v.strictObject({ ...tokenParams, ...pageParams }) } as const;
const marketOfUser = {
  ...ofUser,
  request: v.strictObject({ ...tokenParams, ...marketParams, ...pageParams }),
} as const;

/**
 * Lists the user's deposits and withdrawals, as `account.transactionHistory`. Needs the scope `users.transactions.read`.
 *
 * @example
 * ```ts
 * exchange.oauth.transactions({ access_token: 'access-token' }).subscribe(({ records }) => console.log(records.length));
 * ```
 */
export const transactions: Endpoint<UserListParams, TransactionPage> = defineEndpoint({
  name: 'oauth.transactions',
  path: '/api/v4/accounts/transactions',
  ...listOfUser,
  response: transactionHistory.response,
});

/**
 * Lists the user's conversions of a period, as `convert.history`: without `from` and `to`, the list may be empty. Needs the
 * scope `users.converts.read`.
 *
 * @example
 * ```ts
 * const to = Math.floor(Date.now() / 1000);
 * exchange.oauth
 *   .converts({ access_token: 'access-token', from: to - 86_400, to })
 *   .subscribe(({ records }) => console.log(records.length));
 * ```
 */
export const converts: Endpoint<UserConversionParams, ConversionPage> = defineEndpoint({
  name: 'oauth.converts',
  path: '/api/v4/accounts/converts',
  ...ofUser,
  request: v.strictObject({ ...tokenParams, ...conversionParams, ...pageParams }),
  response: convertHistory.response,
});

/**
 * Lists the user's orders that have ended, as `orders.history`. Needs the scope `users.orders.read`.
 *
 * @example
 * ```ts
 * exchange.oauth.orders({ access_token: 'access-token' }).subscribe((byMarket) => console.log(Object.keys(byMarket)));
 * ```
 */
export const orders: Endpoint<UserMarketParams, UserOrders> = defineEndpoint({
  name: 'oauth.orders',
  path: '/api/v4/accounts/orders',
  ...marketOfUser,
  response: orderHistory.response,
});

/**
 * Lists the user's deals, as `orders.dealsByMarket`. Needs the scope `users.deals.read`.
 *
 * @example
 * ```ts
 * exchange.oauth.deals({ access_token: 'access-token' }).subscribe((byMarket) => console.log(Object.keys(byMarket)));
 * ```
 */
export const deals: Endpoint<UserMarketParams, UserDeals> = defineEndpoint({
  name: 'oauth.deals',
  path: '/api/v4/accounts/deals',
  ...marketOfUser,
  response: dealsByMarket.response,
});

/**
 * Reads the user's main balance, as `account.mainBalance`. Needs the scope `users.balances.read`.
 *
 * @example
 * ```ts
 * exchange.oauth.mainBalance({ access_token: 'access-token' }).subscribe((balance) => console.log(balance['BTC']));
 * ```
 */
export const mainBalance: Endpoint<UserParams, Balance> = defineEndpoint({
  name: 'oauth.mainBalance',
  path: '/api/v4/accounts/balances/main',
  ...ofUser,
  response: ownMainBalance.response,
});

/**
 * Reads the user's spot balance, as `spot.balance`. Needs the scope `users.balances.read`.
 *
 * @example
 * ```ts
 * exchange.oauth.spotBalance({ access_token: 'access-token' }).subscribe((balance) => console.log(balance['BTC']));
 * ```
 */
export const spotBalance: Endpoint<UserParams, TradeBalance> = defineEndpoint({
  name: 'oauth.spotBalance',
  path: '/api/v4/accounts/balances/spot',
  ...ofUser,
  response: ownSpotBalance.response,
});

const permissionFields = {
  /** Name of the permission. */
  name: t.optionalText,
  /** Its name in the language of the user. */
  title: t.optionalText,
};

/** A permission of a key. Unknown fields, such as its endpoints, are kept. */
export interface KeyPermission extends t.RecordOf<typeof permissionFields> {}

const infoFields = {
  /** Whether the user has made a key for the application. */
  exists: t.optionalFlag,
  /** Whether it may be used. One that exists and may not be used has to be deleted by the user. */
  isEnabled: t.optionalFlag,
  /** Identifies the key: for {@link apiKeySecret} and {@link deleteApiKey}. Absent without a key. */
  externalId: t.optionalText,
  /** What it may do: decide by `name`. */
  permissions: t.optional(t.partOf<KeyPermission>(t.record(permissionFields))),
};

/** The user's key for an application. Unknown fields are kept. */
export interface UserApiKey extends t.RecordOf<typeof infoFields> {}

/**
 * Reads what the user's key for the application is. On `baseUrls.global` only. Needs the scope `apikeys.read`.
 *
 * @example
 * ```ts
 * exchange.oauth.apiKeyInfo({ access_token: 'access-token' }).subscribe(({ exists, isEnabled }) => console.log(exists, isEnabled));
 * ```
 */
export const apiKeyInfo: Endpoint<UserParams, UserApiKey> = defineEndpoint({
  name: 'oauth.apiKeyInfo',
  method: 'GET',
  path: '/oauth2/api-key/info',
  ...ofUser,
  response: dataOf<UserApiKey>(t.record(infoFields)),
});

const keyParams = {
  ...tokenParams,
  /** `externalId` of the key. */
  externalId: text,
};

/** Parameters that name the user's key for an application. */
export interface UserApiKeyParams extends ParamsOf<typeof keyParams> {}

const secretFields = {
  /** The secret of the key. */
  apiSecret: t.text,
};

/** The secret of a user's key. Unknown fields are kept. */
export interface UserApiKeySecret extends t.RecordOf<typeof secretFields> {}

/**
 * Reads the secret of the user's key. The exchange gives it **once**: after an error with `outcome: 'unknown'` it is lost, and the
 * user has to make another key. It is never retried after an ambiguous failure. Status 423: wait 5 to 60 s.
 *
 * @example
 * ```ts
 * exchange.oauth
 *   .apiKeySecret({ access_token: 'access-token', externalId: '0f6b8a3e-6b1c-4f0a-9a53-4b7c60f3a5d2' })
 *   .subscribe(() => console.log('write it down'));
 * ```
 */
export const apiKeySecret: Endpoint<UserApiKeyParams, UserApiKeySecret> = defineEndpoint({
  name: 'oauth.apiKeySecret',
  method: 'GET',
  path: '/oauth2/api-key/{externalId}/secret',
  authentication: 'bearer',
  safety: 'once',
  request: v.strictObject(keyParams),
  response: dataOf<UserApiKeySecret>(t.record(secretFields)),
  errorCodes: [{ status: 409, reason: 'duplicate' }],
});

/**
 * Deletes the user's key for the application, if it is active; the exchange tells the user. Needs the scope `apikeys.delete`.
 *
 * @example
 * ```ts
 * exchange.oauth
 *   .deleteApiKey({ access_token: 'access-token', externalId: '0f6b8a3e-6b1c-4f0a-9a53-4b7c60f3a5d2' })
 *   .subscribe(() => console.log('deleted'));
 * ```
 */
export const deleteApiKey: Endpoint<UserApiKeyParams, unknown[]> = defineEndpoint({
  name: 'oauth.deleteApiKey',
  method: 'DELETE',
  path: '/oauth2/api-key/{externalId}',
  authentication: 'bearer',
  safety: 'idempotent',
  key: ({ externalId }) => externalId,
  request: v.strictObject(keyParams),
  response: emptyResponse,
});
