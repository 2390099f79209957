// Trades from the live connection and from polls: each once, and a gap where some may be missing.
import { watchTrades, type TradeItem } from 'exchange-rx';
import { BehaviorSubject } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { onFakeTime, seconds } from '../live/setup.js';
import { bothRoads, type BothRoads } from './live-setup.js';
import { collect } from './scripted.js';

const market = 'BTC_USDT';
const live = true;

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
/** Newest first, as both roads list them. */
const page = (from: number, to: number) =>
  numbers(from, to)
    .toReversed()
    .map((tradeID) => ({ tradeID, trade_timestamp: tradeID, price: '2', quote_volume: '1', type: 'buy' }));
const frame = (from: number, to: number) => [
  market,
  numbers(from, to)
    .toReversed()
    .map((id) => ({ id, time: id + 0.25, price: '2', amount: '1', type: 'buy' })),
];

function push({ server }: BothRoads, from: number, to = from): void {
  server.last.push('trades_update', frame(from, to));
}

const shortened = (items: readonly TradeItem[]) =>
  items.map((item) => (item.kind === 'trade' ? item.trade.tradeID : item.kind === 'gap' ? item : item.kind));

/** What the exchange lists and replays. */
function tape(newest: number, delayMs = 0) {
  const state = { newest, isUp: true };
  const oldest = () => Math.max(1, state.newest - 99);
  const roads = bothRoads(() => (state.isUp ? page(oldest(), state.newest) : 503), delayMs);
  roads.server.react = (request) => {
    roads.server.confirm(request);
    if (state.newest > 0) push(roads, oldest(), state.newest);
  };
  const trade = (count = 1) => {
    state.newest += count;
    for (let sent = state.newest - count + 1; sent <= state.newest; sent += 100)
      push(roads, sent, Math.min(sent + 99, state.newest));
  };
  return { ...roads, state, trade };
}

