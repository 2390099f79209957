// Subscribers of different limits who come and go, on one subscription: is a live value ever wrong?
import type { LiveOrderBook } from 'exchange-rx';
import type { Subscription } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { attack, ms, type Wire } from './hostile-exchange.js';
import { onFakeTime, seeded } from '../setup.js';

type Level = [string, string];
type Limit = 1 | 5 | 10;
type Sides = Record<'bids' | 'asks', Level[]>;

/** How the exchange treats a subscription. */
interface Ways {
  readonly seed: number;
  /** Whether levels that leave the window are removed by a message. */
  readonly removes: boolean;
  /** Whether the snapshot precedes the confirmation. */
  readonly pushesFirst: boolean;
  readonly latencyMs: number;
  /** Price levels of a side: with few of them, a snapshot does not show its limit. */
  readonly prices: number;
  /** The share of changes that are lost or come twice. */
  readonly faults: number;
}

/** One book, with one subscription. */
class Market {
  readonly #bids = new Map<number, string>();
  readonly #asks = new Map<number, string>();
  readonly #history = new Map<number, Sides>();
  #id = 1;
  #subscription: { readonly wire: Wire; readonly limit: number; last: number; sent: Sides } | undefined;

  constructor(
    private readonly random: () => number,
    private readonly ways: Ways,
  ) {
    for (let times = 0; times < 100; times += 1) this.change();
  }

  get limit(): number | undefined {
    return this.#subscription?.limit;
  }

  change(): void {
    for (let times = 0; times < 3; times += 1) {
      const isBid = this.random() < 0.5;
      const distance = Math.floor(this.random() * this.ways.prices);
      const price = isBid ? 100 - distance : 101 + distance;
      const side = isBid ? this.#bids : this.#asks;
      if (this.random() < 0.5) side.delete(price);
      else side.set(price, String(1 + Math.floor(this.random() * 9)));
    }
    this.#id += 1 + Math.floor(this.random() * 5);
    this.#history.set(this.#id, this.#top(20));
  }

  subscribe(wire: Wire, limit: number): void {
    this.#subscription = { wire, limit, last: this.#id, sent: this.#top(limit) };
    this.snapshot();
  }

  end(): void {
    this.#subscription = undefined;
  }

