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
  const open = () => (channel.name === 'depth' ? new RecordedDepth(channel, exchange) : new Passed(channel));
  return { ...channel, open };
}

class Passed implements Subscription {
  readonly #base: Subscription;
  readonly #isKnown: boolean;

  constructor({ name, open }: Channel) {
    this.#base = open();
    this.#isKnown = known.includes(name);
  }

  subscribe(params: readonly unknown[]): readonly Push[] {
    const first = this.#base.subscribe(params);
    return this.#isKnown ? first : [];
  }

  unsubscribe(params: readonly unknown[]): void {
    this.#base.unsubscribe(params);
  }

  due(): readonly Push[] {
    return [];
  }

  passes(market: string): boolean {
    return this.#base.markets().includes(market);
  }

  markets(): readonly string[] {
    return this.#base.markets();
  }
}

class RecordedDepth implements Subscription {
  readonly #recorded: Subscription;
  readonly #computed: Subscription;
  /** Markets whose next change follows what was sent. */
  readonly #started = new Set<string>();

  constructor(
    { open }: Channel,
    private readonly exchange: LiveExchange,
  ) {
    this.#recorded = open();
    this.#computed = open();
  }

  subscribe(params: readonly unknown[]): readonly Push[] {
    const [market, limit, interval] = params;
    const isRecorded = limit === recordedLimit && interval === recordedInterval;
    const pushes = (isRecorded ? this.#recorded : this.#computed).subscribe(params);
    (isRecorded ? this.#computed : this.#recorded).unsubscribe([market]);
    if (typeof market === 'string') this.#started.delete(market);
    const open = pushes.filter((push) => this.#isOpen(push));
    for (const push of isRecorded ? open : []) this.#started.add(push.market ?? '');
    return open;
  }

  unsubscribe(params: readonly unknown[]): void {
    for (const subscription of [this.#recorded, this.#computed]) subscription.unsubscribe(params);
  }

  due(): readonly Push[] {
    return this.#computed.due().filter((push) => this.#isOpen(push));
  }

  passes(market: string, isSnapshot: boolean): boolean {
    if (!this.#recorded.markets().includes(market)) return false;
    if (isSnapshot) this.#started.add(market);
    return this.#started.has(market);
  }

  markets(): readonly string[] {
    return [...this.#recorded.markets(), ...this.#computed.markets()];
  }

  #isOpen({ market = '' }: Push): boolean {
    return this.exchange.find(market)?.recorded?.isOpen === true;
  }
}
