// The accounts that the main account has: sub-accounts, and accounts of the mining pool.
import type * as v from 'valibot';
import * as t from './tolerant.js';

const kycFields = {
  /** Whether the sub-account shares the identity verification (KYC) of the main account. */
  shareKyc: t.optionalFlag,
  /** Status of the identity verification, as the exchange sends it, such as `shared` or `verified`. */
  kycStatus: t.optionalText,
};

/** The identity verification of a sub-account. Unknown fields are kept. */
export interface SubAccountKyc extends t.RecordOf<typeof kycFields> {}

const permissionFields = {
  /** Whether the sub-account may trade on spot markets. */
  spotEnabled: t.optionalFlag,
  /** Whether the sub-account may trade on collateral. */
  collateralEnabled: t.optionalFlag,
};

/** The permissions of a sub-account. Unknown fields are kept. */
export interface SubAccountPermissions extends t.RecordOf<typeof permissionFields> {}

const subAccountFields = {
  /** UUID of the sub-account. */
  id: t.text,
  /** Name that the main account gave it. */
  alias: t.optionalText,
  /** The exchange's identifier of its user. */
  userId: t.optionalText,
  /** Email address, masked. */
  email: t.optionalText,
  /** Status, as the exchange sends it, such as `active`. */
  status: t.optionalText,
  /** Hex color. */
  color: t.optionalText,
  /** Identity verification (KYC). */
  kyc: t.optional<SubAccountKyc>(t.record(kycFields)),
  /** Which markets it may trade. */
  permissions: t.optional<SubAccountPermissions>(t.record(permissionFields)),
};

/** A sub-account of the main account. Unknown fields are kept. */
export interface SubAccount extends t.RecordOf<typeof subAccountFields> {}

export const subAccountSchema: v.GenericSchema<unknown, SubAccount> = t.record(subAccountFields);

const miningAccountFields = {
  /** Name of the account. */
  name: t.text,
  /** Time of creation, Unix seconds. */
  createdAt: t.optionalNumber,
};

/** An account of the mining pool. Unknown fields are kept. */
export interface MiningAccount extends t.RecordOf<typeof miningAccountFields> {}

export const miningAccountSchema: v.GenericSchema<unknown, MiningAccount> = t.record(miningAccountFields);
