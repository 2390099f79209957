import * as v from 'valibot';
import { defineEndpoint, type Endpoint } from '../define-endpoint.js';
import { oauthTokenSchema } from '../../model/oauth-token.js';
import { record } from '../../model/tolerant.js';

const secret = v.pipe(v.string('must be a string'), v.nonEmpty('must not be empty'));

const request = v.strictObject({
  /** The application's client ID. */
  client_id: secret,
  /** The application's client secret. */
  client_secret: secret,
  /** The refresh token; this call uses it up. */
  token: secret,
});

const response = record({
  /** The new tokens. The refresh token in it replaces the one that was used. */
  data: oauthTokenSchema,
});

/** Parameters of {@link refreshToken}. All are secrets; none is ever part of an error. */
export interface RefreshTokenParams extends v.InferInput<typeof request> {}

/** The new tokens, in `data`. */
export interface RefreshedToken extends v.InferOutput<typeof response> {}

/**
 * Exchanges a refresh token for a new access token and a new refresh token, without the user. Access tokens live 300 s,
 * refresh tokens 600 s.
 *
 * The refresh token is used up by the call, so the call is not repeated: after an error with `outcome: 'unknown'` the
 * user has to authorize anew.
 *
 * Errors: those of every call, see {@link AnyExchangeError}.
 *
 * `POST /oauth2/refresh_token` · authenticated by the form · limit group `oauth`, 1 request / 1 s
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
  method: 'POST',
  path: '/oauth2/refresh_token',
  rateLimit: { limit: 1, windowMs: 1000 },
  authentication: 'form',
  safety: 'once',
  confidential: true,
  request,
  response,
});
