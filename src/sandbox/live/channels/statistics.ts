// `bookTicker`, `lastprice`, `market`, `marketToday` and `premiumIndex`: prices and statistics of each market of a list.
import type { Decimal } from '../../../model/decimal.js';
import type { MarketView } from '../../engine/index.js';
import { isIntegerFrom, oneMarket, type ChannelRules } from '../channel.js';
import { invalidArgument } from '../envelope.js';
import { listChannel } from '../list-channel.js';
import type { LiveExchange } from '../live-exchange.js';

const secondsPerDay = 86_400;
const none = ['0', '0'] as const;

const ofEachMarket = ({ behavior }: LiveExchange) => ({
  ...{ everyMs: 1000, list: { allowsAll: false }, startsAtOnce: behavior.sendsValuesAtOnce },
});

/** The best bid and ask, when one of them has changed. */
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

export function lastprice(exchange: LiveExchange): ChannelRules {
  return listChannel<Decimal>(exchange, {
    ...ofEachMarket(exchange),
    queries: { request: (params) => oneMarket(exchange, params).tape.last.price },
    next: ({ listing, tape }, sent, isFirst) => {
      const { price } = tape.last;
      return !isFirst && sent?.isEqualTo(price) === true ? undefined : { params: [listing.name, price], sent: price };
    },
  });
}

export function market(exchange: LiveExchange): ChannelRules {
  const valuesOf = ({ tape }: MarketView, period: number) => {
    const statistics = period === secondsPerDay ? tape.day(exchange.now()) : tape.period(period, exchange.now());
    const { last, open, high, low, stock: volume, money: deal } = statistics;
    return { period, last, open, close: last, high, low, volume, deal };
  };
  return listChannel(exchange, {
    ...ofEachMarket(exchange),
    queries: {
      request: ([name, seconds, ...rest]) => {
        if (rest.length > 0 || !isIntegerFrom(1, seconds)) throw invalidArgument();
        return valuesOf(oneMarket(exchange, [name]), seconds);
      },
    },
    next: (view) => ({ params: [view.listing.name, valuesOf(view, secondsPerDay)] }),
  });
}

export function marketToday(exchange: LiveExchange): ChannelRules {
  const valuesOf = ({ tape }: MarketView) => {
    const { stock: volume, money: deal, ...prices } = tape.today(exchange.now());
    return { ...prices, volume, deal };
  };
  return listChannel(exchange, {
    ...ofEachMarket(exchange),
    queries: { query: (params) => valuesOf(oneMarket(exchange, params)) },
    next: (view) => ({ params: [view.listing.name, valuesOf(view)] }),
  });
}

/** Mark price, index price and funding rate of perpetuals, twice a second; those of all perpetuals are one message. */
export function premiumIndex(exchange: LiveExchange): ChannelRules {
  const valuesOf = ({ listing, price, perpetual }: MarketView) => {
    if (perpetual === undefined) return [];
    const { indexPrice, fundingRate, nextFundingAt } = perpetual;
    // Milliseconds, unlike every other time of the interface.
    return [listing.name, price, indexPrice, fundingRate, nextFundingAt, exchange.now() / 1000];
  };
  return listChannel(exchange, {
    ...{ everyMs: 500, list: { allowsAll: true, accepts: (view) => view?.perpetual !== undefined } },
    due: (list) => {
      const values = list.views().map((view) => ({ market: view.listing.name, params: valuesOf(view) }));
      return list.isAll ? [{ params: values.map(({ params }) => params) }] : values;
    },
  });
}