  snapshot(): void {
    const { wire, limit } = this.#subscription ?? {};
    if (wire === undefined || limit === undefined) return;
    const sent = this.#top(limit);
    this.#subscription = { wire, limit, last: this.#id, sent };
    wire.push('depth_update', [true, { update_id: this.#id, ...sent }, 'A_USDT']);
  }

  /** The changes since the last message; with a fault they are lost, or come twice. */
  push(): void {
    const subscription = this.#subscription;
    if (subscription?.wire.state !== 'open') return;
    const { wire, sent, last, limit } = subscription;
    const now = this.#top(limit);
    const whole = this.#top(20);
    const sides = {
      bids: this.#changes(sent.bids, now.bids, whole.bids),
      asks: this.#changes(sent.asks, now.asks, whole.asks),
    };
    if (sides.bids.length + sides.asks.length === 0) return;
    this.#subscription = { wire, limit, last: this.#id, sent: now };
    const fault = this.random();
    if (fault < this.ways.faults / 2) return;
    const frame = [false, { past_update_id: last, update_id: this.#id, ...sides }, 'A_USDT'];
    wire.push('depth_update', frame);
    if (fault < this.ways.faults) wire.push('depth_update', frame);
  }

  /** Whether the best levels of the book were these. */
  wasTrue({ updateId, bids, asks }: LiveOrderBook, limit: number): boolean {
    const known = this.#history.get(updateId);
    const expected = { bids: known?.bids.slice(0, limit), asks: known?.asks.slice(0, limit) };
    return JSON.stringify({ bids, asks }) === JSON.stringify(expected);
  }

  #top(limit: number): Sides {
    const best = (side: Map<number, string>, sign: number) =>
      [...side]
        .sort(([one], [other]) => sign * (one - other))
        .slice(0, limit)
        .map(([price, amount]): Level => [String(price), amount]);
    return { bids: best(this.#bids, -1), asks: best(this.#asks, 1) };
  }

  #changes(before: readonly Level[], now: readonly Level[], whole: readonly Level[]): Level[] {
    const old = new Map(before);
    const next = new Map(this.ways.removes ? now : whole);
    const removed = before.filter(([price]) => !next.has(price)).map(([price]): Level => [price, '0']);
    return [...removed, ...now.filter(([price, amount]) => old.get(price) !== amount)];
  }
}

/** What was wrong: values, and at the end what is subscribed. `stales` counts the stale books that were emitted. */
async function run(
  ways: Ways,
): Promise<{ readonly problems: string[]; readonly stales: number; readonly lives: number }> {
  const random = seeded(ways.seed);
  const { world, exchange } = attack();
  world.latencyMs = ways.latencyMs;
  const market = new Market(random, ways);
  world.on = ({ wire, id, method, params }) => {
    const push = () => {
      if (method === 'depth_subscribe') market.subscribe(wire, Number(params[1]));
      else market.end();
    };
    if (ways.pushesFirst) push();
    wire.ok(id);
    if (!ways.pushesFirst) push();
  };
  const problems: string[] = [];
  let stales = 0;
  let lives = 0;
  const last = new Map<Subscription, string>();
  const limits = new Map<Subscription, Limit>();
  const listen = (limit: Limit) => {
    const subscription = exchange.live.orderBook({ market: 'A_USDT', limit }).subscribe((book) => {
      queueMicrotask(() => last.set(subscription, book.status));
      if (book.status === 'stale') stales += 1;
      else lives += 1;
      if (book.status === 'live' && !market.wasTrue(book, limit)) {
        problems.push(`${limit} of ${market.limit ?? 0}: ${JSON.stringify(book)}`);
      }
    });
    limits.set(subscription, limit);
  };
  const leave = (subscription: Subscription) => {
    subscription.unsubscribe();
    limits.delete(subscription);
  };
  listen(1);
  for (let step = 0; step < 300; step += 1) {
    await ms(20 + Math.floor(random() * 80));
    market.change();
    market.push();
    if (random() < 0.02) market.snapshot();
    const [oldest] = limits.keys();
    if (random() < 0.1) listen(([1, 5, 10] as const)[Math.floor(random() * 3)] ?? 1);
    if (random() < 0.1 && oldest !== undefined && limits.size > 1) leave(oldest);
    if (random() < ways.faults / 20) world.wire.cut();
  }
  for (let step = 0; step < 60; step += 1) {
    await ms(1000);
    market.snapshot();
  }
  for (const subscription of limits.keys()) {
    if (last.get(subscription) !== 'live') problems.push(`${last.get(subscription) ?? 'silent'} at the end`);
  }
  if (market.limit !== 100) problems.push(`${market.limit ?? 0} levels at the end`);
  for (const subscription of [...limits.keys()]) leave(subscription);
  return { problems, stales, lives };
}

const seeds = Array.from({ length: 4 }, (_, index) => index + 1);
const cases = [true, false].flatMap((removes) =>
  [true, false].flatMap((pushesFirst) => [10, 150].map((latencyMs) => ({ removes, pushesFirst, latencyMs }))),
);

describe('a live book of several limits', () => {
  onFakeTime();

  it.each(cases)('is never wrong: %o', async (ways) => {
    for (const seed of seeds) {
      for (const prices of [4, 7, 18]) {
        for (const faults of [0, 0.1]) {
          const { problems, lives } = await run({ ...ways, seed, prices, faults });
          expect(problems.slice(0, 2)).toEqual([]);
          expect(lives).toBeGreaterThan(100);
        }
      }
    }
  });

  it.each([true, false])('is never stale for it (snapshot before confirmation: %s)', async (pushesFirst) => {
    for (const seed of seeds) {
      const { stales } = await run({ seed, removes: true, pushesFirst, latencyMs: 60, prices: 60, faults: 0 });
      expect(stales).toBe(0);
    }
  });
});
