// The sub-accounts and mining accounts that every sandbox account lists.
import type { MiningAccount } from '../model/mining-account.js';
import type { SubAccount } from '../model/sub-account.js';
import { randomHex } from './random.js';

const secondsPerDay = 24 * 60 * 60;

export function createSubAccounts(random: () => number, count: number): SubAccount[] {
  return Array.from({ length: count }, (_, index): SubAccount => {
    const hex = randomHex(random, 32);
    const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
    return {
      id,
      alias: `trading_bot_${index + 1}`,
      userId: `u-${10_000 + index}`,
      email: `${String.fromCharCode(97 + (index % 26))}***@example.com`,
      status: index % 10 === 9 ? 'blocked' : 'active',
      color: `#${randomHex(random, 6).toUpperCase()}`,
      kyc: { shareKyc: index % 2 === 0, kycStatus: 'verified' },
      permissions: { spotEnabled: true, collateralEnabled: index % 3 === 0 },
    };
  });
}

/** Newest first; `now` is Unix milliseconds. */
export function createMiningAccounts(now: number, count: number): MiningAccount[] {
  const newest = Math.floor(now / 1000);
  return Array.from({ length: count }, (_, index) => ({
    name: `my_miner_${String(count - index).padStart(2, '0')}`,
    createdAt: newest - index * secondsPerDay,
  }));
}
