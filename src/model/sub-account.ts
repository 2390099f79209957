// A sub-account of the main account.
import * as v from 'valibot';

export const subAccountSchema = v.looseObject({
  /** UUID of the sub-account. */
  id: v.string(),
  /** The name it was given. */
  alias: v.string(),
  /** The exchange's identifier of its user. */
  userId: v.optional(v.string()),
  /** The address, masked. */
  email: v.optional(v.string()),
  /** Its state, in the exchange's words. */
  status: v.optional(v.string()),
  /** Hex colour. */
  color: v.optional(v.string()),
  /** Whether its user is identified. */
  kyc: v.optional(
    v.looseObject({
      /** Whether it shares the main account's identification (KYC). */
      shareKyc: v.boolean(),
      /** The state of the identification, in the exchange's words. */
      kycStatus: v.string(),
    }),
  ),
  /** What it may trade. */
  permissions: v.optional(
    v.looseObject({
      /** Whether it may trade on the spot markets. */
      spotEnabled: v.boolean(),
      /** Whether it may trade on collateral. */
      collateralEnabled: v.boolean(),
    }),
  ),
});

/** A sub-account of the main account. Fields that are not known are kept. */
export interface SubAccount extends v.InferOutput<typeof subAccountSchema> {}
