import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { text, type ParamsOf } from '../fields.js';
import { type OAuthToken, tokenSchema } from '../../model/oauth-token.js';
import { dataOf } from '../responses.js';

const secret = v.pipe(text, v.nonEmpty('must not be empty'));

const params = {
  /** Client ID of the application. */
  client_id: secret,
  /** Client secret of the application. */
  client_secret: secret,
  /** The code that the user's browser brought back. It works once. */
  code: secret,
  /** For an application that gets a key of the user: the text whose SHA-256 was sent. */
  code_verifier: v.exactOptional(secret),
};

/** Parameters of {@link exchangeCode}. All of them are secrets and never part of an error. */
export interface ExchangeCodeParams extends ParamsOf<typeof params> {}

/**
 * Exchanges the code of an authorization for tokens. Access tokens are valid for 300 s; with `code_verifier` 4 hours, and
 * without a refresh token. A code works once: after an error with `outcome: 'unknown'` the user has to authorize again.
 *
 * @example
 * ```ts
 * exchange.oauth
 *   .exchangeCode({ client_id: 'my-application', client_secret: 'secret', code: 'code' })
 *   .subscribe(({ expires_in }) => console.log(expires_in));
 * ```
 */
export const exchangeCode: Endpoint<ExchangeCodeParams, OAuthToken> = defineEndpoint({
  name: 'oauth.exchangeCode',
  path: '/oauth2/token',
  rateLimit: { limit: 10_000, windowMs: 10_000 },
  authentication: 'form',
  safety: 'once',
  request: v.strictObject(params),
  response: dataOf(tokenSchema),
});
