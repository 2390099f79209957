// The accounts that the main account has: sub-accounts, and accounts of the mining pool.
import type * as v from 'valibot';
import { optional, optionalFlag, optionalNumber, optionalText, record, text, type RecordOf } from './tolerant.js';

const kycFields = {
  /** Whether the sub-account shares the identity verification (KYC) of the main account. */
  shareKyc: optionalFlag,
  /** Status of the identity verification, as the exchange sends it, such as `shared` or `verified`. */
  kycStatus: optionalText,
};

/** The identity verification of a sub-account. Unknown fields are kept. */
export interface SubAccountKyc extends RecordOf<typeof kycFields> {}

const permissionFields = {
  /** Whether the sub-account may trade on spot markets. */
  spotEnabled: optionalFlag,
  /** Whether the sub-account may trade on collateral. */
  collateralEnabled: optionalFlag,
};

/** The permissions of a sub-account. Unknown fields are kept. */
export interface SubAccountPermissions extends RecordOf<typeof permissionFields> {}

const subAccountFields = {
  /** UUID of the sub-account. */
  id: text,
  /** Name that the main account gave it. */
  alias: optionalText,
  /** The exchange's identifier of its user. */
  userId: optionalText,
  /** Email address, masked. */
  email: optionalText,
  /** Status, as the exchange sends it, such as `active`. */
  status: optionalText,
  /** Hex color. */
  color: optionalText,
  /** Identity verification (KYC). */
  kyc: optional<SubAccountKyc>(record(kycFields)),
  /** Which markets it may trade. */
  permissions: optional<SubAccountPermissions>(record(permissionFields)),
};

/** A sub-account of the main account. Unknown fields are kept. */
export interface SubAccount extends RecordOf<typeof subAccountFields> {}

export const subAccountSchema: v.GenericSchema<unknown, SubAccount> = record(subAccountFields);

const miningAccountFields = {
  /** Name of the account. */
  name: text,
  /** Time of creation, Unix seconds. */
  createdAt: optionalNumber,
};

/** An account of the mining pool. Unknown fields are kept. */
export interface MiningAccount extends RecordOf<typeof miningAccountFields> {}

export const miningAccountSchema: v.GenericSchema<unknown, MiningAccount> = record(miningAccountFields);
