// What the channels read of the exchange: its markets at one moment, their books and the time.
import type { MarketView } from '../engine/index.js';
import type { ExchangeState } from '../http/index.js';
import { BookHistory } from './book-history.js';
import { unknownMarket } from './envelope.js';

export class LiveExchange {
  readonly books = new BookHistory();
  #views: ReadonlyMap<string, MarketView> | undefined;

  constructor(private readonly state: Pick<ExchangeState, 'engine' | 'clock' | 'behavior'>) {}

  get behavior(): ExchangeState['behavior'] {
    return this.state.behavior;
  }

  /** Called before each request and each tick: the markets are those of this moment. */
  refresh(): void {
    this.#views = undefined;
  }

  /** Unix milliseconds. */
  now(): number {
    return this.state.clock.now();
  }

  markets(): MarketView[] {
    return [...this.#all().values()];
  }

  find(market: string): MarketView | undefined {
    return this.#all().get(market);
  }

  /** The market that a request names; throws a rejection for an unknown one. */
  market(name: string): MarketView {
    const view = this.find(name);
    if (view === undefined) throw unknownMarket(name);
    return view;
  }

  #all(): ReadonlyMap<string, MarketView> {
    this.#views ??= new Map(this.state.engine.views().map((view) => [view.listing.name, view]));
    return this.#views;
  }
}
