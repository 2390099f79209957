// The public channels of a recorded exchange. Recorded messages are passed on as they are. A subscription begins with what
// is known, and windows of other depths are made of the recorded book.
import type { Channel, LiveExchange, Push, Subscription } from '../live/index.js';

/** The channels whose messages are recorded, by the member of `exchange.live`. */
const wireNames: Readonly<Record<string, string>> = {
  ...{ orderBook: 'depth', trades: 'trades', bookTicker: 'bookTicker', ticker: 'market' },
  ...{ premiumIndex: 'premiumIndex', lastPrice: 'lastprice', today: 'marketToday' },
};
/** Those whose first messages follow from books and trades; of the others the first recorded message is the first. */
const known: readonly string[] = ['trades', 'bookTicker'];

const recordedLimit = 100;
const recordedInterval = '0';

/** @param recorded members of `exchange.live`; the others are computed from books and trades */
export function recordedChannel(channel: Channel, recorded: readonly string[], exchange: LiveExchange): Channel {
  if (!recorded.some((member) => wireNames[member] === channel.name)) return channel;
  return { ...channel, open: () => (channel.name === 'depth' ? recordedDepth(channel, exchange) : passedOn(channel)) };
}

function passedOn({ name, open }: Channel): Subscription {
  const base = open();
  return {
    subscribe(params) {
      const first = base.subscribe(params);
      return known.includes(name) ? first : [];
    },
    unsubscribe(params) {
      base.unsubscribe(params);
    },
    due: () => [],
    passes: (market) => base.markets().includes(market),
    markets: () => base.markets(),
  };
}

function recordedDepth({ open }: Channel, exchange: LiveExchange): Subscription {
  const [recorded, computed] = [open(), open()];
  /** Markets whose next change follows what was sent. */
  const started = new Set<string>();
  const isOpen = ({ market = '' }: Push) => exchange.find(market)?.recorded?.isOpen === true;
  return {
    subscribe(params) {
      const [market, limit, interval] = params;
      const isRecorded = limit === recordedLimit && interval === recordedInterval;
      const pushes = (isRecorded ? recorded : computed).subscribe(params);
      (isRecorded ? computed : recorded).unsubscribe([market]);
      if (typeof market === 'string') started.delete(market);
      const shown = pushes.filter(isOpen);
      for (const push of isRecorded ? shown : []) started.add(push.market ?? '');
      return shown;
    },
    unsubscribe(params) {
      for (const subscription of [recorded, computed]) subscription.unsubscribe(params);
    },
    due: () => computed.due().filter(isOpen),
    passes(market, isSnapshot) {
      if (!recorded.markets().includes(market)) return false;
      if (isSnapshot) started.add(market);
      return started.has(market);
    },
    markets: () => [...recorded.markets(), ...computed.markets()],
  };
}
