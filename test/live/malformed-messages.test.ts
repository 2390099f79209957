// Messages that are unreadable, or belong to no subscription: the streams that they concern.
import { describe, expect, it } from 'vitest';
import { onFakeTime, seconds, setup } from './setup.js';

const prices = ['BTC_USDT', 'ETH_USDT'];
const record = (market: string, index: unknown = '2') => [market, '1', index, '0.0001', 1795334400000, 1795316400.5];

describe('an unreadable part of a message', () => {
  onFakeTime();

  it('makes its market stale, and no other', async () => {
    const { server, exchange } = setup();
    const seen: string[] = [];
    exchange.live.lastPrice({ markets: prices }).subscribe(({ market, status }) => seen.push(`${market} ${status}`));
    await seconds(1);
    for (const market of prices) server.last.push('lastprice_update', [market, '1']);
    server.last.push('lastprice_update', ['BTC_USDT', {}]);
    await seconds(1);
    expect(seen).toEqual(['BTC_USDT live', 'ETH_USDT live', 'BTC_USDT stale']);
  });

  it('concerns every market when it names none', async () => {
    const { server, exchange } = setup();
    const seen: string[] = [];
    exchange.live.lastPrice({ markets: prices }).subscribe(({ market, status }) => seen.push(`${market} ${status}`));
    await seconds(1);
    for (const market of prices) server.last.push('lastprice_update', [market, '1']);
    server.last.push('lastprice_update', { market: 'BTC_USDT' });
    await seconds(1);
    expect(seen.slice(2)).toEqual(['BTC_USDT stale', 'ETH_USDT stale']);
  });

  it('leaves the readable premium indexes of the same message live', async () => {
    const { server, exchange } = setup();
    const seen: string[] = [];
    exchange.live.premiumIndex().subscribe(({ market, status }) => seen.push(`${market} ${status}`));
    await seconds(1);
    server.last.push('premiumIndex_update', [record('BTC_PERP'), record('NEW_PERP')]);
    server.last.push('premiumIndex_update', [record('NEW_PERP', null), record('BTC_PERP'), record('OLD_PERP', null)]);
    await seconds(1);
    expect(seen).toEqual(['BTC_PERP live', 'NEW_PERP live', 'NEW_PERP stale', 'BTC_PERP live']);
  });

  it('that names no market makes all of them stale, except those of the same message', async () => {
    const { server, exchange } = setup();
    const seen: string[] = [];
    exchange.live.premiumIndex().subscribe(({ market, status }) => seen.push(`${market} ${status}`));
    await seconds(1);
    server.last.push('premiumIndex_update', [record('BTC_PERP'), record('ETH_PERP')]);
    await seconds(1);
    seen.length = 0;
    server.last.push('premiumIndex_update', [record('BTC_PERP'), [null, '1']]);
    await seconds(1);
    expect(seen).toEqual(['BTC_PERP stale', 'ETH_PERP stale', 'BTC_PERP live']);
  });

  it('of a market without subscribers makes no book, candle or best bid stale', async () => {
    const { server, exchange } = setup();
    const seen: string[] = [];
    exchange.live.orderBook({ market: 'BTC_USDT' }).subscribe(({ status }) => seen.push(`book ${status}`));
    exchange.live.bookTicker({ markets: prices }).subscribe(({ status }) => seen.push(`best ${status}`));
    await seconds(1);
    server.last.push('depth_update', [true, { update_id: 1, bids: [['1', '1']], asks: [['2', '1']] }, 'BTC_USDT']);
    server.last.push('bookTicker_update', [[1, 1, 'BTC_USDT', 1, '1', '1', '2', '1']]);
    server.last.push('depth_update', [false, { update_id: 5, past_update_id: 4, bids: [['x', 'y']] }, 'XRP_USDT']);
    server.last.push('bookTicker_update', [[1, 1, 'XRP_USDT', 1, {}, '1', '2', '1']]);
    await seconds(1);
    expect(seen).toEqual(['book live', 'best live']);
  });

  it('never replaces the connection, which is not the reason', async () => {
    const { server, exchange } = setup();
    exchange.live.premiumIndex().subscribe();
    exchange.live.lastPrice({ markets: prices }).subscribe();
    await seconds(1);
    for (let push = 0; push < 100; push += 1) {
      server.last.push('premiumIndex_update', [record('BTC_PERP', null)]);
      server.last.push('premiumIndex_update', 'nothing');
      server.last.push('lastprice_update', ['BTC_USDT']);
      await seconds(0.5);
    }
    expect(server.connections).toHaveLength(1);
  });
});

describe('a frame', () => {
  onFakeTime();

  it('without a subscription disturbs no stream', async () => {
    const { server, exchange } = setup();
    const seen: string[] = [];
    exchange.live.lastPrice({ markets: prices }).subscribe(({ price }) => seen.push(price));
    await seconds(1);
    for (let count = 0; count < 10; count += 1) {
      server.last.push('newChannel_update', ['BTC_USDT', count]);
    }
    server.last.push('lastprice_update', ['BTC_USDT', '7', 'more']);
    server.last.push('lastprice_update', ['XRP_USDT', '8']);
    server.last.respond(77, 'a response to nothing');
    await seconds(1);
    expect(seen).toEqual(['7']);
    expect(server.connections).toHaveLength(1);
  });

  it('keeps the digits of a number that a double would round', async () => {
    const { server, exchange } = setup();
    const seen: string[] = [];
    exchange.live.lastPrice({ markets: prices }).subscribe(({ price }) => seen.push(price));
    await seconds(1);
    for (const digits of ['1234567890.12345678901', '12345678901234567890', '60000.5']) {
      server.last.frame(`{"id":null,"method":"lastprice_update","params":["BTC_USDT",${digits}]}`);
    }
    await seconds(1);
    expect(seen).toEqual(['1234567890.12345678901', '12345678901234567890', '60000.5']);
  });

  it('whose error is a text is a refusal', async () => {
    const { server, exchange } = setup();
    const errors: unknown[] = [];
    server.react = ({ connection, id }) => {
      connection.frame(JSON.stringify({ id, result: null, error: 'no such market' }));
    };
    exchange.live.lastPrice({ markets: ['BTC_USDT'] }).subscribe({ error: (error: unknown) => errors.push(error) });
    await seconds(1);
    expect(errors).toMatchObject([{ kind: 'live-refused', code: undefined, exchangeMessage: 'no such market' }]);
  });
});
