// `depth`: a snapshot of the best levels of an order book, then their changes.
import { groupedRows, secondsOf } from '../book-history.js';
import { oneMarket, tickMs, type Channel, type Subscription } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';
import type { LiveExchange } from '../live-exchange.js';
import { DepthWindow, type DepthParams } from './depth-window.js';

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
  const book = exchange.bookOf(view);
  const { asks, bids } = interval === '0' ? book : groupedRows(view, interval);
  return { timestamp: secondsOf(book.changedAt), asks: asks.slice(0, limit), bids: bids.slice(0, limit) };
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
    const [market, limit, interval, isMulti = this.exchange.settings.addsDepth] = params;
    const isValid = params.length <= 4 && typeof market === 'string' && limits.includes(limit) && isInterval(interval);
    if (!isValid || typeof limit !== 'number' || typeof isMulti !== 'boolean') throw invalidArgument();
    return { market, limit, interval, isMulti };
  }
}

function isInterval(value: unknown): value is string {
  return intervals.includes(value);
}
