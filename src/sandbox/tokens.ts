// Tokens, each of an account: of OAuth 2.0, and for authorizing a connection of the real-time interface.
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

/** Tokens of one kind, each of an account: valid once, and for a limited time. */
export class OneTimeTokens {
  readonly #issued = new Map<string, { readonly account: string; readonly expiresAt: number }>();

  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
    private readonly kind: { readonly length: number; readonly lifeMs: number },
  ) {}

  /** A new token of the account; its former ones stay valid. */
  issue(account: string): string {
    const now = this.now();
    for (const [token, { expiresAt }] of this.#issued) if (expiresAt <= now) this.#issued.delete(token);
    const token = randomHex(this.random, this.kind.length);
    this.#issued.set(token, { account, expiresAt: now + this.kind.lifeMs });
    return token;
  }

  use(token: string): string | undefined {
    const issued = this.#issued.get(token);
    this.#issued.delete(token);
    return issued !== undefined && issued.expiresAt > this.now() ? issued.account : undefined;
  }
}

export const liveTokens = { length: 60, lifeMs: 60_000 };

const refreshTokens = { length: 48, lifeMs: 600_000 };
const accessTokenSeconds = 300;

export class OAuth {
  readonly client: OAuthClient;
  readonly #refreshTokens: OneTimeTokens;
  #access = { token: '', account: '', expiresAt: 0 };

  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
    /** The account of the user who has authorized the application. */
    user: string,
  ) {
    this.#refreshTokens = new OneTimeTokens(now, random, refreshTokens);
    this.client = {
      clientId: randomHex(random, 24),
      clientSecret: randomHex(random, 48),
      refreshToken: this.#refreshTokens.issue(user),
    };
  }

  /** New tokens for a refresh token, which cannot be used again; `undefined` when it or the application is invalid. */
  refresh(clientId: string, clientSecret: string, token: string): object | undefined {
    if (clientId !== this.client.clientId || clientSecret !== this.client.clientSecret) return undefined;
    const account = this.#refreshTokens.use(token);
    if (account === undefined) return undefined;
    const access_token = randomHex(this.random, refreshTokens.length);
    this.#access = { token: access_token, account, expiresAt: this.now() + accessTokenSeconds * 1000 };
    return {
      ...{ access_token, expires_in: accessTokenSeconds, refresh_token: this.#refreshTokens.issue(account) },
      ...{ scope: 'codes.apply,show.userinfo', token_type: 'Bearer' },
    };
  }

  /** The account of an access token; `undefined` for one that has expired, or was replaced by a refresh. */
  userOf(token: string): string | undefined {
    const { token: valid, account, expiresAt } = this.#access;
    return token === valid && expiresAt > this.now() ? account : undefined;
  }
}
