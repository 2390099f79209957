// What an account has set up at the mining pool: its mining accounts, where the pool pays, and the public links to watch it.
import type { MiningAccount } from '../model/accounts.js';
import { randomHex } from './random.js';

interface PayoutDestination {
  readonly payoutDestination: string;
  readonly externalAddress: string | null;
}

export interface WatcherLink {
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

export class MiningPool {
  readonly #created: { readonly owner: string; readonly account: MiningAccount }[] = [];
  readonly #destinations = new Map<string, PayoutDestination>();
  readonly #links: { readonly owner: string; readonly link: WatcherLink }[] = [];

  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
    /** What every account has at the start, newest first. */
    readonly samples: readonly MiningAccount[],
  ) {}

  /** The mining accounts of an account, newest first. */
  accounts(owner: string): MiningAccount[] {
    const created = this.#created.filter((one) => one.owner === owner).map(({ account }) => account);
    return [...created.reverse(), ...this.samples];
  }

  has(owner: string, name: string): boolean {
    return this.accounts(owner).some((account) => account.name === name);
  }

  create(owner: string, name: string): MiningAccount {
    const account = { name, createdAt: Math.floor(this.now() / 1000) };
    this.#created.push({ owner, account });
    return account;
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
    const createdAt = Math.floor(this.now() / 1000);
    const id = randomHex(this.random, 32);
    const liveUntil = lifeSeconds === null ? null : createdAt + lifeSeconds;
    const link = { ...terms, id, link: `https://pool.example/watch/${id}`, liveUntil, createdAt };
    this.#links.push({ owner, link });
    return link;
  }
}
