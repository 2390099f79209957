// `depth`: a snapshot of the best levels of an order book, then their changes.
import { type Channel, oneMarket, type Subscription, tickMs } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';
import { groupedRows, type LiveExchange } from '../live-exchange.js';
import type { BookRow } from '../../market-data/index.js';

/** How long after its last message a subscription gets a snapshot. */
const keepaliveMs = 10_000;
const maxQueryLimit = 100;
const limits: readonly unknown[] = [1, 5, 10, 20, 30, 50, maxQueryLimit];
const intervals: readonly unknown[] = ['0', ...Array.from({ length: 8 }, (_, index) => `0.${'0'.repeat(7 - index)}1`)];

export function depthChannel(exchange: LiveExchange): Channel {
  return {
    name: 'depth',
    everyMs: tickMs,
    queries: { depth_request: (params) => query(exchange, params) },
    open: () => new DepthSubscription(exchange),
  };
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

/** At most one window of each market. */
class DepthSubscription implements Subscription {
  readonly #windows = new Map<string, DepthWindow>();

  constructor(private readonly exchange: LiveExchange) {}

  subscribe(params: readonly unknown[]): Push[] {
    const { isMulti, ...window } = this.#read(params);
    this.exchange.market(window.market);
    if (!isMulti) this.#windows.clear();
    const added = new DepthWindow(this.exchange, window);
    this.#windows.set(window.market, added);
    const snapshot = added.snapshot();
    return snapshot === undefined ? [] : [snapshot];
  }

  unsubscribe(params: readonly unknown[]): void {
    if (params.length === 0) this.#windows.clear();
    else this.#windows.delete(oneMarket(this.exchange, params).listing.name);
  }

  due(): Push[] {
    return [...this.#windows.values()].flatMap((window) => window.next() ?? []);
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

export interface DepthParams {
  readonly market: string;
  readonly limit: number;
  /** The price step by which levels are grouped; `"0"` for none. */
  readonly interval: string;
}

interface Levels {
  readonly updateId: number;
  readonly changedAt: number;
  /** All levels; the first `limit` are the window. */
  readonly asks: readonly BookRow[];
  readonly bids: readonly BookRow[];
}

class DepthWindow {
  #sent: Levels | undefined;
  #seenId = 0;
  #quietMs = 0;

  constructor(
    private readonly exchange: LiveExchange,
    private readonly params: DepthParams,
  ) {}

  snapshot(): Push | undefined {
    const levels = this.#levels();
    return levels === undefined ? undefined : this.#sendSnapshot(levels);
  }

  /** What one tick sends: the changes, or a snapshot after a quiet time. */
  next(): Push | undefined {
    this.#quietMs += tickMs;
    const levels = this.#levels();
    if (levels === undefined) return undefined;
    return this.#changes(levels) ?? (this.#quietMs >= keepaliveMs ? this.#sendSnapshot(levels) : undefined);
  }

  /** `undefined` for a market that is not listed any more and whose streams are silent. */
  #levels(): Levels | undefined {
    const { market, interval } = this.params;
    const view = this.exchange.find(market);
    if (view !== undefined) {
      const book = this.exchange.books.stateOf(view);
      const { updateId, changedAt } = book;
      if (this.#sent !== undefined && this.#seenId === updateId) return { ...this.#sent, updateId, changedAt };
      return interval === '0' ? book : { ...book, ...groupedRows(view, interval) };
    }
    if (this.#sent === undefined || !this.exchange.behavior.emptiesDelisted) return undefined;
    const wasEmpty = this.#sent.asks.length + this.#sent.bids.length === 0;
    const { updateId, changedAt } = this.#sent;
    return { updateId: wasEmpty ? updateId : updateId + 1, changedAt, asks: [], bids: [] };
  }

  #changes(levels: Levels): Push | undefined {
    const sent = this.#sent;
    if (sent === undefined || this.#seenId === levels.updateId) return undefined;
    this.#seenId = levels.updateId;
    const asks = this.#changesOf(sent.asks, levels.asks, 1);
    const bids = this.#changesOf(sent.bids, levels.bids, -1);
    if (asks.length + bids.length === 0) return undefined;
    this.#sent = levels;
    return this.#message(false, levels, {
      past_update_id: sent.updateId,
      ...(asks.length === 0 ? {} : { asks }),
      ...(bids.length === 0 ? {} : { bids }),
    });
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

  #sendSnapshot(levels: Levels): Push {
    const { limit } = this.params;
    this.#sent = levels;
    this.#seenId = levels.updateId;
    const isShown = (rows: readonly BookRow[]) => rows.length > 0 || !this.exchange.behavior.omitsEmptySide;
    return this.#message(true, levels, {
      ...(isShown(levels.asks) ? { asks: levels.asks.slice(0, limit) } : {}),
      ...(isShown(levels.bids) ? { bids: levels.bids.slice(0, limit) } : {}),
    });
  }

  #message(isFull: boolean, { updateId, changedAt }: Levels, rest: object): Push {
    const { market } = this.params;
    this.#quietMs = 0;
    const times = { timestamp: changedAt / 1000, update_id: updateId };
    const data = { ...times, ...rest, event_time: this.exchange.now() / 1000 };
    return { channel: 'depth', market, params: [isFull, data, market] };
  }
}
