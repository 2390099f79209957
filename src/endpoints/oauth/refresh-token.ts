import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../../endpoint/index.js';
import { refreshedSchema } from '../../model/oauth-token.js';
import * as t from '../../model/tolerant.js';
import type { ParamsOf } from '../fields.js';

const secret = v.pipe(v.string('must be a string'), v.nonEmpty('must not be empty'));

const params = {
  /** Client ID of the application. */
  client_id: secret,
  /** Client secret of the application. */
  client_secret: secret,
  /** Refresh token. The call invalidates it. */
  token: secret,
};

const fields = {
  /** The new tokens. */
  data: refreshedSchema,
};

/** Parameters of {@link refreshToken}. All of them are secrets and never part of an error. */
export interface RefreshTokenParams extends ParamsOf<typeof params> {}

/** The new tokens, in `data`. Unknown fields are kept. */
export interface RefreshedToken extends t.RecordOf<typeof fields> {}

/**
 * Exchanges a refresh token for a new access token and a new refresh token, without the user. Access tokens are valid
 * for 300 s, refresh tokens for 600 s.
 *
 * The call invalidates the refresh token, so it is never retried after an ambiguous failure, also by a later
 * subscription of the same observable. After an error with
 * `outcome: 'unknown'` the user has to authorize the application again.
 *
 * @example
 * ```ts
 * import { createExchange } from 'exchange-rx';
 * import { createSandbox } from 'exchange-rx/sandbox';
 *
 * const sandbox = createSandbox();
 * const exchange = createExchange(sandbox.clientOptions());
 * const { clientId, clientSecret, refreshToken } = sandbox.oauthClient;
 * exchange.oauth
 *   .refreshToken({ client_id: clientId, client_secret: clientSecret, token: refreshToken })
 *   .subscribe(({ data }) => console.log(`${data.token_type}, for ${data.expires_in} s`));
 * ```
 */
export const refreshToken: Endpoint<RefreshTokenParams, RefreshedToken> = defineEndpoint({
  name: 'oauth.refreshToken',
  path: '/oauth2/refresh_token',
  rateLimit: { limit: 1, windowMs: 1000 },
  authentication: 'form',
  safety: 'once',
  confidential: true,
  request: v.strictObject(params),
  response: t.record(fields),
});
