// The sub-accounts and mining accounts that every account has at the start.
import type { SubAccount } from '../model/accounts.js';
import { unixSeconds } from './clock.js';
import { randomHex, randomUuid } from './random.js';
import { createRecords, mainBalance, type OwnedSubAccount, type Records } from './records.js';

const dayMs = 86_400_000;

/** `now` is Unix milliseconds. */
export function sampleRecords(
  accounts: readonly { readonly name: string }[],
  { subAccountCount = 40, miningAccountCount = 35 }: { subAccountCount?: number; miningAccountCount?: number },
  now: number,
  random: () => number,
): Records {
  const records = createRecords();
  const subAccounts = Array.from({ length: subAccountCount }, (_, index) => sampleSubAccount(index, random));
  for (const { name: account } of accounts) {
    for (const values of subAccounts) records.subAccounts.add(subAccount(account, values));
    for (let number = 1; number <= miningAccountCount; number += 1) {
      const at = now - (miningAccountCount - number) * dayMs;
      const values = { name: `my_miner_${String(number).padStart(2, '0')}`, createdAt: unixSeconds(at) };
      records.miningAccounts.push({ account, at, values, workers: [], payout: mainBalance });
    }
  }
  return records;
}

function sampleSubAccount(index: number, random: () => number): SubAccount {
  return {
    ...{ id: randomUuid(random), alias: `trading_bot_${index + 1}`, userId: `u-${10_000 + index}` },
    email: `${String.fromCharCode(97 + (index % 26))}***@example.com`,
    status: index % 10 === 9 ? 'blocked' : 'active',
    color: randomColor(random),
    kyc: { shareKyc: index % 2 === 0, kycStatus: 'verified' },
    permissions: { spotEnabled: true, collateralEnabled: index % 3 === 0 },
  };
}

export function subAccount(owner: string, values: SubAccount): OwnedSubAccount {
  return { owner, account: `${owner}/${values.id}`, values };
}

export function randomColor(random: () => number): string {
  return `#${randomHex(random, 6).toUpperCase()}`;
}
