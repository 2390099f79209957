// `depth`: a snapshot of the best levels of an order book, then their changes.
import { type ChannelRules, isIntegerFrom, oneMarket, type Subscription, tickMs } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';
import { groupedRows, type BookState, type LiveExchange } from '../live-exchange.js';
import type { BookRow } from '../../market-data/index.js';

/** How long after its last message a subscription gets a snapshot. */
const keepaliveMs = 10_000;
const maxQueryLimit = 100;
const limits: readonly unknown[] = [1, 5, 10, 20, 30, 50, maxQueryLimit];
const intervals: readonly unknown[] = ['0', ...Array.from({ length: 8 }, (_, index) => `0.${'0'.repeat(7 - index)}1`)];

export function depth(exchange: LiveExchange): ChannelRules {
  return { queries: { request: (params) => query(exchange, params) }, open: () => depthSubscription(exchange) };
}

function query(exchange: LiveExchange, params: readonly unknown[]) {
  const [name, limit, interval] = params;
  if (params.length !== 3 || !isIntegerFrom(1, limit, maxQueryLimit) || !isInterval(interval)) throw invalidArgument();
  const view = oneMarket(exchange, [name]);
  const book = exchange.books.stateOf(view);
  const { asks, bids } = interval === '0' ? book : groupedRows(view, interval);
  return { timestamp: book.changedAt / 1000, asks: asks.slice(0, limit), bids: bids.slice(0, limit) };
}

function depthSubscription(exchange: LiveExchange): Subscription {
  const windows = new Map<string, DepthWindow>();
  return {
    subscribe(params) {
      const [market, limit, interval, isMulti = exchange.behavior.addsDepth] = params;
      const isValid =
        params.length <= 4 && typeof market === 'string' && limits.includes(limit) && isInterval(interval);
      if (!isValid || typeof limit !== 'number' || typeof isMulti !== 'boolean') throw invalidArgument();
      exchange.market(market);
      if (!isMulti) windows.clear();
      const added = new DepthWindow(exchange, { market, limit, interval });
      windows.set(market, added);
      return added.next();
    },
    unsubscribe(params) {
      if (params.length === 0) windows.clear();
      else windows.delete(oneMarket(exchange, params).listing.name);
    },
    due: () => [...windows.values()].flatMap((window) => window.next()),
    markets: () => [...windows.keys()],
  };
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
    return { past_update_id: sent.updateId, ...withoutEmpty(asks, bids) };
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
    const [asks, bids] = [levels.asks.slice(0, limit), levels.bids.slice(0, limit)];
    const sides = this.exchange.behavior.omitsEmptySide ? withoutEmpty(asks, bids) : { asks, bids };
    return this.#message(true, levels, sides);
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

function withoutEmpty(asks: readonly BookRow[], bids: readonly BookRow[]) {
  return { ...(asks.length === 0 ? {} : { asks }), ...(bids.length === 0 ? {} : { bids }) };
}
