// `bookTicker`: the best bid and ask, when one of them has changed.
import type { MarketView } from '../../engine/index.js';
import { oneMarket, tickMs, type Channel, type Subscription } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';
import type { BookState, LiveExchange } from '../live-exchange.js';

const none = ['0', '0'] as const;

export function bookTickerChannel(exchange: LiveExchange): Channel {
  return { name: 'bookTicker', everyMs: tickMs, queries: {}, open: () => new BookTickerSubscription(exchange) };
}

class BookTickerSubscription implements Subscription {
  #markets = new Set<string>();
  #isAll = false;
  /** The state whose best bid and ask were sent, by market. */
  readonly #sent = new Map<string, BookState>();

  constructor(private readonly exchange: LiveExchange) {}

  subscribe(params: readonly unknown[]): Push[] {
    if (params.length > 1) throw invalidArgument();
    const added = params.length === 0 ? undefined : oneMarket(this.exchange, params).listing.name;
    if (this.exchange.behavior.replacesBookTicker) this.unsubscribe([]);
    if (added === undefined) this.#isAll = true;
    else this.#markets.add(added);
    const first = added === undefined ? this.#views() : this.#views().filter(({ listing }) => listing.name === added);
    for (const { listing } of first) this.#sent.delete(listing.name);
    return first.flatMap((view) => this.#changeOf(view) ?? []);
  }

  unsubscribe(params: readonly unknown[]): void {
    if (params.length > 0) {
      this.#markets.delete(oneMarket(this.exchange, params).listing.name);
      return;
    }
    this.#markets.clear();
    this.#isAll = false;
  }

  due(): Push[] {
    return this.#views().flatMap((view) => this.#changeOf(view) ?? []);
  }

  markets(): string[] {
    return this.#views().map(({ listing }) => listing.name);
  }

  #views(): MarketView[] {
    const all = this.exchange.markets();
    return this.#isAll ? all : all.filter(({ listing }) => this.#markets.has(listing.name));
  }

  #changeOf(view: MarketView): Push | undefined {
    const { name } = view.listing;
    const book = this.exchange.books.stateOf(view);
    const sent = this.#sent.get(name);
    if (sent === book) return undefined;
    this.#sent.set(name, book);
    return sent !== undefined && topOf(sent).join() === topOf(book).join() ? undefined : this.#push(name, book);
  }

  #push(market: string, book: BookState): Push {
    const times = [book.topChangedAt / 1000, this.exchange.now() / 1000];
    return { channel: 'bookTicker', market, params: [[...times, market, book.updateId, ...topOf(book)]] };
  }
}

/** Best bid and its amount, best ask and its amount. */
function topOf({ asks: [ask = none], bids: [bid = none] }: BookState): string[] {
  return [...bid, ...ask];
}
