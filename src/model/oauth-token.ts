// The tokens of OAuth 2.0.
import * as v from 'valibot';

export const oauthTokenSchema = v.looseObject({
  /** What requests in the user's name are made with. */
  access_token: v.string(),
  /** How long the access token lives, seconds. */
  expires_in: v.number(),
  /** Replaces the one that was used, which is used up. */
  refresh_token: v.string(),
  /** Scope names, separated by commas. */
  scope: v.string(),
  /** What kind of token it is: `Bearer`. */
  token_type: v.string(),
});

/** An access token and the refresh token that replaces the one used. Both are secrets. */
export interface OAuthToken extends v.InferOutput<typeof oauthTokenSchema> {}
