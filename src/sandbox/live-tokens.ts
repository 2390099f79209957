// The tokens by which a connection of the real-time interface is authorized: each names an account for a short time.
import { randomHex } from './random.js';

/** Why a token authorizes no connection. */
type TokenProblem = 'unknown' | 'expired' | 'used';

interface IssuedToken {
  readonly account: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  isUsed: boolean;
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
    this.#issued.set(token, { account, expiresAt: this.now() + tokenLifeMs, isUsed: false });
    return token;
  }

  /** Uses a token: its account, or its problem. */
  use(token: string): { readonly account: string } | { readonly problem: TokenProblem } {
    const issued = this.#issued.get(token);
    if (issued === undefined) return { problem: 'unknown' };
    if (issued.expiresAt <= this.now()) return { problem: 'expired' };
    if (issued.isUsed) return { problem: 'used' };
    issued.isUsed = true;
    return { account: issued.account };
  }

  #forgetExpired(): void {
    const now = this.now();
    for (const [token, { expiresAt }] of this.#issued) if (expiresAt <= now) this.#issued.delete(token);
  }
}
