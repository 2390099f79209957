// The miners of the pool: the workers of mining accounts with their hash rates, and the reward of each day, which the pool pays
// to the main balance or to an address.
import { cutDecimal, decimal, type Decimal } from '../model/decimal.js';
import { unixSeconds, type Clock } from './clock.js';
import type { MiningPool } from './mining-pool.js';
import { randomHex } from './random.js';
import { Journal } from './retention.js';
import type { Wallets } from './wallets.js';

interface Source {
  readonly clock: Pick<Clock, 'now' | 'every'>;
  readonly wallets: Pick<Wallets, 'credit'>;
  readonly pool: MiningPool;
}

/** A worker, and since when, Unix milliseconds, it has had which hash rate; oldest first. */
interface Worker {
  readonly name: string;
  readonly rates: { readonly at: number; readonly terahashes: Decimal }[];
}

interface Reward {
  readonly account: string;
  /** The begin of its day, Unix milliseconds. */
  readonly at: number;
  /** As it is listed. */
  readonly values: ReturnType<typeof rewardOf>;
}

const dayMs = 86_400_000;
const asset = 'BTC';
const places = 12;
/** What a terahash a second earns in a day. */
const earned = '0.0000005';
/** Percent. */
export const poolFee = '1';
const hashesOfTerahash = 12;
const hashLength = 64;

export class Miners {
  /** By owner and mining account. */
  readonly #workers = new Map<string, Worker[]>();
  readonly #rewards = new Journal<Reward>();

  constructor(
    private readonly source: Source,
    private readonly random: () => number,
  ) {}

  /** Sets the hash rate of a worker from now on, terahashes a second; 0 disconnects it. */
  connect(owner: string, account: string, name: string, terahashes: Decimal): void {
    const key = keyOf(owner, account);
    const workers = this.#workers.get(key) ?? [];
    if (workers.length === 0) {
      this.#workers.set(key, workers);
      this.source.clock.every(dayMs, () => {
        this.#reward(owner, account, workers);
      });
    }
    let worker = workers.find((one) => one.name === name);
    if (worker === undefined) workers.push((worker = { name, rates: [] }));
    worker.rates.push({ at: this.source.clock.now(), terahashes });
  }

  /** The names of the workers of a mining account, in their order. */
  workers(owner: string, account: string): { readonly online: string[]; readonly offline: string[] } {
    const all = this.#of(owner, account);
    const names = (isOnline: boolean) =>
      all.filter(({ rates }) => rates.at(-1)?.terahashes.isZero() !== isOnline).map(({ name }) => name);
    return { online: names(true).sort(), offline: names(false).sort() };
  }

  /** The mean hash rate of a mining account, or of one of its workers, in each interval since its first worker, terahashes a second. */
  hashRates(
    owner: string,
    account: string,
    { from, to, intervalMs, worker }: { from: number; to: number; intervalMs: number; worker?: string | undefined },
  ): { readonly at: number; readonly terahashes: Decimal }[] {
    const workers = this.#of(owner, account).filter(({ name }) => worker === undefined || name === worker);
    const begin = Math.max(from, Math.min(...workers.map(({ rates }) => rates[0]?.at ?? to)));
    const rows = [];
    for (let at = Math.floor(begin / intervalMs) * intervalMs; at < to; at += intervalMs)
      rows.push({ at, terahashes: mean(workers, at, Math.min(at + intervalMs, to)).decimalPlaces(8) });
    return rows;
  }

  /** The rewards of an account, newest first. */
  rewardsOf(owner: string) {
    return this.#rewards.of(owner).map(({ values }) => values);
  }

  forget(before: number): void {
    this.#rewards.forget(before);
  }

  #of(owner: string, account: string): readonly Worker[] {
    return this.#workers.get(keyOf(owner, account)) ?? [];
  }

  #reward(owner: string, account: string, workers: readonly Worker[]): void {
    const { clock, wallets, pool } = this.source;
    const now = clock.now();
    const rate = mean(workers, now - dayMs, now);
    const total = cutDecimal(rate.times(earned), places);
    if (total.isZero()) return;
    const { externalAddress } = pool.destination(owner, account);
    const values = rewardOf(account, { now, rate, total, externalAddress, hash: randomHex(this.random, hashLength) });
    this.#rewards.push({ account: owner, at: now - dayMs, values });
    if (externalAddress === null)
      wallets.credit({ account: owner, wallet: 'main', asset, amount: values.reward, reason: 'mining' });
  }
}

interface Earned {
  readonly now: number;
  readonly rate: Decimal;
  readonly total: Decimal;
  readonly externalAddress: string | null;
  readonly hash: string;
}

/** Published: a reward that is paid to the main balance has no payment of its own. */
function rewardOf(account: string, { now, rate, total, externalAddress, hash }: Earned) {
  const fee = cutDecimal(total.times(poolFee).shiftedBy(-2), places);
  const isExternal = externalAddress !== null;
  return {
    ...{ miningAccountName: account, payoutDestination: isExternal ? 'external_address' : 'main_balance' },
    ...{ payoutTransactionHash: isExternal ? hash : null, payoutAddress: externalAddress },
    ...{ payoutTime: isExternal ? unixSeconds(now) : null, rewardCurrency: asset },
    ...{ totalReward: total, reward: total.minus(fee), fee, date: unixSeconds(now - dayMs), status: 'successful' },
    hashRate: rate.shiftedBy(hashesOfTerahash).decimalPlaces(0),
  };
}

/** The sum of the workers' mean hash rates. */
function mean(workers: readonly Worker[], from: number, to: number): Decimal {
  const sum = workers
    .flatMap(({ rates }) => rates.map((rate, index) => ({ ...rate, until: rates[index + 1]?.at ?? to })))
    .reduce((total, { at, terahashes, until }) => {
      const ms = Math.min(until, to) - Math.max(at, from);
      return ms > 0 ? total.plus(terahashes.times(ms)) : total;
    }, decimal(0));
  return sum.dividedBy(to - from);
}

function keyOf(owner: string, account: string): string {
  return JSON.stringify([owner, account]);
}
