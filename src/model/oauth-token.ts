// The tokens of OAuth 2.0.
import type * as v from 'valibot';
import { optionalNumber, optionalText, record, text } from './tolerant.js';

export const oauthTokenSchema = record({
  /** What requests in the user's name are made with. */
  access_token: text,
  /** How long the access token lives, seconds. */
  expires_in: optionalNumber,
  /** Replaces the one that was used, which is used up. */
  refresh_token: text,
  /** Scope names, separated by commas. */
  scope: optionalText,
  /** What kind of token it is: `Bearer`. */
  token_type: optionalText,
});

/** An access token and the refresh token that replaces the one used. Both are secrets. */
export interface OAuthToken extends v.InferOutput<typeof oauthTokenSchema> {}
