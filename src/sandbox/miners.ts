// The miners of the pool: workers with their hash rates, and the reward of each day.
import { cutDecimal, decimal, type Decimal } from '../model/decimal.js';
import type { ExchangeState } from './http/route.js';
import { randomHex } from './random.js';
import type { OwnedMiningAccount, Worker } from './records.js';

type Source = Pick<ExchangeState, 'clock' | 'random' | 'records' | 'wallets'>;

const dayMs = 86_400_000;
export const minedAsset = 'BTC';
const places = 12;
/** What a terahash a second earns in a day. */
const earned = '0.0000005';
/** Percent. */
export const poolFee = '1';
const hashLength = 64;

/** Sets the hash rate of a worker from now on, terahashes a second; 0 disconnects it. */
export function connectWorker(source: Source, to: OwnedMiningAccount, name: string, terahashes: Decimal): void {
  const { workers } = to;
  if (workers.length === 0)
    source.clock.every(dayMs, () => {
      reward(source, to);
    });
  let worker = workers.find((one) => one.name === name);
  if (worker === undefined) workers.push((worker = { name, rates: [] }));
  worker.rates.push({ at: source.clock.now(), terahashes });
}

function reward({ clock, random, records, wallets }: Source, { account, values: { name }, ...of }: OwnedMiningAccount) {
  const now = clock.now();
  const rate = meanRate(of.workers, now - dayMs, now);
  const total = cutDecimal(rate.times(earned), places);
  if (total.isZero()) return;
  const fee = cutDecimal(total.times(poolFee).shiftedBy(-2), places);
  const hash = randomHex(random, hashLength);
  const address = of.payout.externalAddress;
  const payment = address === null ? undefined : { address, hash, at: now };
  records.rewards.push({ account, at: now - dayMs, name, total, fee, rate, payment });
  if (address === null) wallets.credit({ account, asset: minedAsset, amount: total.minus(fee), reason: 'mining' });
}

/** The mean hash rate of workers in each interval since the first one, terahashes a second; times in Unix seconds. */
export function hashRates(
  workers: readonly Worker[],
  { from, to, intervalMs }: Record<'from' | 'to' | 'intervalMs', number>,
) {
  const begin = Math.max(from, Math.min(...workers.map(({ rates }) => rates[0]?.at ?? to)));
  const rows = [];
  for (let at = Math.floor(begin / intervalMs) * intervalMs; at < to; at += intervalMs)
    rows.push({ time: at / 1000, hashrate: meanRate(workers, at, Math.min(at + intervalMs, to)).decimalPlaces(8) });
  return rows;
}

function meanRate(workers: readonly Worker[], from: number, to: number): Decimal {
  const sum = workers
    .flatMap(({ rates }) => rates.map((rate, index) => ({ ...rate, until: rates[index + 1]?.at ?? to })))
    .reduce((total, { at, terahashes, until }) => {
      const ms = Math.min(until, to) - Math.max(at, from);
      return ms > 0 ? total.plus(terahashes.times(ms)) : total;
    }, decimal(0));
  return sum.dividedBy(to - from);
}
