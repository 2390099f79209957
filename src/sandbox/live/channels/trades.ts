// `trades`: the newest trades of each market after every change of the list, then new trades.
import type { MarketView } from '../../engine/index.js';
import type { MarketTrade } from '../../market-data/index.js';
import { isIntegerFrom, oneMarket, tickMs, type Channel, type Subscription } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';
import { MarketList } from '../list-channel.js';
import type { LiveExchange } from '../live-exchange.js';

const maxTrades = 100;

export function tradesChannel(exchange: LiveExchange): Channel {
  return {
    name: 'trades',
    everyMs: tickMs,
    queries: { trades_request: (params) => query(exchange, params) },
    open: () => new TradesSubscription(exchange),
  };
}

/** The newest first. */
function query(exchange: LiveExchange, params: readonly unknown[]) {
  const [name, limit, id] = params;
  if (params.length !== 3 || !isIntegerFrom(1, limit) || limit > maxTrades || !isIntegerFrom(0, id))
    throw invalidArgument();
  const { trades } = oneMarket(exchange, [name]).tape;
  const isAfter = exchange.behavior.tradesRequest === 'after';
  return trades
    .filter((trade) => id === 0 || (isAfter ? trade.id > id : trade.id <= id))
    .slice(-limit)
    .reverse()
    .map(tradeRecord);
}

class TradesSubscription implements Subscription {
  readonly #list: MarketList;
  #sentIds = new Map<string, number>();

  constructor(exchange: LiveExchange) {
    this.#list = new MarketList(exchange, { allowsAll: true });
  }

  /** Sends the newest trades of every market of the list again. */
  subscribe(params: readonly unknown[]): Push[] {
    this.#list.replace(params);
    const before = this.#sentIds;
    this.#sentIds = new Map();
    return this.#list.views().flatMap((view) => {
      const { name } = view.listing;
      const sentId = before.get(name);
      const oldest = view.tape.trades.at(-maxTrades);
      const isCovered = sentId === undefined || oldest === undefined || oldest.id <= sentId;
      this.#sentIds.set(name, isCovered ? view.tape.last.id : sentId);
      return [replayOf(view)];
    });
  }

  unsubscribe(): void {
    this.#list.clear();
    this.#sentIds.clear();
  }

  due(): Push[] {
    return this.#list.views().flatMap((view) => {
      const { name } = view.listing;
      const trades = newerThan(this.#sentIds.get(name) ?? 0, view);
      this.#sentIds.set(name, view.tape.last.id);
      return trades.length === 0 ? [] : [tradesPush(name, trades)];
    });
  }

  markets(): string[] {
    return this.#list.names();
  }
}

/** The trades after this one, newest first. */
function newerThan(id: number, { tape: { trades } }: MarketView): MarketTrade[] {
  const newer: MarketTrade[] = [];
  for (let index = trades.length - 1; index >= 0; index -= 1) {
    const trade = trades[index];
    if (trade === undefined || trade.id <= id) break;
    newer.push(trade);
  }
  return newer;
}

/** The newest trades of a market, of which there is always one. */
function replayOf({ listing, tape }: MarketView): Push {
  return tradesPush(listing.name, tape.trades.slice(-maxTrades).reverse());
}

function tradesPush(market: string, trades: readonly MarketTrade[]): Push {
  return { channel: 'trades', market, params: [market, trades.map(tradeRecord)] };
}

function tradeRecord({ id, at, side, price, amount, rpi }: MarketTrade) {
  return { id, time: at / 1000, price, amount, type: side, rpi };
}
