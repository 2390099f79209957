// `lastprice`, `market`, `marketToday` and `premiumIndex`: prices and statistics of each market of a list.
import type { MarketView } from '../../engine/index.js';
import { oneMarket, type Channel } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';
import { listChannel, type MarketList } from '../list-channel.js';
import type { LiveExchange } from '../live-exchange.js';

const everyMs = 1000;
const secondsPerDay = 86_400;

/** The price of the last trade, when it has changed. */
export function lastpriceChannel(exchange: LiveExchange): Channel {
  const lastPrice = ({ tape }: MarketView) => tape.last.price;
  return listChannel(exchange, {
    ...{ name: 'lastprice', everyMs, list: { allowsAll: false } },
    queries: { lastprice_request: (params) => lastPrice(oneMarket(exchange, params)) },
    due: valuesOfEach(lastPrice),
    startsAtOnce: exchange.behavior.sendsValuesAtOnce,
    sendsChangesOnly: true,
  });
}

/** The statistics of the last 24 hours, in full every second. */
export function marketChannel(exchange: LiveExchange): Channel {
  const valuesOf = ({ tape }: MarketView, period: number) => {
    const statistics = period === secondsPerDay ? tape.day(exchange.now()) : tape.period(period, exchange.now());
    const { last, open, high, low, stock: volume, money: deal } = statistics;
    // The close is the last price.
    return { period, last, open, close: last, high, low, volume, deal };
  };
  return listChannel(exchange, {
    ...{ name: 'market', everyMs, list: { allowsAll: false } },
    queries: {
      market_request: (params) => {
        const [name, seconds] = params;
        const isPeriod = typeof seconds === 'number' && Number.isSafeInteger(seconds) && seconds > 0;
        if (params.length !== 2 || !isPeriod) throw invalidArgument();
        return valuesOf(oneMarket(exchange, [name]), seconds);
      },
    },
    due: valuesOfEach((view) => valuesOf(view, secondsPerDay)),
    startsAtOnce: exchange.behavior.sendsValuesAtOnce,
  });
}

/** The statistics since midnight UTC, in full every second. */
export function marketTodayChannel(exchange: LiveExchange): Channel {
  const valuesOf = ({ tape }: MarketView) => {
    const { stock: volume, money: deal, ...prices } = tape.today(exchange.now());
    return { ...prices, volume, deal };
  };
  return listChannel(exchange, {
    ...{ name: 'marketToday', everyMs, list: { allowsAll: false } },
    queries: { marketToday_query: (params) => valuesOf(oneMarket(exchange, params)) },
    due: valuesOfEach(valuesOf),
    startsAtOnce: exchange.behavior.sendsValuesAtOnce,
  });
}

/** Mark price, index price and funding rate of perpetuals, twice a second; those of all perpetuals are one message. */
export function premiumIndexChannel(exchange: LiveExchange): Channel {
  const valuesOf = ({ listing, price, perpetual }: MarketView) => {
    if (perpetual === undefined) return [];
    const { indexPrice, fundingRate, nextFundingAt } = perpetual;
    // Milliseconds, unlike every other time of the interface.
    return [listing.name, price, indexPrice, fundingRate, nextFundingAt, exchange.now() / 1000];
  };
  return listChannel(exchange, {
    ...{ name: 'premiumIndex', everyMs: 500 },
    list: { allowsAll: true, accepts: (view) => view?.perpetual !== undefined },
    due: (list) => {
      const values = list.views().map((view) => ({ market: view.listing.name, params: valuesOf(view) }));
      return list.isAll ? [{ params: values.map(({ params }) => params) }] : values;
    },
  });
}

/** One message for each market: its name, and its values. */
function valuesOfEach(valuesOf: (view: MarketView) => unknown) {
  return (list: MarketList): Omit<Push, 'channel'>[] =>
    list.views().map((view) => ({ market: view.listing.name, params: [view.listing.name, valuesOf(view)] }));
}
