// Resting orders of a recorded market, against a market in which every order is known.
import { beforeAll, describe, expect, it } from 'vitest';
import { decimal, type Decimal } from '../../../src/model/decimal.js';
import { noLiquidity } from '../../../src/sandbox/engine/liquidity.js';
import {
  after,
  createQueue,
  type MarketEvent,
  type Queue,
  type QueueModel,
} from '../../../src/sandbox/engine/queue.js';
import { createRandom } from '../../../src/sandbox/random.js';
import { OrderLevelMarket, type Delays, type OwnOrder } from '../../support/order-level-market.js';

/** `QUEUE_ORDERS=100000` once: the figure stands in docs/backtesting.md. */
const minOrders = Number(process.env['QUEUE_ORDERS'] ?? 3000);
const limit = 6;
const delays: readonly [string, Delays][] = [
  ['no delay', { depth: 0, trades: 0, jitter: 0 }],
  ['trades first', { depth: 90, trades: 5, jitter: 0 }],
  ['frames first', { depth: 5, trades: 180, jitter: 0 }],
  ['trades 3 frames late', { depth: 5, trades: 330, jitter: 20 }],
  ['random delays', { depth: 20, trades: 20, jitter: 400 }],
];

/** The first five count what went against a rule: 0 in all. */
const zeroCounts = {
  ...{ early: 0, overTrade: 0, overShown: 0, aheadGrew: 0, laterThanPessimistic: 0 },
  ...{ orders: 0, filled: 0, filledInTruth: 0 },
};

/** One market with orders of ours at random times, at and around its best prices. */
function playMarket(seed: number, delay: Delays, total: typeof zeroCounts): void {
  const random = createRandom(seed);
  const market = new OrderLevelMarket(random, { events: 300, limit, delays: delay });
  const runs = { pessimistic: newRun('pessimistic'), proportional: newRun('proportional') };
  const own: OwnOrder[] = [];
  const moments: { readonly id: number; readonly at: number; readonly filled: Decimal }[] = [];
  let [known, minDelay] = [0, Infinity];

  const step = (event: MarketEvent) => {
    for (const run of Object.values(runs)) {
      const before = run.queue;
      const [queue, fills] = after(before, event);
      const sum = fills.reduce((all, { amount }) => all.plus(amount), decimal(0));
      if (event.kind === 'trade' && sum.isGreaterThan(event.amount)) total.overTrade += 1;
      if (event.kind === 'frame' && !isTaken(before, queue, event, sum)) total.overShown += 1;
      for (const order of queue.orders) {
        const earlier = before.orders.find(({ id }) => id === order.id)?.ahead;
        if (earlier !== undefined && order.ahead?.isGreaterThan(earlier) !== false) total.aheadGrew += 1;
      }
      for (const { id, amount } of fills) run.filled.set(id, amount.plus(run.filled.get(id) ?? 0));
      run.queue = queue;
    }
    for (const { id } of own) {
      const [cautious, even] = [runs.pessimistic.filled.get(id), runs.proportional.filled.get(id)];
      if (cautious?.isGreaterThan(even ?? 0) === true) total.laterThanPessimistic += 1;
    }
  };
  for (const { receivedAt, event } of market.received) {
    known = Math.max(known, event.at);
    minDelay = Math.min(minDelay, receivedAt - event.at);
    const before = new Map(runs.pessimistic.filled);
    step(event);
    for (const [id, amount] of runs.pessimistic.filled)
      if (before.get(id) !== amount) moments.push({ id, at: known, filled: amount });
    if (random() > 0.12) continue;
    const order = anOrder(own.length + 1, runs.pessimistic.queue, random, receivedAt - minDelay);
    if (order === undefined) continue;
    own.push(order);
    step({ kind: 'enter', order: { ...order, price: decimal(order.price), left: decimal(order.amount) } });
  }
  const truth = new Map(own.map((order) => [order.id, market.truth(order)]));
  for (const { id, filled, at } of moments) {
    const inTruth = truth.get(id)?.findLast((fill) => fill.at <= at)?.total ?? 0;
    if (filled.isGreaterThan(inTruth)) total.early += 1;
  }
  total.orders += own.length;
  total.filled += runs.pessimistic.filled.size;
  total.filledInTruth += [...truth.values()].filter((fills) => fills.length > 0).length;
}

const newRun = (model: QueueModel) => ({
  queue: createQueue({ model, step: decimal('0.01'), shown: noLiquidity(limit) }),
  filled: new Map<number, Decimal>(),
});

/** At most an amount that is shown and not taken was filled by a frame, and it is taken now. */
function isTaken(before: Queue, queue: Queue, event: MarketEvent, filled: Decimal): boolean {
  const [unchanged] = after({ ...before, orders: [] }, event);
  const taken = ({ shown }: Queue) =>
    [...shown.buy, ...shown.sell].reduce((all, one) => all.plus(one.taken), decimal(0));
  const isWithin = [...queue.shown.buy, ...queue.shown.sell].every((one) => one.taken.isLessThanOrEqualTo(one.amount));
  return isWithin && taken(queue).minus(taken(unchanged)).isEqualTo(filled);
}

/** A resting order of a random side near the best price: it never takes what is shown. */
function anOrder(id: number, { shown }: Queue, random: () => number, enteredAt: number): OwnOrder | undefined {
  const side = random() < 0.5 ? 'buy' : 'sell';
  const [bid, ask] = [shown.buy[0]?.price.toNumber(), shown.sell[0]?.price.toNumber()];
  if (bid === undefined || ask === undefined) return undefined;
  const distance = Math.floor(random() * 4) - 1;
  const price = side === 'buy' ? Math.min(bid - distance, ask - 1) : Math.max(ask + distance, bid + 1);
  return { id, side, price, amount: 1 + Math.floor(random() * 12), enteredAt };
}

describe.each(delays)('resting orders with %s', (_name, delay) => {
  const total = { ...zeroCounts };
  beforeAll(() => {
    for (let seed = 1; total.orders < minOrders / delays.length; seed += 1) playMarket(seed, delay, total);
    if (process.env['QUEUE_ORDERS'] !== undefined) console.log(_name, JSON.stringify(total));
  });

  it.each([
    ['are never filled earlier than in the market by the pessimistic model', 'early'],
    ['never get more of a trade than its amount', 'overTrade'],
    ['never get more of an offer than is shown and not taken', 'overShown'],
    ['never fall behind once a frame has confirmed their place', 'aheadGrew'],
    ['never get less by the proportional model than by the pessimistic one', 'laterThanPessimistic'],
  ] as const)('%s', (_rule, fault) => {
    expect(total[fault]).toBe(0);
  });

  it('are filled in most cases in which the market fills them', () => {
    expect(total.filled).toBeGreaterThan(total.filledInTruth / 2);
  });
});
