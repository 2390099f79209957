// Books of a real market model against faults; one limit, no changes of it within a turn: does a live value ever differ?
import { describe, expect, it, vi } from 'vitest';
import { attack, ms, type Wire } from './hostile-exchange.js';
import { seeded } from '../setup.js';

type Level = [string, string];

async function run(seed: number, limit: 1 | 5 | 10): Promise<string[]> {
  const random = seeded(seed);
  const { world, exchange } = attack();
  const bids = new Map<number, string>();
  const asks = new Map<number, string>();
  let id = 1;
  const history = new Map<number, string>();
  const top = (side: Map<number, string>, sign: number): Level[] =>
    [...side]
      .sort(([one], [other]) => sign * (one - other))
      .slice(0, limit)
      .map(([price, amount]) => [String(price), amount]);
  const shown = () => ({ bids: top(bids, -1), asks: top(asks, 1) });
  const keep = () => history.set(id, JSON.stringify(shown()));
  const change = () => {
    for (let times = 0; times < 3; times += 1) {
      const isBid = random() < 0.5;
      const price = isBid ? 80 + Math.floor(random() * 20) : 101 + Math.floor(random() * 20);
      const side = isBid ? bids : asks;
      if (random() < 0.5) side.delete(price);
      else side.set(price, String(1 + Math.floor(random() * 9)));
    }
    id += 1 + Math.floor(random() * 5);
    keep();
  };
  for (let times = 0; times < 30; times += 1) change();
  let sub: { wire: Wire; last: number; sent: { bids: Level[]; asks: Level[] } } | undefined;
  const odd = (price: string) => (random() < 0.2 ? `${price}.0` : price);
  const snap = (wire: Wire) => {
    const sent = shown();
    sub = { wire, last: id, sent };
    wire.push('depth_update', [true, { update_id: id, ...sent }, 'A_USDT']);
  };
  const diff = (before: Level[], now: Level[]): Level[] => {
    const old = new Map(before);
    const next = new Map(now);
    const removed = before.filter(([price]) => !next.has(price)).map(([price]): Level => [odd(price), '0']);
    const set = now
      .filter(([price, amount]) => old.get(price) !== amount)
      .map(([price, amount]): Level => [odd(price), amount]);
    return [...removed, ...set];
  };
  world.on = ({ wire, id: request, method }) => {
    wire.ok(request);
    if (method === 'depth_subscribe') snap(wire);
    if (method === 'depth_unsubscribe') sub = undefined;
  };
  const problems: string[] = [];
  let lives = 0;
  let last = 'none';
  const listen = () =>
    exchange.live.orderBook({ market: 'A_USDT', limit }).subscribe(({ status, updateId, bids: b, asks: a }) => {
      last = status;
      if (status === 'stale') return;
      lives += 1;
      const whole = (levels: readonly (readonly [string, string])[]) =>
        levels.map(([price, amount]) => [String(Number(price)), amount]);
      const got = JSON.stringify({ bids: whole(b), asks: whole(a) });
      if (history.get(updateId) !== got) problems.push(`${updateId}: ${got} for ${String(history.get(updateId))}`);
    });
  let subscription = listen();
  let held: unknown;
  for (let step = 0; step < 400; step += 1) {
    await ms(100);
    change();
    if (sub?.wire.state !== 'open') continue;
    const now = shown();
    const data = {
      past_update_id: sub.last,
      update_id: id,
      bids: diff(sub.sent.bids, now.bids),
      asks: diff(sub.sent.asks, now.asks),
    };
    if (data.bids.length + data.asks.length === 0) continue;
    const { wire } = sub;
    sub = { wire, last: id, sent: now };
    const frame = [false, data, 'A_USDT'];
    const fault = random();
    if (fault < 0.03) continue; // lost
    if (fault < 0.06) wire.push('depth_update', frame); // twice
    if (fault < 0.08) {
      held = frame; // late
      continue;
    }
    if (fault < 0.09) {
      wire.cut();
      continue;
    }
    if (fault < 0.1) {
      snap(wire); // a keepalive
      continue;
    }
    if (fault < 0.11) wire.push('depth_update', [false, { ...data, bids: [['x', '1']] }, 'A_USDT']);
    wire.push('depth_update', frame);
    if (held !== undefined) wire.push('depth_update', held);
    held = undefined;
    if (fault > 0.995) {
      subscription.unsubscribe();
      await ms(1000);
      subscription = listen();
    }
  }
  await ms(60_000);
  for (let step = 0; step < 10; step += 1) {
    await ms(100);
    if (sub !== undefined) snap(sub.wire);
  }
  if (last !== 'live') problems.push(`${last} at the end`);
  if (lives < 50) problems.push(`only ${lives} live`);
  subscription.unsubscribe();
  return problems;
}

describe('a live book', () => {
  it('is never wrong, whatever is lost, repeated, late or unreadable', async () => {
    vi.useFakeTimers();
    const all: string[] = [];
    for (let seed = 1; seed <= 25; seed += 1) {
      for (const limit of [1, 5, 10] as const)
        for (const problem of await run(seed, limit)) all.push(`${seed}/${limit} ${problem}`);
    }
    vi.useRealTimers();
    expect(all.slice(0, 5)).toEqual([]);
  }, 120_000);
});
