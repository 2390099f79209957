// The API keys of the sandbox's accounts and sub-accounts, and what each key may do.
import { randomHex } from './random.js';
import type { OwnedSubAccount } from './records.js';
import { Rejection } from './rejection.js';

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

export interface SubAccountKey extends Key {
  readonly id: string;
  readonly of: OwnedSubAccount;
  readonly type: number;
  title: string;
  ips: readonly string[];
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

export function isOfSubAccount(key: Key): key is SubAccountKey {
  return 'of' in key;
}

/** Where all clients of the sandbox are: on this machine. */
const clientIp = '127.0.0.1';
/** Published: a key of type 1 reads and trades; one of type 2 deposits and withdraws, too. */
const tradeKey = 1;
const ofMoney =
  /^\/api\/v4\/main-account\/(address|create-new-address|fiat-deposit-url|refund-deposit|withdraw|withdraw-pay|express-withdraw\/token)$/;
const spotOrders = /^\/api\/v4\/order\/(new|bulk|market|stock_market|stop_limit|stop_market)$/;
const collateral = /^\/api\/v4\/(order\/collateral|collateral-account)\//;
/** Only the main account manages sub-accounts. */
const ofMain = '/api/v4/sub-account/';

export function refusalOf(key: Key, path: string): Rejection | undefined {
  if (key.allowedPaths?.includes(path) === false) return notOfKey();
  if (key.revokedPaths.includes(path)) return notOfAccount();
  if (!isOfSubAccount(key)) return undefined;
  if (key.ips.length > 0 && !key.ips.includes(clientIp)) return notOfKey();
  if (key.type === tradeKey && ofMoney.test(path)) return notOfKey();
  const { spotEnabled, collateralEnabled } = key.of.values.permissions ?? {};
  const isRefused =
    path.startsWith(ofMain) ||
    (spotEnabled === false && spotOrders.test(path)) ||
    (collateralEnabled === false && collateral.test(path));
  return isRefused ? notOfAccount() : undefined;
}

const notOfKey = () => new Rejection(401, 4, 'This API Key is not authorized to perform this action.');

const notOfAccount = () =>
  new Rejection(403, 0, "You don't have permission to use this endpoint. Please contact support for more details.");
