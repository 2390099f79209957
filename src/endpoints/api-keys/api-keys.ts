import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { pageOf, type PageOf } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { isRequestedPage } from '../agrees-on.js';
import { emptyResponse } from '../responses.js';
import { flag, oneOf, text, type ParamsOf } from '../fields.js';
import { pageParams, type PageParams } from '../list-params.js';

const rateLimit = { limit: 1000, windowMs: 10_000 };

const accessFields = {
  /** Path of the endpoint. */
  name: t.optionalText,
  /** Its name on the exchange's pages, in the language of the account. */
  title: t.optionalText,
};

/** An endpoint that a key may call. Unknown fields are kept. */
export interface AccessEndpoint extends t.RecordOf<typeof accessFields> {}

const keyFields = {
  /** UUID of the key: `apiKeyId` of the other methods. */
  id: t.text,
  /** The sub-account. */
  subAccountId: t.optionalText,
  /** Name. */
  title: t.optionalText,
  /** Whether it may be used. */
  isEnabled: t.optionalFlag,
  /** The public key. */
  apiKey: t.optionalText,
  /** The secret, in the response of {@link create} only; empty in lists. */
  apiSecret: t.optionalText,
  /** `1`: reads and trades. `2`: deposits and withdraws, too. */
  type: t.optionalNumber,
  /** When it was used last, Unix seconds. */
  lastActivity: t.optionalNumber,
  /** Whether only some IP addresses may use it. */
  restrictAccess: t.optionalFlag,
  /** The endpoints that it may call. */
  accessEndpoints: t.optional(t.partOf<AccessEndpoint>(t.record(accessFields))),
};

/** A key of a sub-account. Unknown fields are kept. */
export interface SubAccountApiKey extends t.RecordOf<typeof keyFields> {}

/** A page of keys. */
export interface SubAccountApiKeyPage extends PageOf<SubAccountApiKey> {}

const keySchema: v.GenericSchema<unknown, SubAccountApiKey> = t.record(keyFields);

const createParams = {
  /** The sub-account. */
  subAccountId: text,
  /** `1`: reads and trades. `2`: deposits and withdraws, too. */
  type: oneOf([1, 2]),
  /** Name. */
  title: text,
};

/** Parameters of {@link create}. */
export interface CreateParams extends ParamsOf<typeof createParams> {}

/**
 * Creates a key of a sub-account. The response is the only one that has the secret. After a lost response its outcome stays
 * `unknown`, and the secret is lost: remove a key of this title that {@link list} shows, and create another one.
 *
 * @example
 * ```ts
 * exchange.apiKeys
 *   .create({ subAccountId: '8e667b4a-0b71-4988-8af5-9474dbfaeb51', type: 1, title: 'grid-bot' })
 *   .subscribe(({ apiKey }) => console.log(apiKey));
 * ```
 */
export const create: Endpoint<CreateParams, SubAccountApiKey> = defineEndpoint({
  name: 'apiKeys.create',
  path: '/api/v4/sub-account/api-key/create',
  rateLimit,
  safety: 'once',
  confidential: true,
  request: v.strictObject(createParams),
  response: keySchema,
});

const listParams = {
  /** Only keys of this sub-account. */
  subAccountId: v.exactOptional(text),
};

/** Parameters of {@link list}. */
export interface ListParams extends PageParams, ParamsOf<typeof listParams> {}

/**
 * Lists a page of the keys of sub-accounts, the newest first, 100 without `limit`, without their secrets.
 *
 * @example
 * ```ts
 * exchange.apiKeys.list({ limit: 10 }).subscribe(({ data }) => console.log(data.map(({ title }) => title)));
 * ```
 */
export const list: Endpoint<ListParams, SubAccountApiKeyPage> = defineEndpoint({
  name: 'apiKeys.list',
  path: '/api/v4/sub-account/api-key/list',
  rateLimit,
  safety: 'read',
  page: { defaultLimit: 100 },
  confidential: true,
  request: v.strictObject({ ...listParams, ...pageParams }),
  response: v.pipe(
    v.unknown(),
    v.transform((page) => (Array.isArray(page) ? { data: page as unknown[] } : page)),
    pageOf(keySchema),
  ),
  matchesRequest: isRequestedPage,
});

const idParams = {
  /** `id` of the key. */
  apiKeyId: text,
};

/** Parameters that name a key. */
export interface ApiKeyParams extends ParamsOf<typeof idParams> {}

const settingOf = {
  rateLimit,
  safety: 'idempotent',
  key: ({ apiKeyId }: { readonly apiKeyId: string }) => apiKeyId,
} as const;

