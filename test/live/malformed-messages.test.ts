// Messages that are unreadable, in part or whole, or belong to no subscription: the streams that they concern.
import { merge } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { onFakeTime, seconds, setup } from './setup.js';
import { collected } from '../support/watch.js';

onFakeTime();

const markets = ['BTC_USDT', 'ETH_USDT'];
const top = (market: string, id: number, bid: unknown = '1') => [1, 1, market, id, bid, '1', '2', '1'];

type Message = readonly [method: string, params: unknown];
const price = (...params: readonly unknown[]): Message => ['lastprice_update', params];
const depth = (...params: readonly unknown[]): Message => ['depth_update', params];
const tops = (...tuples: readonly unknown[]): Message => ['bookTicker_update', tuples];

const prices = [price('BTC_USDT', '1'), price('ETH_USDT', '1')];

describe('a message', () => {
  it.each<[what: string, before: readonly Message[], message: Message, emitted: readonly string[]]>([
    ['that is unreadable makes its market stale, and no other', prices, price('BTC_USDT', {}), ['BTC_USDT stale']],
    ['that names no market concerns every one', prices, ['lastprice_update', {}], ['BTC_USDT stale', 'ETH_USDT stale']],
    [
      'leaves the markets live whose parts are readable',
      [tops(top('BTC_USDT', 1)), tops(top('ETH_USDT', 1))],
      tops(top('ETH_USDT', 2, {}), top('BTC_USDT', 2), top('XRP_USDT', 2, {})),
      ['ETH_USDT stale', 'BTC_USDT live'],
    ],
    [
      'of which one part names no market makes all stale but those that follow in it',
      [tops(top('BTC_USDT', 1)), tops(top('ETH_USDT', 1))],
      tops(top('BTC_USDT', 2), [null, '1']),
      ['BTC_USDT stale', 'ETH_USDT stale', 'BTC_USDT live'],
    ],
    [
      'of a book without subscribers makes none stale',
      [depth(true, { update_id: 1, bids: [['1', '1']], asks: [['2', '1']] }, 'BTC_USDT')],
      depth(false, { update_id: 5, past_update_id: 4, bids: [['x', 'y']] }, 'XRP_USDT'),
      [],
    ],
    ['of a price without subscribers makes none stale', [tops(top('BTC_USDT', 1))], tops(top('XRP_USDT', 1, {})), []],
    ['of an unknown channel changes nothing', prices, ['newChannel_update', ['BTC_USDT', 1]], []],
    ['of a market without subscribers changes nothing', prices, price('XRP_USDT', '8'), []],
  ])('%s', async (_, before, [method, params], emitted) => {
    const { server, exchange } = setup();
    const { live } = exchange;
    const seen = collected(
      merge(live.lastPrice({ markets }), live.bookTicker({ markets }), live.orderBook({ market: 'BTC_USDT' })),
      ({ market, status }) => `${market} ${status}`,
    );
    await seconds(1);
    for (const [known, readable] of before) server.last.push(known, readable);
    await seconds(1);
    expect(seen).toHaveLength(before.length);
    seen.length = 0;
    server.last.push(method, params);
    await seconds(1);
    expect(seen).toEqual(emitted);
    expect(server.connections).toHaveLength(1);
  });

  it('that is unreadable never replaces the connection, which is not the reason', async () => {
    const { server, exchange } = setup();
    exchange.live.bookTicker({ markets }).subscribe();
    exchange.live.lastPrice({ markets }).subscribe();
    await seconds(1);
    for (let push = 0; push < 100; push += 1) {
      server.last.push('bookTicker_update', [top('BTC_USDT', push, {})]);
      server.last.push('bookTicker_update', 'nothing');
      server.last.push('lastprice_update', ['BTC_USDT']);
      server.last.respond(77, 'a response to nothing');
      await seconds(0.5);
    }
    expect(server.connections).toHaveLength(1);
  });

  it('keeps the digits of a number that a double would round', async () => {
    const { server, exchange } = setup();
    const seen = collected(exchange.live.lastPrice({ markets }), (value) => value.price);
    await seconds(1);
    const numbers = ['1234567890.12345678901', '12345678901234567890', '60000.5'];
    for (const digits of numbers)
      server.last.frame(`{"id":null,"method":"lastprice_update","params":["BTC_USDT",${digits}]}`);
    await seconds(1);
    expect(seen).toEqual(numbers);
  });
});
