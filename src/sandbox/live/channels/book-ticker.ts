// `bookTicker`: the best bid and ask, when one of them has changed.
import type { ChannelRules } from '../channel.js';
import { listChannel } from '../list-channel.js';
import type { LiveExchange } from '../live-exchange.js';

const none = ['0', '0'] as const;

export function bookTicker(exchange: LiveExchange): ChannelRules {
  return listChannel<string>(exchange, {
    list: { allowsAll: true, isSingle: true, adds: !exchange.behavior.replacesBookTicker },
    next: (view, sent, isFirst) => {
      const { name } = view.listing;
      const book = exchange.books.stateOf(view);
      const best = [...(book.bids[0] ?? none), ...(book.asks[0] ?? none)];
      if (best.join() === sent && !isFirst) return undefined;
      const times = [book.topChangedAt / 1000, exchange.now() / 1000];
      return { params: [[...times, name, book.updateId, ...best]], sent: best.join() };
    },
    startsAtOnce: true,
  });
}
