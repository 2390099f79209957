import * as v from 'valibot';
import { defineEndpoint, recordLookup, type Endpoint } from '../../endpoint/index.js';
import { pageOf, type PageOf } from '../../model/paging.js';
import * as t from '../../model/tolerant.js';
import { isRequestedPage } from '../agrees-on.js';
import { assetTicker, oneOf, rule, text, unixSeconds, type ParamsOf } from '../fields.js';
import { pageParams, type PageParams } from '../list-params.js';

const assetFields = {
  /** The asset. */
  asset: t.text,
  /** Its network. Absent: it has none. */
  network: t.optionalText,
};

/** An asset whose addresses can be checked. Unknown fields are kept. */
export interface CheckableAsset extends t.RecordOf<typeof assetFields> {}

/**
 * Lists the assets whose addresses can be checked. The key needs the permission "Address Checker".
 *
 * @example
 * ```ts
 * exchange.compliance.checkableAssets().subscribe((assets) => console.log(assets.length));
 * ```
 */
export const checkableAssets: Endpoint<object, CheckableAsset[]> = defineEndpoint({
  name: 'compliance.checkableAssets',
  path: '/api/v4/aml/checks/assets',
  safety: 'read',
  response: t.listOf<CheckableAsset>(t.record(assetFields)),
});

const checkFields = {
  /** UUID of the check. */
  id: t.text,
  /** The asset. */
  asset: t.optionalText,
  /** Its network. */
  network: t.optionalText,
  /** The address. */
  address: t.optionalText,
  /** `In progress`, `Failed` or `Success`; in the history `in_progress`, `failed` or `success`. A failed check is free. */
  status: t.optionalText,
  /** `low`, `medium` or `high`. */
  riskLevel: t.optionalEnum(['low', 'medium', 'high']),
  /** Why. */
  riskDescription: t.optionalText,
  /** When it ended, Unix seconds. */
  checkedAt: t.optionalNumber,
};

/** The check of an address. Unknown fields are kept. */
export interface AddressCheck extends t.RecordOf<typeof checkFields> {}

/** A page of checks. */
export interface AddressCheckPage extends PageOf<AddressCheck> {}

const idParams = {
  /** `id` of the check. */
  id: text,
};

/** Parameters of {@link addressCheck}. */
export interface AddressCheckParams extends ParamsOf<typeof idParams> {}

/**
 * Reads the check of an address, which ends within a minute, at most 3.
 *
 * @example
 * ```ts
 * exchange.compliance
 *   .addressCheck({ id: '0f6b8a3e-6b1c-4f0a-9a53-4b7c60f3a5d2' })
 *   .subscribe(({ status, riskLevel }) => console.log(status, riskLevel));
 * ```
 */
export const addressCheck: Endpoint<AddressCheckParams, AddressCheck> = defineEndpoint({
  name: 'compliance.addressCheck',
  path: '/api/v4/aml/checks/result',
  safety: 'read',
  confidential: true,
  request: v.strictObject(idParams),
  response: t.record(checkFields),
});

const list = v.array(text, 'must be a list');

const historyParams = {
  /** Only checks of this address. */
  address: v.exactOptional(text),
  /** Only checks of these assets. */
  asset: v.exactOptional(list),
  /** Only checks on these networks, together with `asset`. */
  network: v.exactOptional(list),
  /** Only checks of these states. */
  status: v.exactOptional(v.array(oneOf(['in_progress', 'success', 'failed']), 'must be a list')),
  /** Only checks of these levels. */
  riskLevel: v.exactOptional(v.array(oneOf(['low', 'medium', 'high']), 'must be a list')),
  /** Only checks from this time on, Unix seconds. */
  from: v.exactOptional(unixSeconds),
  /** Only checks up to this time, Unix seconds. */
  to: v.exactOptional(unixSeconds),
};

/** Parameters of {@link addressCheckHistory}. */
export interface AddressCheckHistoryParams extends PageParams, ParamsOf<typeof historyParams> {}

/**
 * Lists a page of the checks of addresses, 100 without `limit`.
 *
 * @example
 * ```ts
 * exchange.compliance
 *   .addressCheckHistory({ riskLevel: ['high'] })
 *   .subscribe(({ data }) => console.log(data.map(({ riskDescription }) => riskDescription)));
 * ```
 */
export const addressCheckHistory: Endpoint<AddressCheckHistoryParams, AddressCheckPage> = defineEndpoint({
  name: 'compliance.addressCheckHistory',
  path: '/api/v4/aml/checks/history',
  safety: 'read',
  page: { defaultLimit: 100 },
  confidential: true,
  request: v.pipe(
    v.strictObject({ ...historyParams, ...pageParams }),
    rule('network', ({ network, asset }) => network === undefined || asset !== undefined, 'needs asset'),
  ),
  response: pageOf<AddressCheck>(t.record(checkFields)),
  matchesRequest: isRequestedPage,
});

const createParams = {
  /** The asset. */
  asset: assetTicker,
  /** The address. */
  address: v.pipe(text, v.nonEmpty('must not be empty')),
  /** Network of the asset: see {@link checkableAssets}. */
  network: v.exactOptional(text),
};

/** Parameters of {@link createAddressCheck}. */
export interface CreateAddressCheckParams extends ParamsOf<typeof createParams> {}

const madeFields = {
  /** UUID of the check. */
  id: t.text,
};

/** A check that was started. Unknown fields are kept. */
export interface MadeAddressCheck extends t.RecordOf<typeof madeFields> {}

/**
 * Starts the check of an address, which costs 2 USDT of the main balance when it succeeds. {@link addressCheck} reads its
 * result. After a lost response it is looked up in {@link addressCheckHistory}, by asset and address. A refusal has no `id`:
 * after the lookups it ends with outcome `not-executed`.
 *
 * @example
 * ```ts
 * exchange.compliance
 *   .createAddressCheck({ asset: 'USDT', network: 'TRC20', address: 'TXxaddress' })
 *   .subscribe(({ id }) => console.log(id));
 * ```
 */
export const createAddressCheck: Endpoint<CreateAddressCheckParams, MadeAddressCheck> = defineEndpoint({
  name: 'compliance.createAddressCheck',
  path: '/api/v4/aml/checks/create',
  safety: 'once',
  confidential: true,
  request: v.strictObject(createParams),
  response: t.record(madeFields),
  recordLookup: recordLookup({
    compares: 'asset and address with compliance.addressCheckHistory',
    list: addressCheckHistory,
    itemsOf: ({ data }) => data,
    idOf: ({ id }) => id,
    matches: (check, { asset, address }) => (check.asset ?? asset) === asset && (check.address ?? address) === address,
    outputOf: ({ id }) => ({ id }),
  }),
});
