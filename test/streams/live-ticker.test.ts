// The ticker from the live connection, and from polls while it has none.
import { watchTicker } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { onFakeTime, seconds } from '../live/setup.js';
import { bothRoads, type BothRoads } from './live-setup.js';
import { collect } from './scripted.js';

const market = 'BTC_USDT';
const live = true;

const statistics = {
  period: 86400,
  last: '110',
  open: '90',
  close: '110',
  high: '6',
  low: '3',
  volume: '7',
  deal: '30',
};
const polledTicker = {
  last_price: '100',
  base_volume: '5',
  quote_volume: '20',
  change: '1',
  isFrozen: false,
  base_id: 1,
};
const tickers = () => ({ [market]: polledTicker });

function pushTicker({ server }: BothRoads, last = '110'): void {
  server.last.push('market_update', [market, { ...statistics, last }]);
}

describe('a live ticker', () => {
  onFakeTime();

  it('has the fields of a polled one: the change is computed, and the ids are those of the last poll', async () => {
    const roads = bothRoads(tickers);
    const updates = collect(watchTicker(roads.exchange, market, { live }));
    await seconds(0.5);
    pushTicker(roads);
    await seconds(0.5);
    expect(updates).toEqual([
      { ticker: polledTicker, readAt: expect.any(Number) as number, stale: false },
      {
        ticker: { last_price: '110', base_volume: '7', quote_volume: '30', change: '22.22', base_id: 1 },
        readAt: expect.any(Number) as number,
        stale: false,
      },
    ]);
  });

  it('has the pushed fields only: no change without an open price, and no ids without a poll', async () => {
    const roads = bothRoads(() => 503);
    const updates = collect(watchTicker(roads.exchange, market, { live }));
    await seconds(0.5);
    roads.server.last.push('market_update', [market, { last: '5' }]);
    await seconds(1.5);
    roads.server.last.push('market_update', [market, { last: '6', open: '0' }]);
    await seconds(0.5);
    expect(updates.at(-2)?.ticker).toEqual({ last_price: '5' });
    expect(updates.at(-1)?.ticker).toEqual({ last_price: '6' });
  });

  it('is polled at first, and polls stop with the first live value', async () => {
    const roads = bothRoads(tickers);
    collect(watchTicker(roads.exchange, market, { live }));
    await seconds(2.5);
    expect(roads.sent).toHaveLength(3);
    for (let second = 0; second < 20; second += 1) {
      pushTicker(roads);
      await seconds(1);
    }
    expect(roads.sent).toHaveLength(3);
  });

  it('needs no polls: it comes although all of them fail', async () => {
    const roads = bothRoads(() => 503);
    const updates = collect(watchTicker(roads.exchange, market, { live }));
    await seconds(0.5);
    pushTicker(roads);
    await seconds(0.5);
    expect(updates).toMatchObject([{ stale: true, error: { kind: 'unavailable' } }, { stale: false }]);
    expect(updates[1]).not.toHaveProperty('error');
    expect(updates[1]?.ticker).toEqual({ last_price: '110', base_volume: '7', quote_volume: '30', change: '22.22' });
  });

  it('is stale when the connection is lost, polled after everyMs, and live again without polls', async () => {
    const roads = bothRoads(tickers);
    const { server, sent } = roads;
    const updates = collect(watchTicker(roads.exchange, market, { live }));
    const shown = () => updates.map(({ ticker, stale }) => `${ticker?.last_price ?? ''}${stale ? ' stale' : ''}`);
    await seconds(0.5);
    pushTicker(roads);
    await seconds(0.1);
    server.accepts = false;
    server.last.end();
    await seconds(0.9);
    expect(shown()).toEqual(['100', '110', '110 stale']);
    expect(sent).toHaveLength(1);
    await seconds(2);
    expect(shown().slice(3)).toEqual(['100', '100']);
    server.accepts = true;
    await seconds(60);
    pushTicker(roads, '111');
    const { length } = sent;
    await seconds(5);
    expect(shown().at(-1)).toBe('111');
    expect(sent).toHaveLength(length);
  });

  it('is polled when the exchange pushes nothing for 10 s, until it pushes again', async () => {
    const roads = bothRoads(tickers);
    const updates = collect(watchTicker(roads.exchange, market, { live }));
    await seconds(0.5);
    pushTicker(roads);
    await seconds(9.9);
    expect(updates).toHaveLength(2);
    // Silence is checked each second, and a stale ticker is polled after another one.
    await seconds(2.2);
    expect(updates.slice(2)).toMatchObject([
      { ticker: { last_price: '110' }, stale: true },
      { ticker: { last_price: '100' }, stale: false },
    ]);
    const { length } = roads.sent;
    pushTicker(roads);
    await seconds(5);
    expect(roads.sent).toHaveLength(length);
  });

  it('is never one with a price of zero', async () => {
    const roads = bothRoads(tickers);
    const updates = collect(watchTicker(roads.exchange, market, { live }));
    await seconds(0.5);
    pushTicker(roads, '0');
    await seconds(1);
    expect(updates.map(({ ticker }) => ticker?.last_price)).toEqual(['100', '100']);
  });

  it('comes at most once in everyMs', async () => {
    const roads = bothRoads(tickers);
    const updates = collect(watchTicker(roads.exchange, market, { live, everyMs: 5000 }));
    await seconds(0.5);
    for (let second = 0; second < 9; second += 1) {
      pushTicker(roads, String(second + 1));
      await seconds(1);
    }
    expect(updates.map(({ ticker }) => ticker?.last_price)).toEqual(['100', '1', '5']);
  });

  it('is polled for ever, as without live, of a market that the live connection refuses', async () => {
    const roads = bothRoads(() => ({}));
    roads.server.react = ({ connection, id }) => {
      connection.refuse(id, 9, `market ${market} does not exist`);
    };
    const updates = collect(watchTicker(roads.exchange, market, { live, random: () => 0 }));
    await seconds(4.5);
    expect(updates.map(({ error }) => error?.kind)).toEqual(Array.from({ length: 5 }, () => 'response'));
    expect(roads.server.open).toBe(0);
  });

  it('is not overwritten by a poll that was sent before it, also when it is stale by then', async () => {
    const roads = bothRoads(tickers, 300);
    const updates = collect(watchTicker(roads.exchange, market, { live }));
    await seconds(0.1);
    pushTicker(roads);
    await seconds(0.1);
    roads.server.accepts = false;
    roads.server.last.end();
    await seconds(0.5);
    expect(updates.map(({ ticker, stale }) => [ticker?.last_price, stale])).toEqual([
      ['110', false],
      ['110', true],
    ]);
  });
});
