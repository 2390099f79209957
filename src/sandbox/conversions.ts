// Quotes and conversions of all accounts: the spot balance gives one asset and receives another one at the quoted rate. The
// exchange itself is on the other side.
import { cutDecimal, decimal, decimalStep, type Decimal } from '../model/decimal.js';
import { unixSeconds, type Clock } from './clock.js';
import type { Engine } from './engine/index.js';
import { Journal } from './retention.js';
import type { Wallets } from './wallets.js';

/** One step of a conversion: a market, in either direction. */
interface Leg {
  readonly from: string;
  readonly to: string;
  /** `to` for 1 `from`. */
  readonly rate: Decimal;
}

/** What an account wants to convert. */
export interface Terms {
  readonly account: string;
  readonly from: string;
  readonly to: string;
  /** The asset that `amount` is in. */
  readonly direction: 'from' | 'to';
  readonly amount: Decimal;
}

export interface Quote extends Terms {
  readonly id: string;
  readonly give: Decimal;
  readonly receive: Decimal;
  readonly rate: Decimal;
  readonly legs: readonly Leg[];
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

interface Conversion extends Quote {
  readonly at: number;
}

interface Source {
  readonly clock: Pick<Clock, 'now'>;
  readonly engine: Pick<Engine, 'views' | 'price' | 'advance'>;
  readonly wallets: Pick<Wallets, 'available' | 'debit' | 'credit'>;
}

const quoteMs = 10_000;
const places = 8;
const ratePlaces = 18;
/** What the exchange keeps of each step. */
const spread = 0.001;
const firstId = 4050;

export class Conversions {
  readonly #quotes = new Map<string, Quote>();
  readonly #made = new Journal<Conversion>();
  /** Executed conversions, by account and key of the caller. */
  readonly #byKey = new Map<string, Quote>();
  #nextId = firstId;

  constructor(private readonly source: Source) {}

  /** A quote; `undefined` when no market, and no two markets, lead from one asset to the other. */
  quote(terms: Terms): Quote | undefined {
    const legs = this.#legs(terms.from, terms.to);
    if (legs === undefined) return undefined;
    const rate = legs.reduce((product, leg) => product.times(leg.rate), decimal(1)).decimalPlaces(ratePlaces);
    const { direction } = terms;
    const amount = cut(terms.amount);
    const quote = {
      ...terms,
      ...{ id: String(this.#nextId), rate, legs, expiresAt: this.source.clock.now() + quoteMs },
      give: direction === 'from' ? amount : paid(amount.dividedBy(rate)),
      receive: direction === 'to' ? amount : cut(amount.times(rate)),
    };
    this.#nextId += 1;
    return quote;
  }

  /** Keeps a quote until it is used. */
  offer(quote: Quote): void {
    this.#quotes.set(quote.id, quote);
  }

  /** An unused quote of the account, which may have expired. */
  offered(account: string, id: string): Quote | undefined {
    const quote = this.#quotes.get(id);
    return quote?.account === account ? quote : undefined;
  }

  canPay({ account, from, give }: Quote): boolean {
    return !give.isGreaterThan(this.source.wallets.available(account, 'trade', from));
  }

  /** Converts, and uses the quote up; returns false, and moves nothing, when the spot balance cannot pay it. */
  execute(quote: Quote): boolean {
    const { account, from, to, give, receive } = quote;
    const terms = { account, wallet: 'trade', reason: 'conversion' } as const;
    if (!this.source.wallets.debit({ ...terms, asset: from, amount: give })) return false;
    this.source.wallets.credit({ ...terms, asset: to, amount: receive });
    this.#quotes.delete(quote.id);
    this.#made.push({ ...quote, at: this.source.clock.now() });
    return true;
  }

  /** The conversion that was executed with this key. */
  executedWith(account: string, key: string): Quote | undefined {
    return this.#byKey.get(JSON.stringify([account, key]));
  }

  claim(key: string, quote: Quote): void {
    this.#byKey.set(JSON.stringify([quote.account, key]), quote);
  }

  /** As they are listed, newest first. */
  historyOf(account: string) {
    return this.#made.of(account).map(({ id, give, receive, rate, legs: path, at }) => {
      return { id, date: unixSeconds(at), give, receive, rate, path };
    });
  }

  forget(before: number): void {
    this.#made.forget(before);
    for (const [id, { expiresAt }] of this.#quotes) if (expiresAt < before) this.#quotes.delete(id);
  }

  /** One step, or two through an asset that has a market with both. */
  #legs(from: string, to: string): Leg[] | undefined {
    this.source.engine.advance();
    const direct = this.#leg(from, to);
    if (direct !== undefined) return [direct];
    for (const { listing } of this.source.engine.views()) {
      const first = this.#leg(from, listing.money);
      const second = this.#leg(listing.money, to);
      if (first !== undefined && second !== undefined) return [first, second];
    }
    return undefined;
  }

  #leg(from: string, to: string): Leg | undefined {
    const { engine } = this.source;
    for (const { listing } of engine.views()) {
      const { name, stock, money } = listing;
      const kept = decimal(1).minus(spread);
      // Prices of perpetuals are no rates of assets.
      if (name !== `${stock}_${money}`) continue;
      if (stock === from && money === to) return { from, to, rate: engine.price(name).times(kept) };
      if (stock === to && money === from)
        return { from, to, rate: kept.dividedBy(engine.price(name)).decimalPlaces(ratePlaces) };
    }
    return undefined;
  }
}

/** Rounds down, as the exchange cuts amounts. */
function cut(amount: Decimal): Decimal {
  return cutDecimal(amount, places);
}

/** Rounds up: the exchange gives nothing for nothing. */
function paid(amount: Decimal): Decimal {
  const least = cut(amount);
  return least.isEqualTo(amount) ? least : least.plus(decimalStep(places));
}
