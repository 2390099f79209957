// OAuth 2.0 of the sandbox: one application, whose refresh tokens are valid once.
import type { OAuthToken } from '../model/oauth-token.js';
import { randomHex } from './random.js';

/** An application that users have authorized, and its first refresh token. */
export interface OAuthClient {
  /** Its client ID. */
  readonly clientId: string;
  /** Its client secret. */
  readonly clientSecret: string;
  /** The first refresh token, valid for 10 minutes by the sandbox's clock. */
  readonly refreshToken: string;
}

const accessTokenSeconds = 300;
const refreshTokenMs = 600_000;

export class OAuth {
  readonly client: OAuthClient;
  /** Unused refresh tokens, and when each expires, Unix milliseconds. */
  readonly #valid = new Map<string, number>();

  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
  ) {
    this.client = {
      clientId: randomHex(random, 24),
      clientSecret: randomHex(random, 48),
      refreshToken: this.#newRefreshToken(),
    };
  }

  /**
   * New tokens for a refresh token, which cannot be used again. `undefined` when the token or the application is not
   * valid.
   */
  refresh(clientId: string, clientSecret: string, token: string): OAuthToken | undefined {
    if (clientId !== this.client.clientId || clientSecret !== this.client.clientSecret) return undefined;
    const expires = this.#valid.get(token);
    this.#valid.delete(token);
    if (expires === undefined || expires < this.now()) return undefined;
    return {
      access_token: randomHex(this.random, 48),
      expires_in: accessTokenSeconds,
      refresh_token: this.#newRefreshToken(),
      scope: 'codes.apply,show.userinfo',
      token_type: 'Bearer',
    };
  }

  #newRefreshToken(): string {
    const token = randomHex(this.random, 48);
    this.#valid.set(token, this.now() + refreshTokenMs);
    return token;
  }
}
