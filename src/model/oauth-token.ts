// The tokens of OAuth 2.0.
import type * as v from 'valibot';
import { optionalNumber, optionalText, record, text, type RecordOf } from './tolerant.js';

const oauthTokenFields = {
  /** Authorizes requests in the name of the user. */
  access_token: text,
  /** Lifetime of the access token, seconds. */
  expires_in: optionalNumber,
  /** Replaces the refresh token of the request, which is no longer valid. */
  refresh_token: text,
  /** Scope names, separated by commas. */
  scope: optionalText,
  /** Type of the access token: `Bearer`. */
  token_type: optionalText,
};

/** An access token, and the refresh token that replaces the one of the request. Both are secrets. */
export interface OAuthToken extends RecordOf<typeof oauthTokenFields> {}

export const oauthTokenSchema: v.GenericSchema<unknown, OAuthToken> = record(oauthTokenFields);
