// An account of the mining pool.
import type * as v from 'valibot';
import { optionalNumber, record, text, type RecordOf } from './tolerant.js';

const miningAccountFields = {
  /** Name of the account. */
  name: text,
  /** Time of creation, Unix seconds. */
  createdAt: optionalNumber,
};

/** An account of the mining pool. Unknown fields are kept. */
export interface MiningAccount extends RecordOf<typeof miningAccountFields> {}

export const miningAccountSchema: v.GenericSchema<unknown, MiningAccount> = record(miningAccountFields);
