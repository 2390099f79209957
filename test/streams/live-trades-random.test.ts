// Live trades through random faults: each comes once, and those that are missing lie in a reported gap.
import { watchTrades } from 'exchange-rx';
import { BehaviorSubject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/sandbox/random.js';
import { onFakeTime, seconds } from '../live/setup.js';
import { bothRoads } from './live-setup.js';
import { collect } from './scripted.js';

const market = 'BTC_USDT';
interface Traded {
  readonly id: number;
  readonly time: number;
}

/** An exchange that trades, cuts connections, loses messages with them, and fails polls at random. */
async function randomRun(seed: number, history: boolean) {
  const random = createRandom(seed);
  const chance = (share: number) => random() < share;
  const traded: Traded[] = [];
  let isUp = true;
  /** The exchange refreshes its list every second. */
  let listed: readonly Traded[] = [];
  const wire = ({ id, time }: Traded) => ({ id, time, price: '2', amount: '1', type: 'buy' });
  const roads = bothRoads(() =>
    isUp
      ? listed
          .slice(-100)
          .toReversed()
          .map(({ id, time }) => ({ tradeID: id, trade_timestamp: Math.floor(time), price: '2', quote_volume: '1' }))
      : 503,
  );
  const { server, exchange } = roads;
  server.react = (request) => {
    server.confirm(request);
    if (request.method === 'trades_subscribe' && traded.length > 0)
      server.last.push('trades_update', [market, traded.slice(-100).toReversed().map(wire)]);
  };
  const trade = (count: number) => {
    const added = Array.from({ length: count }, () => {
      const one = { id: traded.length + 1, time: Date.now() / 1000 };
      traded.push(one);
      return one;
    });
    if (server.open > 0) server.last.push('trades_update', [market, added.toReversed().map(wire)]);
  };
  const step = async () => {
    if (chance(0.4)) trade(1 + Math.floor(random() * 5));
    if (chance(0.01)) trade(100 + Math.floor(random() * 200));
    if (chance(0.01) && server.open > 0) server.last.end();
    if (chance(0.01)) server.accepts = !chance(0.5);
    if (chance(0.02)) isUp = !chance(0.4);
    if (chance(0.02)) isPaused.next(!isPaused.value && chance(0.3));
    await seconds(0.1);
    if (Math.floor(Date.now() / 1000) !== Math.floor((Date.now() - 100) / 1000)) listed = [...traded];
  };
  const isPaused = new BehaviorSubject(false);
  trade(150);
  listed = [...traded];
  const items = collect(
    watchTrades(exchange, market, { live: true, history, pauseWhile: isPaused, random: () => 0.5 }),
  );
  for (let count = 0; count < 600; count += 1) await step();
  server.accepts = isUp = true;
  isPaused.next(false);
  // Long enough for every backoff.
  for (let count = 0; count < 1000; count += 1) {
    if (count % 5 === 0) trade(1);
    await seconds(0.1);
    if (count % 10 === 0) listed = [...traded];
  }
  return { items, traded };
}

describe('live trades through random faults', () => {
  onFakeTime();

  it.each(Array.from({ length: 12 }, (_, index) => index + 1))('come once or lie in a gap, in run %i', async (seed) => {
    const { items, traded } = await randomRun(seed, seed % 2 === 0);
    const ids = items.flatMap((item) => (item.kind === 'trade' ? [item.trade.tradeID] : []));
    expect(new Set(ids).size).toBe(ids.length);
    const first = Math.min(...ids);
    const gaps = items.flatMap((item) => (item.kind === 'gap' ? [item] : []));
    const missing = traded.filter(({ id }) => id > first && !ids.includes(id));
    const unreported = missing.filter(
      ({ time }) => !gaps.some(({ from, to }) => from <= time + 1 && Math.floor(time) <= to),
    );
    expect(unreported).toEqual([]);
    // In the end, nothing disturbs.
    expect(ids.slice(-100)).toEqual(traded.slice(-100).map(({ id }) => id));
  });
});