const editParams = {
  ...idParams,
  /** Name. */
  title: text,
  /** Endpoints, by path, that the key may call or not. */
  urls: v.array(v.strictObject({ url: text, enable: flag }), 'must be a list of { url, enable }'),
};

/** Parameters of {@link edit}. */
export interface EditParams extends ParamsOf<typeof editParams> {}

/**
 * Replaces the name of a key, and the endpoints that it may call. Emits an empty list.
 *
 * @example
 * ```ts
 * exchange.apiKeys
 *   .edit({
 *     apiKeyId: '0f6b8a3e-6b1c-4f0a-9a53-4b7c60f3a5d2',
 *     title: 'grid-bot',
 *     urls: [{ url: '/api/v4/order/new', enable: true }],
 *   })
 *   .subscribe(() => console.log('edited'));
 * ```
 */
export const edit: Endpoint<EditParams, unknown[]> = defineEndpoint({
  name: 'apiKeys.edit',
  path: '/api/v4/sub-account/api-key/edit',
  ...settingOf,
  request: v.strictObject(editParams),
  response: emptyResponse,
});

/**
 * Deletes a key. Emits an empty list.
 *
 * @example
 * ```ts
 * exchange.apiKeys.remove({ apiKeyId: '0f6b8a3e-6b1c-4f0a-9a53-4b7c60f3a5d2' }).subscribe(() => console.log('deleted'));
 * ```
 */
export const remove: Endpoint<ApiKeyParams, unknown[]> = defineEndpoint({
  name: 'apiKeys.remove',
  path: '/api/v4/sub-account/api-key/delete',
  ...settingOf,
  request: v.strictObject(idParams),
  response: emptyResponse,
});

const ipsFields = {
  /** IP addresses that may use the key. */
  data: t.partOf(t.text),
};

/** The IP addresses of a key. Unknown fields are kept. */
export interface AllowedIps extends t.RecordOf<typeof ipsFields> {}

const ipsSchema: v.GenericSchema<unknown, AllowedIps> = t.record(ipsFields);

/**
 * Lists the IP addresses that may use a key.
 *
 * @example
 * ```ts
 * exchange.apiKeys
 *   .listIps({ apiKeyId: '0f6b8a3e-6b1c-4f0a-9a53-4b7c60f3a5d2' })
 *   .subscribe(({ data }) => console.log(data.length));
 * ```
 */
export const listIps: Endpoint<ApiKeyParams, AllowedIps> = defineEndpoint({
  name: 'apiKeys.listIps',
  path: '/api/v4/sub-account/api-key/ip-address/list',
  rateLimit,
  safety: 'read',
  confidential: true,
  request: v.strictObject(idParams),
  response: ipsSchema,
});

const ipParams = {
  ...idParams,
  /** The IP address. */
  ip: v.pipe(text, v.ip('must be an IP address')),
};

/** Parameters of {@link addIp} and {@link removeIp}. */
export interface AllowedIpParams extends ParamsOf<typeof ipParams> {}

const ipSettingOf = {
  rateLimit,
  safety: 'idempotent',
  confidential: true,
  key: ({ apiKeyId, ip }: { readonly apiKeyId: string; readonly ip: string }) => `${apiKeyId} ${ip}`,
  errorCodes: [{ status: 400, code: 5, reason: 'duplicate' }],
} as const;

/**
 * Adds an IP address that may use a key, at most 50. Emits all of them. Fails with `duplicate` for one that it has.
 *
 * @example
 * ```ts
 * exchange.apiKeys
 *   .addIp({ apiKeyId: '0f6b8a3e-6b1c-4f0a-9a53-4b7c60f3a5d2', ip: '203.0.113.7' })
 *   .subscribe(({ data }) => console.log(data));
 * ```
 */
export const addIp: Endpoint<AllowedIpParams, AllowedIps> = defineEndpoint({
  name: 'apiKeys.addIp',
  path: '/api/v4/sub-account/api-key/ip-address/create',
  ...ipSettingOf,
  request: v.strictObject(ipParams),
  response: ipsSchema,
});

/**
 * Removes an IP address of a key. Emits those that are left: without any, every address may use the key, perhaps. Fails with
 * `duplicate` for one that it does not have.
 *
 * @example
 * ```ts
 * exchange.apiKeys
 *   .removeIp({ apiKeyId: '0f6b8a3e-6b1c-4f0a-9a53-4b7c60f3a5d2', ip: '203.0.113.7' })
 *   .subscribe(({ data }) => console.log(data));
 * ```
 */
export const removeIp: Endpoint<AllowedIpParams, AllowedIps> = defineEndpoint({
  name: 'apiKeys.removeIp',
  path: '/api/v4/sub-account/api-key/ip-address/delete',
  ...ipSettingOf,
  request: v.strictObject(ipParams),
  response: ipsSchema,
});
