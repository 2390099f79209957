// The API keys of the sandbox's accounts, and what each key may do.
import { Rejection } from './rejection.js';
import { randomHex } from './random.js';

export interface Key {
  readonly account: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Why the key may not call a path, by what does not change with the paths below. */
  readonly refusalOf: (path: string) => Rejection | undefined;
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

/** Where all clients of the sandbox are: on this machine. */
export const clientIp = '127.0.0.1';

export const notOfKey = () => new Rejection(401, 4, 'This API Key is not authorized to perform this action.');

export const notOfAccount = () =>
  new Rejection(403, 0, "You don't have permission to use this endpoint. Please contact support for more details.");

export function createKey(account: string, random: () => number, refusalOf: Key['refusalOf'] = () => undefined): Key {
  return {
    account,
    apiKey: randomHex(random, 32),
    apiSecret: randomHex(random, 64),
    refusalOf,
    isEnabled: true,
    allowedPaths: undefined,
    revokedPaths: [],
    lastNonce: Number.NEGATIVE_INFINITY,
    usedNonces: new Set(),
  };
}
