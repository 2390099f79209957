// The live connection: one socket for all streams, replaced when it ends.
import { merge } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { LiveExchange } from '../support/live-exchange.js';
import { ms, onFakeTime, seconds, seeded, setup } from './setup.js';
import { collected } from '../support/watch.js';

const markets = ['BTC_USDT'];

describe('the live connection', () => {
  onFakeTime();

  it('closes with its last subscriber, and leaves no timer', async () => {
    const { server, exchange } = setup();
    const { live } = exchange;
    const streams = [live.lastPrice({ markets }), live.trades({ markets }), live.orderBook({ market: 'BTC_USDT' })];
    const subscription = merge(...streams).subscribe();
    await seconds(20);
    subscription.unsubscribe();
    await seconds(0);
    expect(server.open).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(server.script.filter((line) => line.includes('unsubscribe'))).toEqual([]);
  });

  it('sends nothing for 1,000 subscriptions that end in the turn in which they began', async () => {
    const { server, exchange } = setup();
    for (let index = 0; index < 1000; index += 1) exchange.live.lastPrice({ markets }).subscribe().unsubscribe();
    await seconds(1);
    expect(server.connections).toHaveLength(0);
    const kept = exchange.live.lastPrice({ markets: ['ETH_USDT'] }).subscribe();
    await seconds(1);
    for (let index = 0; index < 1000; index += 1) exchange.live.lastPrice({ markets }).subscribe().unsubscribe();
    await seconds(1);
    expect(server.script).toEqual(['1 lastprice_subscribe ["ETH_USDT"]']);
    kept.unsubscribe();
  });

  it('is replaced when it ends: first within 500 ms, then with growing, random delays', async () => {
    const { server, exchange } = setup();
    exchange.live.lastPrice({ markets }).subscribe();
    await seconds(1);
    server.accepts = false;
    server.last.end();
    for (const [index, delayMs] of [250, 500, 1000, 2000, 4000].entries()) {
      await ms(delayMs - 1);
      expect(server.connections).toHaveLength(index + 1);
      await ms(1);
      expect(server.connections).toHaveLength(index + 2);
    }
  });

  it('does not come back together with the others when 100 clients are cut at once', async () => {
    const server = new LiveExchange();
    const random = seeded(3);
    for (let client = 0; client < 100; client += 1) {
      const { exchange } = setup({}, { webSocket: server.webSocket, retry: { random } });
      exchange.live.lastPrice({ markets }).subscribe();
    }
    await seconds(1);
    for (const connection of server.connections.splice(0)) connection.end();
    const attempts: number[] = [];
    for (let passed = 0; passed < 600; passed += 10) {
      await ms(10);
      attempts.push(server.connections.length);
    }
    expect(attempts.at(-1)).toBe(100);
    const most = Math.max(...attempts.map((count, index) => count - (attempts[index - 5] ?? 0)));
    expect(most).toBeLessThan(20);
  });

  it('waits at least 10 s for a handshake, then replaces the socket by one other', async () => {
    const { server, exchange } = setup();
    server.accepts = 'never';
    exchange.live.lastPrice({ markets }).subscribe();
    await seconds(9.9);
    expect(server.connections).toHaveLength(1);
    server.accepts = true;
    await seconds(1);
    expect(server.connections.map(({ state }) => state)).toEqual(['over', 'open']);
  });

  it('is pinged every 15 s, and replaced within 26 s when nothing is heard', async () => {
    const { server, exchange } = setup();
    exchange.live.lastPrice({ markets }).subscribe();
    await seconds(46);
    expect(server.requests.filter(({ method }) => method === 'ping')).toHaveLength(3);
    expect(server.connections).toHaveLength(1);
    server.pongs = false;
    await seconds(26);
    expect(server.connections).toHaveLength(2);
    expect(server.maxOpen).toBe(1);
  });

  it('is not replaced for a missing pong while other messages come', async () => {
    const { server, exchange } = setup();
    exchange.live.lastPrice({ markets }).subscribe();
    server.pongs = false;
    for (let second = 0; second < 60; second += 1) {
      await seconds(1);
      server.last.push('lastprice_update', ['BTC_USDT', String(second + 1)]);
    }
    expect(server.connections).toHaveLength(1);
  });

  it('is opened at most 100 times at once, and 5 times a second after that, by subscribers that come and go', async () => {
    const { server, exchange } = setup();
    const reasons = collected(exchange.live.state$, (state) => (state.status === 'waiting' ? state.reason : ''));
    for (let round = 0; round < 300; round += 1) {
      const subscription = exchange.live.lastPrice({ markets }).subscribe();
      await ms(10);
      subscription.unsubscribe();
      await ms(10);
    }
    expect(server.connections.length).toBeGreaterThanOrEqual(100);
    expect(server.connections.length).toBeLessThanOrEqual(100 + 5 * 6);
    expect(new Set(reasons)).toEqual(new Set(['', 'connection-rate']));
  });

  it('of candles counts to the same rate: 200 pairs open at most 105 in the first second', async () => {
    const { server, exchange } = setup();
    for (let index = 0; index < 200; index += 1)
      exchange.live.candles({ market: `M${index}_USDT`, interval: '1m' }).subscribe();
    await ms(1000);
    expect(server.connections.length).toBeLessThanOrEqual(105);
  });

  it('is replaced after the first delay when it was good for hours, though its subscribers left in between', async () => {
    const { server, exchange } = setup();
    server.accepts = false;
    const one = exchange.live.lastPrice({ markets }).subscribe();
    await ms(60_000);
    server.accepts = true;
    await ms(3_600_000);
    one.unsubscribe();
    await ms(60_000);
    exchange.live.lastPrice({ markets }).subscribe();
    await ms(5000);
    const before = server.connections.length;
    server.last.end();
    await ms(1000);
    expect(server.connections.length).toBe(before + 1);
  });

  it('leaves no timer of a request that was to be retried', async () => {
    const { server, exchange } = setup();
    server.react = ({ connection, id }) => {
      connection.refuse(id, 7, 'too many requests');
    };
    const one = exchange.live.lastPrice({ markets }).subscribe();
    // The permit of the list of markets comes back after 10 s.
    await ms(14_000);
    one.unsubscribe();
    await ms(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps its delay for a subscriber that comes during an outage', async () => {
    const { server, exchange } = setup();
    server.accepts = false;
    for (let round = 0; round < 100; round += 1) {
      const subscription = exchange.live.lastPrice({ markets }).subscribe();
      await ms(100);
      subscription.unsubscribe();
    }
    expect(server.connections.length).toBeLessThan(8);
  });

  it('is opened by the first subscription to values, not before, and says its state', async () => {
    const { server, exchange } = setup();
    const states = collected(exchange.live.state$, ({ status }) => status);
    const prices$ = exchange.live.lastPrice({ markets });
    await seconds(1);
    expect(server.connections).toHaveLength(0);
    const subscription = prices$.subscribe();
    await seconds(1);
    server.last.end();
    await seconds(1);
    subscription.unsubscribe();
    await seconds(1);
    expect(states).toEqual(['idle', 'connecting', 'open', 'waiting', 'connecting', 'open', 'idle']);
  });
});
