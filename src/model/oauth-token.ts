// The tokens of a user who authorized an application.
import type * as v from 'valibot';
import * as t from './tolerant.js';

const tokenFields = {
  /** Authorizes requests in the name of the user. */
  access_token: t.text,
  /** Lifetime of the access token, seconds. */
  expires_in: t.optionalNumber,
  /** Refreshes the tokens, once; of a refresh, it replaces the one of the request. Absent for an application that gets a key. */
  refresh_token: t.optionalText,
  /** Scope names, separated by commas. */
  scope: t.optionalText,
  /** Type of the access token: `Bearer`. */
  token_type: t.optionalText,
};

const refreshedFields = {
  ...tokenFields,
  /** Replaces the refresh token of the request, which is no longer valid. */
  refresh_token: t.text,
};

/** An access token, and a refresh token. Both are secrets. */
export interface OAuthToken extends t.RecordOf<typeof tokenFields> {}

/** The tokens of a refresh, which replace those before. Both are secrets. Unknown fields are kept. */
export interface RefreshedTokens extends t.RecordOf<typeof refreshedFields> {}

export const refreshedSchema: v.GenericSchema<unknown, RefreshedTokens> = t.record(refreshedFields);

export const tokenSchema: v.GenericSchema<unknown, OAuthToken> = t.record(tokenFields);
