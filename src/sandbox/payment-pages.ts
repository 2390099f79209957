// The pages on which somebody else pays an account, each under a key of the account, and their tokens. The sandbox has nobody who pays.
import { randomHex } from './random.js';

interface Page {
  readonly token: string;
  /** What the page is for. */
  readonly terms: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

const tokenLength = 32;

export class PaymentPages {
  readonly #pages = new Map<string, Page>();

  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
  ) {}

  /** The page with this key; another one once it has expired. `undefined` while the key is that of other terms. */
  open(key: string, terms: string, lifeMs: number): Page | undefined {
    const known = this.#pages.get(key);
    if (known !== undefined && known.expiresAt > this.now()) return known.terms === terms ? known : undefined;
    const page = { token: this.newToken(), terms, expiresAt: this.now() + lifeMs };
    this.#pages.set(key, page);
    return page;
  }

  newToken(): string {
    return randomHex(this.random, tokenLength);
  }

  has(key: string): boolean {
    return this.#pages.has(key);
  }
}
