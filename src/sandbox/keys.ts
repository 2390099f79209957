// The API keys of the sandbox's accounts, and what each may do.
import { randomHex } from './random.js';

/** An account's key. */
export interface Key {
  readonly account: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  enabled: boolean;
  /** Paths the key may call; every one when `undefined`. */
  paths: readonly string[] | undefined;
  /** Paths whose product the account lacks. */
  lacking: readonly string[];
  /** The greatest nonce seen outside the window mode. */
  lastNonce: number;
  /** Nonces that the window mode must not let in again. */
  readonly usedNonces: Set<number>;
}

export function createKey(account: string, random: () => number): Key {
  return {
    account,
    apiKey: randomHex(random, 32),
    apiSecret: randomHex(random, 64),
    enabled: true,
    paths: undefined,
    lacking: [],
    lastNonce: Number.NEGATIVE_INFINITY,
    usedNonces: new Set(),
  };
}
