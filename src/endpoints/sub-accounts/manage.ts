import * as v from 'valibot';
import { defineEndpoint, recordLookup, type Endpoint, type WireFields } from '../../endpoint/index.js';
import { type SubAccount, subAccountSchema } from '../../model/accounts.js';
import * as t from '../../model/tolerant.js';
import { agreesOn } from '../agrees-on.js';
import { emptyResponse } from '../responses.js';
import { flag, rule, text, type ParamsOf } from '../fields.js';
import { list } from './list.js';

const rateLimit = { limit: 1000, windowMs: 10_000 };

const alias = v.pipe(text, v.nonEmpty('must not be empty'));

/** Which markets it may trade: both have to be given. */
const permissions = v.strictObject({ spotEnabled: flag, collateralEnabled: flag });

const createParams = {
  /** Name, unique among the sub-accounts. */
  alias,
  /** Which markets it may trade. */
  permissions,
  /** Email address of its user, who gets an invitation. Required unless `shareKyc` is true. */
  email: v.exactOptional(text),
  /** Whether it shares the identity verification (KYC) of the main account. */
  shareKyc: v.exactOptional(flag),
};

/** Parameters of {@link create}. */
export interface CreateParams extends ParamsOf<typeof createParams> {}

/**
 * Creates a sub-account. After a lost response it is looked up in {@link list}, by its alias; one of the same alias with other
 * permissions, another identity verification or another email address is not taken for it.
 *
 * @example
 * ```ts
 * exchange.subAccounts
 *   .create({ alias: 'grid-bot', shareKyc: true, permissions: { spotEnabled: true, collateralEnabled: false } })
 *   .subscribe(({ id }) => console.log(id));
 * ```
 */
export const create: Endpoint<CreateParams, SubAccount> = defineEndpoint({
  name: 'subAccounts.create',
  path: '/api/v4/sub-account/create',
  rateLimit,
  safety: 'keyed',
  confidential: true,
  request: v.pipe(
    v.strictObject(createParams),
    rule(
      'email',
      ({ email, shareKyc }) => email !== undefined || shareKyc === true,
      'is required unless shareKyc is true',
    ),
  ),
  response: subAccountSchema,
  errorCodes: [{ status: 400, field: 'alias', reason: 'duplicate' }],
  recordLookup: recordLookup({
    compares: 'alias, permissions, shareKyc and email with subAccounts.list',
    list,
    filterOf: ({ alias: search }) => ({ search }),
    itemsOf: ({ data }) => data,
    matches: isMadeBy,
    outputOf: (subAccount) => subAccount,
  }),
});

/** Whether a sub-account has what a request gave it, as far as the list shows it. */
function isMadeBy({ alias: shown, permissions: allowed, kyc, email = '' }: SubAccount, requested: WireFields): boolean {
  const { permissions: wanted, shareKyc = false, email: address } = requested;
  // The list shows an address as `a***@example.com`.
  const [start = '', end = ''] = [/^[^*]*/, /[^*]*$/].map((part) => part.exec(email.toLowerCase())?.[0]);
  const given = typeof address === 'string' && email !== '' ? address.toLowerCase() : start + end;
  return (
    shown === requested['alias'] &&
    agreesOn('spotEnabled', 'collateralEnabled')(wanted, allowed) &&
    agreesOn('shareKyc')({ shareKyc }, kyc) &&
    given.startsWith(start) &&
    given.endsWith(end)
  );
}

const idParams = {
  /** UUID of the sub-account. */
  id: text,
};

/** Parameters that name a sub-account. */
export interface SubAccountParams extends ParamsOf<typeof idParams> {}

const editParams = {
  ...idParams,
  /** Name. */
  alias,
  /** Which markets it may trade. */
  permissions,
};

/** Parameters of {@link edit}. */
export interface EditParams extends ParamsOf<typeof editParams> {}

const settingOf = { rateLimit, safety: 'idempotent', key: ({ id }: { readonly id: string }) => id } as const;

/**
 * Replaces name and permissions of a sub-account. Emits an empty list.
 *
 * @example
 * ```ts
 * exchange.subAccounts
 *   .edit({
 *     id: '8e667b4a-0b71-4988-8af5-9474dbfaeb51',
 *     alias: 'grid-bot-2',
 *     permissions: { spotEnabled: true, collateralEnabled: true },
 *   })
 *   .subscribe(() => console.log('edited'));
 * ```
 */
export const edit: Endpoint<EditParams, unknown[]> = defineEndpoint({
  name: 'subAccounts.edit',
  path: '/api/v4/sub-account/edit',
  ...settingOf,
  request: v.strictObject(editParams),
  response: emptyResponse,
});

/**
 * Deletes a sub-account. Emits an empty list.
 *
 * @example
 * ```ts
 * exchange.subAccounts.remove({ id: '8e667b4a-0b71-4988-8af5-9474dbfaeb51' }).subscribe(() => console.log('deleted'));
 * ```
 */
export const remove: Endpoint<SubAccountParams, unknown[]> = defineEndpoint({
  name: 'subAccounts.remove',
  path: '/api/v4/sub-account/delete',
  ...settingOf,
  request: v.strictObject(idParams),
  response: emptyResponse,
});

/**
 * Blocks a sub-account: its keys are refused. Emits an empty list.
 *
 * @example
 * ```ts
 * exchange.subAccounts.block({ id: '8e667b4a-0b71-4988-8af5-9474dbfaeb51' }).subscribe(() => console.log('blocked'));
 * ```
 */
export const block: Endpoint<SubAccountParams, unknown[]> = defineEndpoint({
  name: 'subAccounts.block',
  path: '/api/v4/sub-account/block',
  ...settingOf,
  request: v.strictObject(idParams),
  response: emptyResponse,
});

/**
 * Ends the block of a sub-account. Emits an empty list.
 *
 * @example
 * ```ts
 * exchange.subAccounts.unblock({ id: '8e667b4a-0b71-4988-8af5-9474dbfaeb51' }).subscribe(() => console.log('active'));
 * ```
 */
export const unblock: Endpoint<SubAccountParams, unknown[]> = defineEndpoint({
  name: 'subAccounts.unblock',
  path: '/api/v4/sub-account/unblock',
  ...settingOf,
  request: v.strictObject(idParams),
  response: emptyResponse,
});

const linkFields = {
  /** The page on which its user verifies the identity. */
  url: t.text,
  /** How long it is valid, seconds. */
  expiresIn: t.optionalNumber,
};

/** Where the user of a sub-account verifies the identity. Unknown fields are kept. */
export interface KycLink extends t.RecordOf<typeof linkFields> {}

/**
 * Creates a page on which the user of a sub-account verifies the identity (KYC).
 *
 * @example
 * ```ts
 * exchange.subAccounts.kycLink({ id: '8e667b4a-0b71-4988-8af5-9474dbfaeb51' }).subscribe(({ expiresIn }) => console.log(expiresIn));
 * ```
 */
export const kycLink: Endpoint<SubAccountParams, KycLink> = defineEndpoint({
  name: 'subAccounts.kycLink',
  path: '/api/v4/sub-account/kyc-url',
  rateLimit,
  safety: 'read',
  confidential: true,
  request: v.strictObject(idParams),
  response: t.record(linkFields),
});
