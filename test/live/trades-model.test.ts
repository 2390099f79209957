// Trades of a market against everything that interrupts them: each once, in order, and no hole without a gap that covers it.
import type { LiveGap, LiveTradeItem } from 'exchange-rx';
import fc from 'fast-check';
import type { Subscription } from 'rxjs';
import { expect, it } from 'vitest';
import type { ReceivedRequest } from '../support/live-exchange.js';
import { onFakeTime, seconds, setup } from './setup.js';

const market = 'A_USDT';

interface Ways {
  /** Trades from before the subscription. */
  readonly older: number;
  readonly replays: 'never' | 'before the confirmation' | 'after the confirmation';
  readonly delayMs: number;
}

const ways$: fc.Arbitrary<Ways> = fc.record({
  older: fc.constantFrom(0, 3, 150),
  replays: fc.constantFrom('never', 'before the confirmation', 'after the confirmation'),
  delayMs: fc.constantFrom(0, 0, 300, 2500),
});

const step$ = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('trade' as const), count: fc.constantFrom(1, 1, 2, 5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('trade' as const), count: fc.constantFrom(60, 100, 130) }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 50, 400, 1100, 2600) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unreadable' as const), count: fc.constantFrom(1, 3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lost' as const), count: fc.constantFrom(1, 3) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('cut' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('other market' as const) }) },
);

class TradingExchange {
  readonly tape: { readonly id: number; readonly time: number; readonly price: string }[] = [];
  readonly items: LiveTradeItem[] = [];
  readonly lost = new Set<number>();
  /** Trades that a message has listed. */
  readonly listed = new Set<number>();
  /** The trades of the tape when the exchange confirmed the first subscription. */
  confirmedAt = Number.POSITIVE_INFINITY;
  readonly #subscribed = new Set<number>();
  readonly #exchange;
  readonly #server;
  readonly #subscription: Subscription;
  #other: Subscription | undefined;

  constructor(private readonly ways: Ways) {
    const { server, exchange } = setup();
    this.#server = server;
    this.#exchange = exchange;
    for (let index = ways.older; index > 0; index -= 1) this.#execute(Date.now() / 1000 - 3600 - index);
    server.react = (request) => {
      this.#react(request);
    };
    this.#subscription = exchange.live.trades({ markets: [market] }).subscribe((item) => this.items.push(item));
  }

  /** @param price of the first of them */
  trade(count: number, price = '1'): void {
    for (let index = 0; index < count; index += 1) this.#execute(Date.now() / 1000, index === 0 ? price : '1');
    const connection = this.#server.connections.at(-1);
    if (connection !== undefined && this.#subscribed.has(connection.number)) this.#push(count);
  }

  lose(count: number): void {
    for (let index = 0; index < count; index += 1) this.lost.add(this.#execute(Date.now() / 1000));
  }

  cut(): void {
    this.#server.connections.at(-1)?.end();
  }

  /** Subscribes to another market, or ends it: the exchange replays this one. */
  changeOther(): void {
    if (this.#other === undefined) this.#other = this.#exchange.live.trades({ markets: ['B_USDT'] }).subscribe();
    else {
      this.#other.unsubscribe();
      this.#other = undefined;
    }
  }

  end(): void {
    this.#other?.unsubscribe();
    this.#subscription.unsubscribe();
  }

  /** Numbers are not dense: the exchange has other markets. */
  #execute(time: number, price = '1'): number {
    const id = (this.tape.at(-1)?.id ?? 0) + 1 + (this.tape.length % 3);
    this.tape.push({ id, time, price });
    return id;
  }

  #react(request: ReceivedRequest): void {
    const { replays } = this.ways;
    const isTrades = request.method === 'trades_subscribe' && request.params.includes(market);
    if (isTrades) this.#subscribed.add(request.connection.number);
    const replay = () => {
      if (isTrades && this.tape.length > 0) this.#push(100);
    };
    if (replays === 'before the confirmation') replay();
    this.#server.confirm(request);
    if (isTrades) this.confirmedAt = Math.min(this.confirmedAt, this.tape.length);
    if (replays === 'after the confirmation') replay();
  }

  /** The newest trade first. */
  #push(count: number): void {
    const trades = this.tape.slice(-count).toReversed();
    const { last } = this.#server;
    const records = trades.map((trade) => ({ ...trade, amount: '1', type: 'buy' }));
    const send = () => {
      if (last.isOpen) for (const { id } of trades) this.listed.add(id);
      last.push('trades_update', [market, records]);
    };
    if (this.ways.delayMs === 0) send();
    else setTimeout(send, this.ways.delayMs);
  }
}

/** The holes and repetitions that no gap covers. */
function problemsOf({ tape, items, confirmedAt, lost, listed }: TradingExchange, older: number): string[] {
  const problems: string[] = [];
  /** Missing trades that any gap may cover. */
  const later: number[] = [];
  /**
   * Those since the last trade. An unreadable trade is missing within the list that follows its gap, and a lost one is
   * known to be missing when a later message lists it.
   */
  let gaps: LiveGap[] = [];
  const allGaps: LiveGap[] = [];
  const isCovered = (by: readonly LiveGap[], time: number) =>
    by.some(({ filled, from, to }) => !filled && from <= time && time <= to);
  /** The next trade of the tape that must come. */
  let next = Math.min(confirmedAt, tape.length);
  let isFirst = true;
  for (const item of items) {
    if (item.kind === 'gap') {
      gaps.push(item);
      allGaps.push(item);
      continue;
    }
    const index = tape.findIndex(({ id }) => id === item.trade.id);
    if (index < older) problems.push(`${index} is from before the subscription`);
    if (index < next && !isFirst) problems.push(`${index} came after ${next - 1}`);
    for (const { id, time, price } of tape.slice(next, index)) {
      if (lost.has(id) && !listed.has(id)) continue;
      if (price === 'x' || lost.has(id)) later.push(time);
      else if (!isCovered(gaps, time)) problems.push(`lost before ${index}`);
    }
    gaps = [];
    isFirst = false;
    next = index + 1;
  }
  for (const time of later) if (!isCovered(allGaps, time)) problems.push('lost without a gap');
  if (next !== tape.length) problems.push(`lost after ${next}`);
  return [...new Set(problems)];
}

onFakeTime();

it('trades come once and in order, and a gap covers every hole', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step$, { minLength: 1, maxLength: 40 }), ways$, async (steps, ways) => {
      const exchange = new TradingExchange(ways);
      await seconds(1);
      // Without a replay, a first message of 100 trades would be taken for one.
      if (ways.replays === 'never' || ways.older === 0) exchange.trade(1);
      for (const step of steps) {
        if (step.do === 'trade') exchange.trade(step.count);
        else if (step.do === 'unreadable') exchange.trade(step.count, 'x');
        else if (step.do === 'lost') exchange.lose(step.count);
        else if (step.do === 'wait') await seconds(step.ms / 1000);
        else if (step.do === 'cut') exchange.cut();
        else exchange.changeOther();
      }
      await seconds(60);
      exchange.trade(1);
      await seconds(60);
      exchange.end();
      expect(problemsOf(exchange, ways.older)).toEqual([]);
    }),
    { numRuns: 30 },
  );
}, 60_000);
