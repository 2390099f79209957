// An account of the mining pool.
import * as v from 'valibot';

export const miningAccountSchema = v.looseObject({
  /** Its name. */
  name: v.string(),
  /** When it was made, Unix seconds. */
  createdAt: v.number(),
});

/** An account of the mining pool. Fields that are not known are kept. */
export interface MiningAccount extends v.InferOutput<typeof miningAccountSchema> {}
