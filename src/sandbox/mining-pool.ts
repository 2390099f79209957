// The mining pool as the public endpoint shows it: as large as the accounts of the pool are many.

const hashesPerWorker = 110_000_000_000_000;
const secondsPerDay = 86_400;
const secondsPerBlock = 600;
/** The first block of Bitcoin, Unix seconds. */
const firstBlockAt = 1_231_006_505;
const shownBlocks = 5;

/** The pool with this number of workers at `now`, Unix milliseconds. */
export function miningPool(workers: number, now: number) {
  const seconds = Math.floor(now / 1000);
  const today = Math.floor(seconds / secondsPerDay);
  const hashRate = (day: number) => String(workers * hashesPerWorker * (1 + (day % 7) / 100));
  const height = Math.floor((seconds - firstBlockAt) / secondsPerBlock);
  return {
    connection_links: ['stratum+tcp://btc.sandbox.test:3333'],
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
