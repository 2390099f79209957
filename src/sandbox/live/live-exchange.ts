// What the channels read of the exchange: the markets at one moment, and order books by their update ID.
import { decimal } from '../../model/decimal.js';
import { priceStep, type MarketView } from '../engine/index.js';
import type { ExchangeState } from '../http/index.js';
import { rowsOf, type BookRow } from '../market-data/index.js';
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

  now(): number {
    return this.state.clock.now();
  }

  markets(): MarketView[] {
    return [...this.#all().values()];
  }

  find(market: string): MarketView | undefined {
    return this.#all().get(market);
  }

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

/** Its times are Unix milliseconds. */
export interface BookState {
  readonly updateId: number;
  readonly changedAt: number;
  /** When the best bid or ask last changed, as far as it was seen. */
  readonly topChangedAt: number;
  /** Best first. */
  readonly asks: readonly BookRow[];
  readonly bids: readonly BookRow[];
}

/** An ID of the size that the live exchange's have. */
const firstUpdateId = 31_000_000_000;
/** Of all markets together: the newest ones. A state of a book of 120 levels takes about 15 KB. */
const keptStates = 1000;

class BookHistory {
  /** By market and update ID, oldest first. */
  readonly #states = new Map<string, BookState>();
  readonly #newest = new Map<string, BookState>();

  stateOf(view: MarketView): BookState {
    const { listing, changedAt } = view;
    const updateId = view.recorded?.updateId ?? firstUpdateId + view.changes;
    const newest = this.#newest.get(listing.name);
    if (newest?.updateId === updateId) return newest;
    const { asks, bids } = groupedRows(view, '0');
    const isSameTop = newest !== undefined && isSame(newest.asks[0], asks[0]) && isSame(newest.bids[0], bids[0]);
    const topChangedAt = isSameTop ? newest.topChangedAt : changedAt;
    return this.#keep(listing.name, { updateId, changedAt, topChangedAt, asks, bids });
  }

  at(market: string, updateId: number): BookState | undefined {
    return this.#states.get(keyOf(market, updateId));
  }

  #keep(market: string, state: BookState): BookState {
    this.#newest.set(market, state);
    this.#states.set(keyOf(market, state.updateId), state);
    const [oldest] = this.#states.keys();
    if (this.#states.size > keptStates && oldest !== undefined) this.#states.delete(oldest);
    return state;
  }
}

function keyOf(market: string, updateId: number): string {
  return `${market} ${updateId}`;
}

function isSame(one: BookRow | undefined, other: BookRow | undefined): boolean {
  return one?.[0] === other?.[0] && one?.[1] === other?.[1];
}

export function groupedRows(view: MarketView, step: string): Pick<BookState, 'asks' | 'bids'> {
  const tick = priceStep(view.listing);
  const rows = { step: tick.isLessThan(step) ? decimal(step) : tick, limit: Number.POSITIVE_INFINITY };
  return { asks: rowsOf(view.asks(), { ...rows, side: 'asks' }), bids: rowsOf(view.bids(), { ...rows, side: 'bids' }) };
}
