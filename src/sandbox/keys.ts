// The API keys of the sandbox's accounts, and what each key may do.
import { randomHex } from './random.js';

export interface Key {
  readonly account: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  isEnabled: boolean;
  /** Paths that the key may call; `undefined` allows every path. */
  allowedPaths: readonly string[] | undefined;
  /** Paths of products that the account does not have. */
  revokedPaths: readonly string[];
  /** The greatest nonce used without `nonceWindow`. */
  lastNonce: number;
  /** Nonces that a request with `nonceWindow` must not use again. */
  readonly usedNonces: Set<number>;
}

export function createKey(account: string, random: () => number): Key {
  return {
    account,
    apiKey: randomHex(random, 32),
    apiSecret: randomHex(random, 64),
    isEnabled: true,
    allowedPaths: undefined,
    revokedPaths: [],
    lastNonce: Number.NEGATIVE_INFINITY,
    usedNonces: new Set(),
  };
}
