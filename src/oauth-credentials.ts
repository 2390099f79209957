// OAuth 2.0 for applications that act for users: the page of the authorization, and tokens that are kept fresh.
import {
  catchError,
  concatMap,
  defer,
  distinctUntilChanged,
  map,
  of,
  repeat,
  share,
  throwError,
  timer,
  type Observable,
} from 'rxjs';
import { LookupError, RequestError, toExchangeError, type AnyExchangeError } from './errors/index.js';
import type { RefreshedToken } from './endpoints/index.js';
import type { Exchange } from './exchange.js';
import type { OAuthToken } from './model/oauth-token.js';

/** How the user's browser is sent to the exchange. */
export interface AuthorizationRequest {
  /** The address of the exchange, such as `baseUrls.global`. */
  readonly baseUrl: string;
  /** Client ID of the application. */
  readonly clientId: string;
  /** Comes back with the code: compare it, against forged answers. */
  readonly state?: string;
  /** For an application that gets a key of the user: where the browser comes back. */
  readonly redirectUri?: string;
  /** For an application that gets a key of the user: the SHA-256 of its `code_verifier`, base64url. */
  readonly codeChallenge?: string;
}

/**
 * The page of the exchange on which a user authorizes the application. Send the user's browser there; it comes back with a code
 * for {@link exchangeCode}. It is no request.
 *
 * @example
 * ```ts
 * import { authorizationUrl, baseUrls } from 'exchange-rx';
 *
 * console.log(authorizationUrl({ baseUrl: baseUrls.global, clientId: 'my-application', state: 'random' }));
 * ```
 */
