// The order book from the live connection, and from polls while it has none.
import { watchOrderBook, type OrderBookUpdate } from 'exchange-rx';
import { BehaviorSubject } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { onFakeTime, seconds } from '../live/setup.js';
import { bothRoads, type BothRoads } from './live-setup.js';
import { collect } from './scripted.js';

const market = 'BTC_USDT';
const live = true;

const polledBook = { ticker_id: market, timestamp: 100, asks: [['101', '1']], bids: [['99', '1']] };

function pushBook(
  { server }: BothRoads,
  updateId: number,
  asks: unknown = [['102', '1']],
  pastUpdateId?: number,
): void {
  const data = { timestamp: updateId, event_time: updateId + 0.5, update_id: updateId, asks };
  const isSnapshot = pastUpdateId === undefined;
  const bids = isSnapshot ? { bids: [['98', '2']] } : { past_update_id: pastUpdateId };
  server.last.push('depth_update', [isSnapshot, { ...data, ...bids }, market]);
}

const ask = ({ book, stale }: OrderBookUpdate) => `${book?.asks[0]?.[0] ?? ''}${stale ? ' stale' : ''}`;

describe('a live order book', () => {
  onFakeTime();

  it('has as many levels as orderBookLimit of the client allows', async () => {
    const roads = bothRoads(() => polledBook, 0, { orderBookLimit: 10 });
    const updates = collect(watchOrderBook(roads.exchange, market, { live }));
    collect(watchOrderBook(roads.exchange, market, { live, limit: 7 }));
    await seconds(0.05);
    expect(roads.server.script).toEqual([`1 depth_subscribe ["${market}",10,"0",true]`]);
    expect(roads.sent.every(({ url }) => /limit=(?:10|7)\b/.test(url))).toBe(true);
    pushBook(roads, 1_790_000_000);
    await seconds(0.05);
    expect(updates.at(-1)).toMatchObject({ stale: false, book: { asks: [['102', '1']] } });
    expect(() => watchOrderBook(roads.exchange, market, { live, limit: 11 })).toThrow(
      'watchOrderBook: limit 11 must be at most 10, the orderBookLimit of the live connection',
    );
    expect(() => watchOrderBook(roads.exchange, market, { limit: 100 })).not.toThrow();
  });

  it('has the fields of a polled one, cut to limit', async () => {
    const roads = bothRoads(() => polledBook);
    const updates = collect(watchOrderBook(roads.exchange, market, { live, limit: 2 }));
    await seconds(0.05);
    expect(roads.server.script).toEqual([`1 depth_subscribe ["${market}",100,"0",true]`]);
    pushBook(roads, 1_790_000_000, [
      ['104', '1'],
      ['102', '1'],
      ['103', '1'],
    ]);
    await seconds(0.05);
    expect(updates.at(-1)).toEqual({
      book: {
        ...{ ticker_id: market, timestamp: 1_790_000_000 },
        asks: [
          ['102', '1'],
          ['103', '1'],
        ],
        bids: [['98', '2']],
      },
      readAt: expect.any(Number) as number,
      stale: false,
    });
  });

  it('with a gap is stale at once, never fresh, polled after everyMs, and live with the next snapshot', async () => {
    const roads = bothRoads(() => polledBook);
    const updates = collect(watchOrderBook(roads.exchange, market, { live }));
    await seconds(0.05);
    pushBook(roads, 10);
    await seconds(0.15);
    pushBook(roads, 20, [['103', '1']], 15);
    await seconds(0.05);
    expect(updates.map(ask)).toEqual(['101', '102', '102 stale']);
    expect(updates[2]).not.toHaveProperty('error');
    await seconds(0.1);
    expect(updates.map(ask).slice(3)).toEqual(['101']);
    pushBook(roads, 30, [['104', '1']]);
    await seconds(5);
    expect(updates.map(ask).slice(4)).toEqual(['104']);
  });

  it('is not stale to a late subscriber, however long it has not changed, and is after a pause', async () => {
    const roads = bothRoads(() => polledBook);
    const isPaused = new BehaviorSubject(false);
    const book$ = watchOrderBook(roads.exchange, market, { live, pauseWhile: isPaused });
    collect(book$);
    await seconds(0.05);
    pushBook(roads, 10);
    await seconds(9);
    expect(collect(book$).map(ask)).toEqual(['102']);
    isPaused.next(true);
    await seconds(9);
    expect(collect(book$).map(ask)).toEqual(['102 stale']);
    expect(roads.server.open).toBe(0);
  });

  it('leaves the live connection in a pause without an update, and polls at once after it', async () => {
    const roads = bothRoads(() => polledBook);
    const isPaused = new BehaviorSubject(false);
    const updates = collect(watchOrderBook(roads.exchange, market, { live, pauseWhile: isPaused }));
    await seconds(0.05);
    pushBook(roads, 10);
    await seconds(1);
    isPaused.next(true);
    await seconds(60);
    expect(updates.map(ask)).toEqual(['101', '102']);
    isPaused.next(false);
    await seconds(0.05);
    expect(updates.map(ask)).toEqual(['101', '102', '101']);
    expect(roads.server.open).toBe(1);
  });

  it('has no time where the exchange sends none', async () => {
    const roads = bothRoads(() => polledBook);
    const updates = collect(watchOrderBook(roads.exchange, market, { live }));
    await seconds(0.05);
    roads.server.last.push('depth_update', [true, { update_id: 1, asks: [['102', '1']] }, market]);
    await seconds(0.05);
    expect(updates.at(-1)?.book).toEqual({ ticker_id: market, asks: [['102', '1']], bids: [] });
  });

  it('that is empty is none: the polls say what it is', async () => {
    const roads = bothRoads(() => polledBook);
    const updates = collect(watchOrderBook(roads.exchange, market, { live }));
    await seconds(0.05);
    roads.server.last.push('depth_update', [true, { update_id: 1, asks: [], bids: [] }, market]);
    await seconds(0.1);
    expect(updates.map(ask)).toEqual(['101', '101']);
  });

  it('is followed by no polled book that is more than a second older', async () => {
    const now = Math.floor(Date.now() / 1000);
    const roads = bothRoads(() => ({ ...polledBook, timestamp: now - 3 }));
    const updates = collect(watchOrderBook(roads.exchange, market, { live, random: () => 0 }));
    await seconds(0.05);
    pushBook(roads, now);
    await seconds(0.05);
    roads.server.accepts = false;
    roads.server.last.end();
    await seconds(0.3);
    expect(updates.map(ask).slice(0, 3)).toEqual(['101', '102', '102 stale']);
    expect(updates.slice(3).map(({ stale, error }) => stale && error?.kind)).toContain('response');
    expect(updates.slice(3).every(({ stale }) => stale)).toBe(true);
  });

  it('is rejected for a client without a live connection', () => {
    const { exchange } = bothRoads(() => polledBook);
    const { live: _, ...withoutLive } = exchange;
    // @ts-expect-error a program in JavaScript can do it
    expect(() => watchOrderBook(withoutLive, market, { live })).toThrow('live true needs an exchange with `live`');
  });

  it('is rejected with a level, because the live connection rounds prices by other steps', () => {
    const { exchange } = bothRoads(() => polledBook);
    expect(() => watchOrderBook(exchange, market, { live, level: 1 })).toThrow('level 1 must be 0 with live: true');
  });

  it('leaves no timer, connection or poll', async () => {
    const roads = bothRoads(() => polledBook);
    const subscription = watchOrderBook(roads.exchange, market, { live }).subscribe();
    await seconds(0.05);
    pushBook(roads, 10);
    await seconds(1);
    roads.server.last.end();
    await seconds(0.05);
    subscription.unsubscribe();
    await seconds(60);
    expect(roads.server.open).toBe(0);
    const { length } = roads.sent;
    await seconds(60);
    expect(roads.sent).toHaveLength(length);
    expect(vi.getTimerCount()).toBe(0);
  });
});
