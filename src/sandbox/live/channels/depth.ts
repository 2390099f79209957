// `depth`: a snapshot of the best levels of an order book, then their changes.
import { type ChannelRules, oneMarket, type Subscription, tickMs } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';
import { groupedRows, type BookState, type LiveExchange } from '../live-exchange.js';
import type { BookRow } from '../../market-data/index.js';

/** How long after its last message a subscription gets a snapshot. */
const keepaliveMs = 10_000;
const maxQueryLimit = 100;
const limits: readonly unknown[] = [1, 5, 10, 20, 30, 50, maxQueryLimit];
const intervals: readonly unknown[] = ['0', ...Array.from({ length: 8 }, (_, index) => `0.${'0'.repeat(7 - index)}1`)];

export function depth(exchange: LiveExchange): ChannelRules {
  return { queries: { request: (params) => query(exchange, params) }, open: () => new DepthSubscription(exchange) };
}

/** The book as it is, without an update ID. */
function query(exchange: LiveExchange, params: readonly unknown[]) {
  const [name, limit, interval] = params;
  const isLimit = typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= maxQueryLimit;
  if (params.length !== 3 || !isLimit || !isInterval(interval)) throw invalidArgument();
  const view = oneMarket(exchange, [name]);
  const book = exchange.books.stateOf(view);
  const { asks, bids } = interval === '0' ? book : groupedRows(view, interval);
  return { timestamp: book.changedAt / 1000, asks: asks.slice(0, limit), bids: bids.slice(0, limit) };
}

class DepthSubscription implements Subscription {
  readonly #windows = new Map<string, DepthWindow>();

  constructor(private readonly exchange: LiveExchange) {}

  subscribe(params: readonly unknown[]): Push[] {
    const { isMulti, ...window } = this.#read(params);
    this.exchange.market(window.market);
    if (!isMulti) this.#windows.clear();
    const added = new DepthWindow(this.exchange, window);
    this.#windows.set(window.market, added);
    return added.next();
  }

  unsubscribe(params: readonly unknown[]): void {
    if (params.length === 0) this.#windows.clear();
    else this.#windows.delete(oneMarket(this.exchange, params).listing.name);
  }

  due(): Push[] {
    return [...this.#windows.values()].flatMap((window) => window.next());
  }

  markets(): string[] {
    return [...this.#windows.keys()];
  }

  #read(params: readonly unknown[]): DepthParams & { readonly isMulti: boolean } {
    const [market, limit, interval, isMulti = this.exchange.behavior.addsDepth] = params;
    const isValid = params.length <= 4 && typeof market === 'string' && limits.includes(limit) && isInterval(interval);
    if (!isValid || typeof limit !== 'number' || typeof isMulti !== 'boolean') throw invalidArgument();
    return { market, limit, interval, isMulti };
  }
}

function isInterval(value: unknown): value is string {
  return intervals.includes(value);
}

interface DepthParams {
  readonly market: string;
  readonly limit: number;
  /** The price step by which levels are grouped; `"0"` for none. */
  readonly interval: string;
}

/** All levels; the first `limit` are the window. */
type Levels = Omit<BookState, 'topChangedAt'>;

class DepthWindow {
  #sent: Levels | undefined;
  #quietMs = 0;

  constructor(
    private readonly exchange: LiveExchange,
    private readonly params: DepthParams,
  ) {}

  next(): Push[] {
    this.#quietMs += tickMs;
    const levels = this.#levels();
    if (levels === undefined) return [];
    const changes = this.#sent && this.#changes(this.#sent, levels);
    if (changes !== undefined) return [this.#message(false, levels, changes)];
    return this.#sent === undefined || this.#quietMs >= keepaliveMs ? [this.#snapshot(levels)] : [];
  }

  /** `undefined` for a market that is not listed any more and whose streams are silent. */
  #levels(): Levels | undefined {
    const { market, interval } = this.params;
    const view = this.exchange.find(market);
    if (view !== undefined) {
      const book = this.exchange.books.stateOf(view);
      return interval === '0' ? book : { ...book, ...groupedRows(view, interval) };
    }
    const sent = this.#sent;
    if (sent === undefined || !this.exchange.behavior.emptiesDelisted) return undefined;
    const isEmpty = sent.asks.length + sent.bids.length === 0;
    return isEmpty ? sent : { ...sent, updateId: sent.updateId + 1, asks: [], bids: [] };
  }

  #changes(sent: Levels, levels: Levels): object | undefined {
    if (sent.updateId === levels.updateId) return undefined;
    const asks = this.#changesOf(sent.asks, levels.asks, 1);
    const bids = this.#changesOf(sent.bids, levels.bids, -1);
    if (asks.length + bids.length === 0) return undefined;
    return {
      past_update_id: sent.updateId,
      ...(asks.length === 0 ? {} : { asks }),
      ...(bids.length === 0 ? {} : { bids }),
    };
  }

  /** The levels of the window that differ, sorted as the side is (1: ascending), and removals as amounts of 0. */
  #changesOf(before: readonly BookRow[], after: readonly BookRow[], direction: 1 | -1): BookRow[] {
    const { limit } = this.params;
    const old = new Map(before.slice(0, limit));
    const current = new Map(after.slice(0, limit));
    const beyond = this.exchange.behavior.removesBeyondWindow ? undefined : new Map(after.slice(limit));
    const changed: BookRow[] = [...current].filter(([price, amount]) => old.get(price) !== amount);
    for (const price of old.keys()) if (!current.has(price) && beyond?.has(price) !== true) changed.push([price, '0']);
    return changed.sort(([one], [other]) => direction * (Number(one) - Number(other)));
  }

  #snapshot(levels: Levels): Push {
    const { limit } = this.params;
    const isShown = (rows: readonly BookRow[]) => rows.length > 0 || !this.exchange.behavior.omitsEmptySide;
    return this.#message(true, levels, {
      ...(isShown(levels.asks) ? { asks: levels.asks.slice(0, limit) } : {}),
      ...(isShown(levels.bids) ? { bids: levels.bids.slice(0, limit) } : {}),
    });
  }

  #message(isFull: boolean, levels: Levels, rest: object): Push {
    const { market } = this.params;
    this.#sent = levels;
    this.#quietMs = 0;
    const times = { timestamp: levels.changedAt / 1000, update_id: levels.updateId };
    const data = { ...times, ...rest, event_time: this.exchange.now() / 1000 };
    return { market, params: [isFull, data, market] };
  }
}
