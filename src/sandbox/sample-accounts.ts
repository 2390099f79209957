// The sub-accounts and mining accounts that every sandbox account lists, and the pool that the public endpoint shows.
import type { MiningAccount, SubAccount } from '../model/accounts.js';
import { randomHex, randomUuid } from './random.js';

const secondsPerDay = 24 * 60 * 60;

export function createSubAccounts(random: () => number, count: number): SubAccount[] {
  return Array.from({ length: count }, (_, index): SubAccount => {
    return {
      id: randomUuid(random),
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

export const stratumUrl = 'stratum+tcp://btc.sandbox.test:3333';
const hashesPerWorker = 110_000_000_000_000;
const secondsPerBlock = 600;
/** The first block of Bitcoin, Unix seconds. */
const firstBlockAt = 1_231_006_505;
const shownBlocks = 5;

export function miningPool(workers: number, now: number) {
  const seconds = Math.floor(now / 1000);
  const today = Math.floor(seconds / secondsPerDay);
  const hashRate = (day: number) => String(workers * hashesPerWorker * (1 + (day % 7) / 100));
  const height = Math.floor((seconds - firstBlockAt) / secondsPerBlock);
  return {
    connection_links: [stratumUrl],
    location: 'Europe',
    assets: ['BTC'],
    reward_schemes: ['FPPS'],
    workers,
    current_hash_rate: hashRate(today),
    last7days_hash_rate: Array.from({ length: 7 }, (_, index) => {
      const day = today - 6 + index;
      return { timestamp: day * secondsPerDay, hashrate: hashRate(day) };
    }),
    blocks: Array.from({ length: shownBlocks }, (_, index) => ({
      block_found_at: firstBlockAt + (height - index) * secondsPerBlock,
      block_height: height - index,
    })),
  };
}
