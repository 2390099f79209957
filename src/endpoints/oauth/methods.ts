// Written by `npm run docs`: the methods of `exchange.oauth`.
import type { CallOptions } from '../../client/index.js';
import type { Observable } from 'rxjs';
import type { RefreshTokenParams, RefreshedToken } from './refresh-token.js';

/** The methods of `exchange.oauth`. */
export interface OauthEndpoints {
  /**
   * Exchanges a refresh token for a new access token and a new refresh token, without the user. Access tokens are valid
   * for 300 s, refresh tokens for 600 s.
   *
   * The call invalidates the refresh token, so it is never retried after an ambiguous failure. After an error with
   * `outcome: 'unknown'` the user has to authorize the application again.
   *
   * `POST /oauth2/refresh_token` · authenticated by its parameters · 1 request / 1 s · retried only when it is known that
   * it was not executed
   *
   * @throws {@link AnyExchangeError} the errors of every call
   * @see docs/reference/oauth.md#oauthrefreshtoken
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
  readonly refreshToken: (params: RefreshTokenParams, options?: CallOptions) => Observable<RefreshedToken>;
}
