// A sub-account of the main account.
import * as v from 'valibot';

export const subAccountSchema = v.looseObject({
  /** UUID of the sub-account. */
  id: v.string(),
  alias: v.string(),
  userId: v.optional(v.string()),
  /** The address, masked. */
  email: v.optional(v.string()),
  status: v.optional(v.string()),
  /** Hex colour. */
  color: v.optional(v.string()),
  kyc: v.optional(v.looseObject({ shareKyc: v.boolean(), kycStatus: v.string() })),
  permissions: v.optional(v.looseObject({ spotEnabled: v.boolean(), collateralEnabled: v.boolean() })),
});

/** A sub-account of the main account. Fields that are not known are kept. */
export interface SubAccount extends v.InferOutput<typeof subAccountSchema> {}
