// `market` and `marketToday`: the statistics of the last 24 hours, and those since midnight UTC, in full every second.
import { formatDecimal } from '../../../model/decimal.js';
import type { MarketView } from '../../engine/index.js';
import type { Statistics } from '../../market-data/index.js';
import { oneMarket, type Channel } from '../channel.js';
import { invalidArgument } from '../envelope.js';
import type { LiveExchange } from '../live-exchange.js';
import { listChannel } from './list-channel.js';

const everyMs = 1000;
const secondsPerDay = 86_400;

export function marketChannel(exchange: LiveExchange): Channel {
  const valuesOf = ({ tape }: MarketView, seconds: number) =>
    periodValues(seconds, seconds === secondsPerDay ? tape.day(exchange.now()) : tape.period(seconds, exchange.now()));
  return listChannel(exchange, {
    name: 'market',
    everyMs,
    queries: {
      market_request: (params) => {
        const [name, seconds] = params;
        const isPeriod = typeof seconds === 'number' && Number.isSafeInteger(seconds) && seconds > 0;
        if (params.length !== 2 || !isPeriod) throw invalidArgument();
        return valuesOf(oneMarket(exchange, [name]), seconds);
      },
    },
    valuesOf: (view) => [view.listing.name, valuesOf(view, secondsPerDay)],
    startsAtOnce: true,
  });
}

export function marketTodayChannel(exchange: LiveExchange): Channel {
  const valuesOf = ({ tape }: MarketView) => {
    const { last, open, high, low, stock, money } = texts(tape.today(exchange.now()));
    return { last, open, high, low, volume: stock, deal: money };
  };
  return listChannel(exchange, {
    name: 'marketToday',
    everyMs,
    queries: { marketToday_query: (params) => valuesOf(oneMarket(exchange, params)) },
    valuesOf: (view) => [view.listing.name, valuesOf(view)],
    startsAtOnce: true,
  });
}

/** The close is the last price. */
function periodValues(period: number, statistics: Statistics) {
  const { last, open, high, low, stock, money } = texts(statistics);
  return { period, last, open, close: last, high, low, volume: stock, deal: money };
}

function texts({ last, open, high, low, stock, money }: Statistics) {
  return {
    last: formatDecimal(last),
    open: formatDecimal(open),
    high: formatDecimal(high),
    low: formatDecimal(low),
    stock: formatDecimal(stock),
    money: formatDecimal(money),
  };
}
