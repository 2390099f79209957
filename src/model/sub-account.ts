// A sub-account of the main account.
import type * as v from 'valibot';
import { optional, optionalFlag, optionalText, record, text } from './tolerant.js';

export const subAccountSchema = record({
  /** UUID of the sub-account. */
  id: text,
  /** The name it was given. */
  alias: optionalText,
  /** The exchange's identifier of its user. */
  userId: optionalText,
  /** The address, masked. */
  email: optionalText,
  /** Its state, in the exchange's words. */
  status: optionalText,
  /** Hex colour. */
  color: optionalText,
  /** Whether its user is identified. */
  kyc: optional(
    record({
      /** Whether it shares the main account's identification (KYC). */
      shareKyc: optionalFlag,
      /** The state of the identification, in the exchange's words. */
      kycStatus: optionalText,
    }),
  ),
  /** What it may trade. */
  permissions: optional(
    record({
      /** Whether it may trade on the spot markets. */
      spotEnabled: optionalFlag,
      /** Whether it may trade on collateral. */
      collateralEnabled: optionalFlag,
    }),
  ),
});

/** A sub-account of the main account. Fields that are not known are kept. */
export interface SubAccount extends v.InferOutput<typeof subAccountSchema> {}