describe('live trades', () => {
  onFakeTime();

  it('have the fields of polled ones', async () => {
    const roads = bothRoads(() => []);
    const items = collect(watchTrades(roads.exchange, market, { live, history: true }));
    await seconds(0.5);
    const trade = { id: 7, time: 5.75, price: '0.1', amount: '0.3', type: 'sell', rpi: true };
    roads.server.last.push('trades_update', [market, [trade]]);
    await seconds(0.1);
    // Nothing joins it to earlier trades until a poll lists it, or fails.
    expect(items).toEqual([]);
    const failing = bothRoads(() => 503);
    const others = collect(watchTrades(failing.exchange, market, { live, history: true }));
    await seconds(0.5);
    failing.server.last.push('trades_update', [market, [trade]]);
    await seconds(0.1);
    expect(others.filter(({ kind }) => kind === 'trade')).toEqual([
      {
        kind: 'trade',
        trade: {
          ...{ tradeID: 7, price: '0.1', quote_volume: '0.3', base_volume: '0.03' },
          ...{ trade_timestamp: 5, type: 'sell', rpi: true },
        },
      },
    ]);
  });

  it('come at once and once each, without polls', async () => {
    const { exchange, sent, trade } = tape(50);
    const items = collect(watchTrades(exchange, market, { live }));
    await seconds(0.5);
    for (let count = 0; count < 20; count += 1) {
      trade();
      await seconds(0.1);
    }
    expect(shortened(items)).toEqual(numbers(51, 70));
    expect(sent).toHaveLength(1);
  });

  it('come with those from before the subscription on request', async () => {
    const { exchange, trade } = tape(250);
    const items = collect(watchTrades(exchange, market, { live, history: true }));
    await seconds(0.5);
    trade(2);
    await seconds(0.1);
    expect(shortened(items)).toEqual(numbers(151, 252));
  });

  it('are none from before the subscription without that request, also when the first poll is late', async () => {
    const { exchange, trade } = tape(250, 400);
    const items = collect(watchTrades(exchange, market, { live }));
    await seconds(0.1);
    trade(3);
    await seconds(1);
    expect(shortened(items)).toEqual([251, 252, 253]);
  });

  it('need no polls: they come although all of them fail', async () => {
    const { exchange, state, trade } = tape(250);
    state.isUp = false;
    const items = collect(watchTrades(exchange, market, { live }));
    await seconds(0.5);
    trade(2);
    await seconds(0.1);
    expect(shortened(items).filter((item) => item !== 'error')).toEqual([251, 252]);
  });

  it('of an outage come from polls, and from the new connection, each once', async () => {
    const { server, exchange, sent, state, trade } = tape(250);
    const items = collect(watchTrades(exchange, market, { live }));
    await seconds(0.5);
    trade();
    await seconds(0.1);
    server.accepts = false;
    server.last.end();
    for (let count = 0; count < 50; count += 1) {
      state.newest += 1;
      await seconds(0.1);
    }
    expect(shortened(items).at(-1)).toBeGreaterThan(285);
    server.accepts = true;
    for (let count = 0; count < 300; count += 1) {
      trade();
      await seconds(0.1);
    }
    expect(shortened(items)).toEqual(numbers(251, 601));
    const { length } = sent;
    await seconds(10);
    expect(sent).toHaveLength(length);
  });

  it('of a short outage come from the replay, without a poll', async () => {
    const { server, exchange, sent, state, trade } = tape(250);
    const items = collect(watchTrades(exchange, market, { live }));
    await seconds(0.5);
    trade();
    await seconds(0.1);
    server.last.end();
    state.newest += 30;
    await seconds(3);
    trade();
    await seconds(3);
    expect(shortened(items)).toEqual(numbers(251, 282));
    expect(sent).toHaveLength(1);
  });

  it('have a gap where more were missed than the exchange replays and lists', async () => {
    const { server, exchange, state, trade } = tape(250);
    const items = collect(watchTrades(exchange, market, { live }));
    await seconds(0.5);
    trade();
    await seconds(0.1);
    server.last.end();
    state.newest += 300;
    await seconds(3);
    trade();
    await seconds(3);
    expect(shortened(items)).toEqual([
      251,
      { kind: 'gap', reason: 'overflow', from: 251, to: expect.any(Number) as number },
      ...numbers(452, 552),
    ]);
  });

  it('have a gap after an outage in which polls fail, too, and are not held back by their backoff', async () => {
    const { server, exchange, state, trade } = tape(250);
    const items = collect(watchTrades(exchange, market, { live, random: () => 1 }));
    await seconds(0.5);
    trade();
    await seconds(0.1);
    state.isUp = false;
    server.accepts = false;
    server.last.end();
    state.newest += 300;
    await seconds(300);
    server.accepts = true;
    await seconds(31);
    const numbersOnly = shortened(items).filter((item) => item !== 'error');
    expect(numbersOnly.slice(0, 2)).toEqual([251, { kind: 'gap', reason: 'reconnect', from: 251, to: 452 }]);
    expect(numbersOnly.slice(2)).toEqual(numbers(452, 551));
  });

  it('have a gap for a message that is unreadable', async () => {
    const { server, exchange, trade } = tape(50);
    const items = collect(watchTrades(exchange, market, { live }));
    await seconds(0.5);
    server.last.push('trades_update', [market, [{ id: null }]]);
    trade();
    await seconds(0.1);
    const gap = {
      kind: 'gap',
      reason: 'unreadable',
      from: expect.any(Number) as number,
      to: expect.any(Number) as number,
    };
    expect(shortened(items)).toEqual([gap, 51]);
  });

  it('of a pause have come after it, if the exchange lists them', async () => {
    const { server, exchange, state, trade } = tape(250);
    const isPaused = new BehaviorSubject(false);
    const items = collect(watchTrades(exchange, market, { live, pauseWhile: isPaused }));
    await seconds(0.5);
    isPaused.next(true);
    await seconds(1);
    expect(server.open).toBe(0);
    state.newest += 40;
    await seconds(30);
    expect(items).toEqual([]);
    isPaused.next(false);
    await seconds(1);
    trade();
    await seconds(1);
    expect(shortened(items)).toEqual(numbers(251, 291));
  });

  it('are polled for ever, as without live, of a market that the live connection refuses', async () => {
    const { server, exchange, state } = tape(50);
    server.react = ({ connection, id }) => {
      connection.refuse(id, 9, `market ${market} does not exist`);
    };
    const items = collect(watchTrades(exchange, market, { live }));
    for (let count = 0; count < 5; count += 1) {
      await seconds(1);
      state.newest += 1;
    }
    await seconds(1);
    expect(shortened(items)).toEqual(numbers(51, 55));
  });

  it('leave no timer, connection or poll', async () => {
    const { server, exchange, sent, trade } = tape(50);
    const subscription = watchTrades(exchange, market, { live }).subscribe();
    await seconds(0.5);
    trade();
    await seconds(0.1);
    subscription.unsubscribe();
    await seconds(60);
    expect([server.open, sent.length, vi.getTimerCount()]).toEqual([0, 1, 0]);
  });
});
