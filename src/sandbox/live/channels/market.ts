// `market` and `marketToday`: the statistics of the last 24 hours, and those since midnight UTC, in full every second.
import { formatDecimal } from '../../../model/decimal.js';
import type { MarketView } from '../../engine/index.js';
import type { Statistics } from '../../market-data/index.js';
import { MarketList, oneMarket, type Channel, type Subscription } from '../channel.js';
import { invalidArgument, type Push } from '../envelope.js';
import type { LiveExchange } from '../live-exchange.js';

const everyMs = 1000;
const secondsPerDay = 86_400;

/** The values of a market. */
type Values = (view: MarketView) => Readonly<Record<string, unknown>>;

export function marketChannel(exchange: LiveExchange): Channel {
  const day: Values = ({ tape }) => periodValues(secondsPerDay, tape.day(exchange.now()));
  return {
    name: 'market',
    everyMs,
    queries: {
      market_request: (params) => {
        const [name, seconds] = params;
        const isPeriod = typeof seconds === 'number' && Number.isSafeInteger(seconds) && seconds > 0;
        if (params.length !== 2 || !isPeriod) throw invalidArgument();
        const view = oneMarket(exchange, [name]);
        return seconds === secondsPerDay ? day(view) : periodValues(seconds, view.tape.period(seconds, exchange.now()));
      },
    },
    open: () => new StatisticsSubscription('market', exchange, day),
  };
}

export function marketTodayChannel(exchange: LiveExchange): Channel {
  const today: Values = ({ tape }) => {
    const { last, open, high, low, stock, money } = texts(tape.today(exchange.now()));
    return { last, open, high, low, volume: stock, deal: money };
  };
  return {
    name: 'marketToday',
    everyMs,
    queries: { marketToday_query: (params) => today(oneMarket(exchange, params)) },
    open: () => new StatisticsSubscription('marketToday', exchange, today),
  };
}

class StatisticsSubscription implements Subscription {
  readonly #list: MarketList;

  constructor(
    private readonly channel: string,
    private readonly exchange: LiveExchange,
    private readonly values: Values,
  ) {
    this.#list = new MarketList(exchange, { allowsAll: false });
  }

  subscribe(params: readonly unknown[]): Push[] {
    this.#list.replace(params);
    return this.exchange.settings.sendsValuesAtOnce ? this.due() : [];
  }

  unsubscribe(): void {
    this.#list.clear();
  }

  due(): Push[] {
    return this.#list.views().map((view) => {
      const { name } = view.listing;
      return { channel: this.channel, market: name, params: [name, this.values(view)] };
    });
  }

  markets(): string[] {
    return this.#list.names();
  }
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
