// The mining pool: the mining accounts of each account, where the pool pays, and the public links to watch it.
import type { MiningAccount } from '../model/accounts.js';
import { unixSeconds } from './clock.js';
import { randomHex } from './random.js';
import { Journal } from './retention.js';

interface PayoutDestination {
  readonly payoutDestination: string;
  readonly externalAddress: string | null;
}

interface WatcherLink {
  readonly id: string;
  readonly accounts: readonly string[];
  readonly name: string;
  readonly link: string;
  readonly permissions: readonly string[];
  /** Unix seconds; `null` for a link without an end. */
  readonly liveUntil: number | null;
  readonly createdAt: number;
}

const mainBalance: PayoutDestination = { payoutDestination: 'main_balance', externalAddress: null };
/** Active links of one mining account. */
const maxLinks = 3;
const secondsPerDay = 24 * 60 * 60;
export const stratumUrl = 'stratum+tcp://btc.sandbox.test:3333';
const hashesPerWorker = 110_000_000_000_000;
const secondsPerBlock = 600;
/** The first block of Bitcoin, Unix seconds. */
const firstBlockAt = 1_231_006_505;
const shownBlocks = 5;

export class MiningPool {
  /** What every account has at the start, newest first. */
  readonly #samples: readonly MiningAccount[];
  readonly #created = new Journal<{ readonly account: string; readonly at: number; readonly values: MiningAccount }>();
  readonly #destinations = new Map<string, PayoutDestination>();
  readonly #links: { readonly owner: string; readonly link: WatcherLink }[] = [];

  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
    count: number,
  ) {
    const newest = unixSeconds(now());
    this.#samples = Array.from({ length: count }, (_, index) => ({
      name: `my_miner_${String(count - index).padStart(2, '0')}`,
      createdAt: newest - index * secondsPerDay,
    }));
  }

  /** The mining accounts of an account, newest first. */
  accounts(owner: string): MiningAccount[] {
    return [...this.#created.of(owner).map(({ values }) => values), ...this.#samples];
  }

  has(owner: string, name: string): boolean {
    return this.accounts(owner).some((account) => account.name === name);
  }

  create(account: string, name: string): MiningAccount {
    const at = this.now();
    const values = { name, createdAt: unixSeconds(at) };
    this.#created.push({ account, at, values });
    return values;
  }

  destination(owner: string, name: string): PayoutDestination {
    return this.#destinations.get(`${owner} ${name}`) ?? mainBalance;
  }

  redirect(owner: string, name: string, destination: PayoutDestination): void {
    this.#destinations.set(`${owner} ${name}`, destination);
  }

  /** The active links to a mining account. */
  links(owner: string, name: string): WatcherLink[] {
    const seconds = this.now() / 1000;
    return this.#links
      .filter((one) => one.owner === owner && one.link.accounts.includes(name))
      .map(({ link }) => link)
      .filter(({ liveUntil }) => liveUntil === null || liveUntil > seconds);
  }

  /** A new link; `undefined` when one of its accounts has the maximum number of links. */
  watch(
    owner: string,
    terms: Pick<WatcherLink, 'accounts' | 'name' | 'permissions'>,
    lifeSeconds: number | null,
  ): WatcherLink | undefined {
    if (terms.accounts.some((name) => this.links(owner, name).length >= maxLinks)) return undefined;
    const createdAt = unixSeconds(this.now());
    const id = randomHex(this.random, 32);
    const liveUntil = lifeSeconds === null ? null : createdAt + lifeSeconds;
    const link = { ...terms, id, link: `https://pool.example/watch/${id}`, liveUntil, createdAt };
    this.#links.push({ owner, link });
    return link;
  }

  /** The pool as the public endpoint shows it. */
  overview() {
    const workers = this.#samples.length;
    const seconds = unixSeconds(this.now());
    const today = Math.floor(seconds / secondsPerDay);
    const hashRate = (day: number) => String(workers * hashesPerWorker * (1 + (day % 7) / 100));
    const height = Math.floor((seconds - firstBlockAt) / secondsPerBlock);
    return {
      ...{ connection_links: [stratumUrl], location: 'Europe', assets: ['BTC'], reward_schemes: ['FPPS'], workers },
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
}
