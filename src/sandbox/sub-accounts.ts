// The sub-accounts that every main account has at the start, and what the keys of a sub-account may do.
import type { SubAccount } from '../model/accounts.js';
import { clientIp, notOfAccount, notOfKey } from './keys.js';
import { randomHex, randomUuid } from './random.js';
import type { OwnedSubAccount, SubAccountKey } from './records.js';
import type { Rejection } from './rejection.js';

/** Published: a key of type 1 reads and trades; one of type 2 deposits and withdraws, too. */
const tradeKey = 1;
const ofMoney =
  /^\/api\/v4\/main-account\/(address|create-new-address|fiat-deposit-url|refund-deposit|withdraw|withdraw-pay|express-withdraw\/token)$/;
const spotOrders = /^\/api\/v4\/order\/(new|bulk|market|stock_market|stop_limit|stop_market)$/;
const collateral = /^\/api\/v4\/(order\/collateral|collateral-account)\//;
/** Only the main account manages sub-accounts. */
const ofMain = '/api/v4/sub-account/';

export function refusalOf({ ips, type, of }: SubAccountKey, path: string): Rejection | undefined {
  if (ips.length > 0 && !ips.includes(clientIp)) return notOfKey();
  if (type === tradeKey && ofMoney.test(path)) return notOfKey();
  const { spotEnabled, collateralEnabled } = of.values.permissions ?? {};
  const isRefused =
    path.startsWith(ofMain) ||
    (spotEnabled === false && spotOrders.test(path)) ||
    (collateralEnabled === false && collateral.test(path));
  return isRefused ? notOfAccount() : undefined;
}

export function subAccount(owner: string, values: SubAccount): OwnedSubAccount {
  return { owner, account: `${owner}/${values.id}`, values };
}

export function sampleSubAccounts(random: () => number, count: number): SubAccount[] {
  return Array.from({ length: count }, (_, index) => ({
    id: randomUuid(random),
    alias: `trading_bot_${index + 1}`,
    userId: `u-${10_000 + index}`,
    email: `${String.fromCharCode(97 + (index % 26))}***@example.com`,
    status: index % 10 === 9 ? 'blocked' : 'active',
    color: randomColor(random),
    kyc: { shareKyc: index % 2 === 0, kycStatus: 'verified' },
    permissions: { spotEnabled: true, collateralEnabled: index % 3 === 0 },
  }));
}

export function randomColor(random: () => number): string {
  return `#${randomHex(random, 6).toUpperCase()}`;
}
