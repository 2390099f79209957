// An account of the mining pool.
import type * as v from 'valibot';
import { optionalNumber, record, text } from './tolerant.js';

export const miningAccountSchema = record({
  /** Its name. */
  name: text,
  /** When it was made, Unix seconds. */
  createdAt: optionalNumber,
});

/** An account of the mining pool. Fields that are not known are kept. */
export interface MiningAccount extends v.InferOutput<typeof miningAccountSchema> {}