export function authorizationUrl(request: AuthorizationRequest): string {
  const { baseUrl, clientId, state, redirectUri, codeChallenge } = request;
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/auth/login`);
  url.searchParams.set('clientId', clientId);
  if (state !== undefined) url.searchParams.set('state', state);
  if (redirectUri !== undefined) url.searchParams.set('redirect_uri', redirectUri);
  if (codeChallenge !== undefined) {
    url.searchParams.set('code_challenge', codeChallenge);
    url.searchParams.set('code_challenge_method', 'S256');
  }
  return url.href;
}

/** The tokens of a user, as a program keeps them. Both are secrets. */
export interface UserTokens {
  /** Authorizes requests in the name of the user. */
  readonly accessToken: string;
  /** Refreshes both, once. */
  readonly refreshToken: string;
  /** When the access token ends, Unix milliseconds. */
  readonly expiresAt: number;
}

/** Options of {@link oauthCredentials}. */
export interface OAuthCredentialsOptions {
  /** The client that refreshes the tokens. */
  readonly exchange: Pick<Exchange, 'oauth'>;
  /** Client ID of the application. */
  readonly clientId: string;
  /** Client secret of the application. */
  readonly clientSecret: string;
  /** The tokens that the program has kept: those of {@link userTokens}, or what `save` got last. */
  readonly tokens: UserTokens;
  /**
   * Keeps new tokens. They are used when it has returned, or when its promise has resolved: a refresh token works once, so
   * tokens that are not kept are lost with the process. When it fails, the refresh fails with its error as `cause`, and the new
   * tokens are given to it again at the next subscription.
   */
  readonly save: (tokens: UserTokens) => void | Promise<void>;
  /**
   * How long before its end an access token is refreshed, milliseconds.
   *
   * @default 30000
   */
  readonly refreshBeforeMs?: number;
}

/** The tokens of a user, kept fresh: see {@link oauthCredentials}. */
export interface OAuthCredentials {
  /**
   * Emits an access token that works, and completes; refreshes it before, where it ends soon. Concurrent subscribers share one
   * refresh. After a refresh whose response was lost, it fails with {@link LookupError} and outcome `unknown`, for ever: the
   * exchange may have replaced both tokens, and the user has to authorize the application again.
   */
  readonly accessToken$: Observable<string>;
  /**
   * Emits an access token that works, and each one that replaces it, before it ends; never completes. A refresh token ends
   * 10 minutes after it was made: a program that may send no request for so long stays subscribed. Fails as `accessToken$`
   * does; after an error with another outcome than `unknown`, subscribe again.
   */
  readonly renewals$: Observable<string>;
}

const defaultRefreshBeforeMs = 30_000;
/** Published for access tokens. */
const defaultLifeSeconds = 300;
/** Between two refreshes, where tokens end sooner than `refreshBeforeMs`. The exchange accepts one a second. */
const minPauseMs = 1000;

/**
 * The tokens of an authorization, or of a refresh, as they are kept.
 *
 * @param now Unix milliseconds
 * @throws {@link RequestError} for tokens without a refresh token, which cannot be kept fresh.
 * @example
 * ```ts
 * import { userTokens, type Exchange } from 'exchange-rx';
 *
 * const first = (exchange: Exchange, code: string) =>
 *   exchange.oauth
 *     .exchangeCode({ client_id: 'my-application', client_secret: 'secret', code })
 *     .subscribe((token) => console.log(userTokens(token).expiresAt));
 * ```
 */
export function userTokens(token: OAuthToken, now = Date.now()): UserTokens {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in = defaultLifeSeconds } = token;
  if (refreshToken === undefined)
    throw new RequestError('userTokens', [
      { field: 'refresh_token', message: 'is missing: the tokens cannot be refreshed' },
    ]);
  return { accessToken, refreshToken, expiresAt: now + expires_in * 1000 };
}

/**
 * Keeps the tokens of a user fresh.
 *
 * @example
 * ```ts
 * import { oauthCredentials, type Exchange, type UserTokens } from 'exchange-rx';
 * import { switchMap } from 'rxjs';
 *
 * const userBalance$ = (exchange: Exchange, tokens: UserTokens, save: (tokens: UserTokens) => Promise<void>) => {
 *   const user = oauthCredentials({ exchange, clientId: 'my-application', clientSecret: 'secret', tokens, save });
 *   return user.accessToken$.pipe(switchMap((access_token) => exchange.oauth.mainBalance({ access_token })));
 * };
 * ```
 */
export function oauthCredentials(options: OAuthCredentialsOptions): OAuthCredentials {
  const { exchange, clientId, clientSecret, save, refreshBeforeMs = defaultRefreshBeforeMs } = options;
  let { tokens } = options;
  /** New tokens that could not be kept yet. */
  let unsaved: UserTokens | undefined;
  let lost: AnyExchangeError | undefined;
  /** One observable for each refresh token: left in flight, it is not sent again, and its outcome is unknown. */
  let refreshing: { readonly token: string; readonly output$: Observable<RefreshedToken> } | undefined;

  const keep = (next: UserTokens): Observable<string> => {
    unsaved = next;
    return defer(async () => {
      await save(next);
    }).pipe(
      map(() => {
        tokens = next;
        unsaved = undefined;
        refreshing = undefined;
        return next.accessToken;
      }),
      catchError((cause: unknown) => {
        const issue = { field: 'save', message: 'failed, so the new tokens are not used yet' };
        return throwError(() => new RequestError('oauthCredentials', [issue], cause));
      }),
    );
  };

  const refreshOf = (token: string) => {
    const params = { client_id: clientId, client_secret: clientSecret, token };
    if (refreshing?.token !== token) refreshing = { token, output$: exchange.oauth.refreshToken(params) };
    return refreshing.output$;
  };

  const refreshed$ = defer(() => refreshOf(tokens.refreshToken)).pipe(
    catchError((error: unknown) => {
      const failure = toExchangeError(error, 'oauth.refreshToken', 'not-executed');
      if (failure.outcome !== 'unknown') return throwError(() => failure);
      const message = 'a refresh whose response was lost may have replaced the tokens: the user has to authorize again';
      const ended = new LookupError(message, { endpoint: 'oauthCredentials', outcome: 'unknown', cause: failure });
      lost = ended;
      return throwError(() => ended);
    }),
    concatMap(({ data }) => keep(userTokens(data))),
  );
  const renewed$ = defer(() => (unsaved === undefined ? refreshed$ : keep(unsaved))).pipe(share());
  const leftMs = () => tokens.expiresAt - refreshBeforeMs - Date.now();
  const accessToken$ = defer(() => {
    if (lost !== undefined) throw lost;
    return unsaved === undefined && leftMs() > 0 ? of(tokens.accessToken) : renewed$;
  });
  return {
    accessToken$,
    renewals$: accessToken$.pipe(
      repeat({ delay: () => timer(Math.max(minPauseMs, leftMs())) }),
      distinctUntilChanged(),
    ),
  };
}
