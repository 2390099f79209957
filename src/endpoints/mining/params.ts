// What the requests of the mining pool share.
import * as v from 'valibot';
import { text } from '../fields.js';

/** Published for `mining/*`, each endpoint by itself. */
export const rateLimit = { limit: 1000, windowMs: 10_000 };

export const accountName = v.pipe(
  text,
  v.nonEmpty('must not be empty'),
  v.maxLength(255, 'must be at most 255 characters'),
);

export const accountParams = {
  /** Name of the account. */
  account: accountName,
};
