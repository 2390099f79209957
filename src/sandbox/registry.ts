// What accounts have beside orders and balances: each in a part of its own.
import type { Books } from './books.js';
import type { Clock } from './clock.js';
import { Codes } from './codes.js';
import { Conversions } from './conversions.js';
import { Deposits } from './deposits.js';
import type { Engine } from './engine/index.js';
import { FixedLending } from './fixed-lending.js';
import { FlexLending } from './flex-lending.js';
import type { Key } from './keys.js';
import { Miners } from './miners.js';
import { MiningPool } from './mining-pool.js';
import { PaymentPages } from './payment-pages.js';
import { createRandom } from './random.js';
import { sampleSubAccounts, SubAccounts } from './sub-accounts.js';
import { LiveTokens, OAuth } from './tokens.js';
import { Wallets } from './wallets.js';

interface RegistrySource {
  readonly clock: Clock;
  readonly engine: Engine;
  readonly books: Books;
  /** By public key. */
  readonly keys: Map<string, Key>;
  readonly random: () => number;
}

interface RegistryOptions {
  readonly seed: number;
  /** The account of the user who has authorized the application. */
  readonly user: string;
  readonly subAccountCount: number;
  readonly miningAccountCount: number;
}

export type Registry = ReturnType<typeof createRegistry>;

export function createRegistry(source: RegistrySource, { seed, ...options }: RegistryOptions) {
  const { clock, engine, books, keys, random } = source;
  const now = () => clock.now();
  const oauth = new OAuth(now, random, options.user);
  const samples = sampleSubAccounts(random, options.subAccountCount);
  // Seeds of their own, so that keys and identifiers stay those of the seed.
  const wallets = new Wallets({ clock, engine, books }, createRandom(seed ^ 0x3a11));
  const randomPayments = createRandom(seed ^ 0x5eed);
  const conversions = new Conversions({ clock, engine, wallets });
  const codes = new Codes(wallets, now, randomPayments);
  const randomLending = createRandom(seed ^ 0x1e4d);
  const fixedLending = new FixedLending({ clock, wallets }, randomLending);
  const flexLending = new FlexLending({ clock, wallets }, randomLending);
  const lending = [fixedLending, flexLending];
  const subAccounts = new SubAccounts({ clock, books, wallets, keys, lending }, createRandom(seed ^ 0x5ab5), samples);
  const randomPool = createRandom(seed ^ 0x9001);
  const mining = new MiningPool(now, randomPool, options.miningAccountCount);
  const miners = new Miners({ clock, wallets, pool: mining }, randomPool);
  return {
    ...{ keys, oauth, wallets, conversions, codes, fixedLending, flexLending, subAccounts, mining, miners },
    liveTokens: new LiveTokens(now, random),
    deposits: new Deposits(now, randomPayments),
    payments: new PaymentPages(now, randomPayments),
    forget(before: number) {
      for (const part of [wallets, codes, conversions, subAccounts, miners, ...lending]) part.forget(before);
    },
  };
}
