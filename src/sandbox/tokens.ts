// Tokens: those of OAuth 2.0, of one application, whose refresh tokens are valid once; and those by which a connection of
// the real-time interface is authorized, each for an account and a short time.
import { randomHex } from './random.js';

/** An application that users have authorized, and its first refresh token. */
export interface OAuthClient {
  /** Its client ID. */
  readonly clientId: string;
  /** Its client secret. */
  readonly clientSecret: string;
  /** The first refresh token of the first account, valid for 10 minutes by the sandbox's clock. */
  readonly refreshToken: string;
}

const accessTokenSeconds = 300;
const refreshTokenMs = 600_000;

export class OAuth {
  readonly client: OAuthClient;
  /** Unused refresh tokens, and when each expires, Unix milliseconds. */
  readonly #valid = new Map<string, number>();
  #access = { token: '', expiresAt: 0 };

  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
    /** The account of the user who has authorized the application. */
    private readonly user: string,
  ) {
    this.client = {
      clientId: randomHex(random, 24),
      clientSecret: randomHex(random, 48),
      refreshToken: this.#newRefreshToken(),
    };
  }

  /** New tokens for a refresh token, which cannot be used again; `undefined` when it or the application is invalid. */
  refresh(clientId: string, clientSecret: string, token: string): object | undefined {
    if (clientId !== this.client.clientId || clientSecret !== this.client.clientSecret) return undefined;
    const expires = this.#valid.get(token);
    this.#valid.delete(token);
    if (expires === undefined || expires < this.now()) return undefined;
    this.#access = { token: randomHex(this.random, 48), expiresAt: this.now() + accessTokenSeconds * 1000 };
    return {
      access_token: this.#access.token,
      expires_in: accessTokenSeconds,
      refresh_token: this.#newRefreshToken(),
      scope: 'codes.apply,show.userinfo',
      token_type: 'Bearer',
    };
  }

  /** The account of an access token; `undefined` for one that has expired, or was replaced by a refresh. */
  userOf(token: string): string | undefined {
    const { token: valid, expiresAt } = this.#access;
    return token === valid && expiresAt > this.now() ? this.user : undefined;
  }

  #newRefreshToken(): string {
    const token = randomHex(this.random, 48);
    this.#valid.set(token, this.now() + refreshTokenMs);
    return token;
  }
}

interface IssuedToken {
  readonly account: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

const tokenLength = 60;
const tokenLifeMs = 60_000;

export class LiveTokens {
  readonly #issued = new Map<string, IssuedToken>();

  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
  ) {}

  /** A new token of the account; its former ones stay valid. */
  issue(account: string): string {
    this.#forgetExpired();
    const token = randomHex(this.random, tokenLength);
    this.#issued.set(token, { account, expiresAt: this.now() + tokenLifeMs });
    return token;
  }

  /** The account of a token, which cannot be used again; `undefined` for one that is unknown, expired or used. */
  use(token: string): string | undefined {
    const issued = this.#issued.get(token);
    this.#issued.delete(token);
    return issued !== undefined && issued.expiresAt > this.now() ? issued.account : undefined;
  }

  #forgetExpired(): void {
    const now = this.now();
    for (const [token, { expiresAt }] of this.#issued) if (expiresAt <= now) this.#issued.delete(token);
  }
}
