// `trades`: the newest trades of each market after every change of the list, then new trades.
import type { MarketTrade } from '../../market-data/index.js';
import { isIntegerFrom, oneMarket, type ChannelRules } from '../channel.js';
import { invalidArgument } from '../envelope.js';
import { listChannel } from '../list-channel.js';
import type { LiveExchange } from '../live-exchange.js';

const maxTrades = 100;

export function trades(exchange: LiveExchange): ChannelRules {
  return listChannel<MarketTrade>(exchange, {
    list: { allowsAll: true },
    queries: { request: (params) => query(exchange, params) },
    next: ({ listing, tape }, sent, isFirst) => {
      const newer = sent === undefined ? tape.trades : newerThan(sent, tape.trades);
      if (newer.length === 0 && !isFirst) return undefined;
      const shown = isFirst ? tape.trades.slice(-maxTrades) : newer;
      // What a replay leaves out comes with the next message.
      const isWhole = sent === undefined || newer.length <= shown.length;
      return { params: [listing.name, newestFirst(shown)], sent: isWhole ? tape.last : sent };
    },
    startsAtOnce: true,
  });
}

function query(exchange: LiveExchange, params: readonly unknown[]) {
  const [name, limit, id] = params;
  if (params.length !== 3 || !isIntegerFrom(1, limit, maxTrades) || !isIntegerFrom(0, id)) throw invalidArgument();
  const isAfter = exchange.behavior.tradesRequest === 'after';
  const { tape } = oneMarket(exchange, [name]);
  const wanted = tape.trades.filter((trade) => id === 0 || (isAfter ? trade.id > id : trade.id <= id));
  return newestFirst(wanted.slice(-limit));
}

function newerThan({ id }: MarketTrade, kept: readonly MarketTrade[]): readonly MarketTrade[] {
  return kept.slice(kept.findLastIndex((trade) => trade.id <= id) + 1);
}

function newestFirst(shown: readonly MarketTrade[]) {
  return shown.map(tradeRecord).reverse();
}

function tradeRecord({ id, at, side, price, amount, rpi }: MarketTrade) {
  return { id, time: at / 1000, price, amount, type: side, rpi };
}
