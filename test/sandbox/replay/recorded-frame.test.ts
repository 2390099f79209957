// Recorded messages that are malformed: a part that decides is missing, so nothing of the message is matched.
import { describe, expect, it } from 'vitest';
import { channelOf, isSnapshot, readFrame, tradesOfBody } from '../../../src/sandbox/replay/recorded-frame.js';

const book = { timestamp: 1, update_id: 5, past_update_id: 4, asks: [['101', '1']], bids: [['99', '2']] };
const trade = { id: 7, time: 2, price: '100', amount: '0.5', type: 'buy' };
const depth = (...params: readonly unknown[]) => JSON.stringify({ method: 'depth_update', params, id: null });
const trades = (...params: readonly unknown[]) => JSON.stringify({ method: 'trades_update', params, id: null });

describe('the channel of a recorded message', () => {
  it.each([
    [depth(true, book, 'BTC_USDT'), { channel: 'depth' }],
    [`{"params":[${' '.repeat(80)}],"method":"trades_update"}`, { channel: 'trades' }],
    ['{"id":1,"result":{"status":"success"},"error":null}', undefined],
    ['[]', undefined],
    ['no JSON', 'unreadable'],
  ])('of %j is %j', (text, channel) => {
    expect(channelOf(text)).toEqual(channel);
  });

  it('is a snapshot by its first parameter', () => {
    expect([isSnapshot(depth(true, book, 'A_B')), isSnapshot(depth(false, book, 'A_B'))]).toEqual([true, false]);
  });
});

describe('a recorded book', () => {
  it('is read with its numbers and levels', () => {
    const frame = readFrame('depth', depth(false, { ...book, timestamp: undefined, event_time: 3 }, 'BTC_USDT'));
    expect(frame).toMatchObject({ market: 'BTC_USDT', updateId: 5, pastUpdateId: 4 });
    expect(frame?.events).toMatchObject([{ kind: 'frame', at: 3000, isSnapshot: false }]);
    expect(readFrame('depth', depth(true, { timestamp: 1, update_id: 5 }, 'BTC_USDT'))).toMatchObject({
      events: [{ buy: [], sell: [] }],
    });
  });

  it.each([
    ['no JSON', 'no JSON'],
    ['no parameters', '{"method":"depth_update"}'],
    ['no list of parameters', '{"method":"depth_update","params":{}}'],
    ['no flag', depth('true', book, 'BTC_USDT')],
    ['no levels', depth(true, [], 'BTC_USDT')],
    ['no market', depth(true, book)],
    ['no time', depth(true, { ...book, timestamp: '1' }, 'BTC_USDT')],
    ['no number', depth(true, { ...book, update_id: undefined }, 'BTC_USDT')],
    ['levels that are no list', depth(true, { ...book, bids: {} }, 'BTC_USDT')],
    ['a level that is no list', depth(true, { ...book, asks: ['101'] }, 'BTC_USDT')],
    ['a price that is no number', depth(true, { ...book, asks: [['x', '1']] }, 'BTC_USDT')],
    ['an amount that is missing', depth(true, { ...book, asks: [['101']] }, 'BTC_USDT')],
  ])('with %s is not read', (_, text) => {
    expect(readFrame('depth', text)).toBeUndefined();
  });
});

describe('recorded trades', () => {
  it('are read oldest first', () => {
    const older = { ...trade, id: 6, type: 'sell', rpi: true };
    expect(readFrame('trades', trades('BTC_USDT', [trade, older]))?.events).toMatchObject([
      { id: 6, side: 'sell', rpi: true, at: 2000 },
      { id: 7, side: 'buy', rpi: false },
    ]);
  });

  it.each([
    ['no market', trades(1, [trade])],
    ['no list', trades('BTC_USDT', trade)],
    ['a trade that is no object', trades('BTC_USDT', [trade, null])],
    ['no number', trades('BTC_USDT', [{ ...trade, id: '7' }])],
    ['no time', trades('BTC_USDT', [{ ...trade, time: undefined }])],
    ['another side', trades('BTC_USDT', [{ ...trade, type: 'swap' }])],
    ['no price', trades('BTC_USDT', [{ ...trade, price: null }])],
    ['no amount', trades('BTC_USDT', [{ ...trade, amount: true }])],
  ])('with %s are not read', (_, text) => {
    expect(readFrame('trades', text)).toBeUndefined();
  });

  it('of a response are read without those that are malformed', () => {
    const row = { tradeID: 7, base_volume: '0.5', trade_timestamp: 2, type: 'buy', price: '100' };
    const body = JSON.stringify([row, null, { ...row, tradeID: 'x' }, { ...row, tradeID: 6 }]);
    expect(tradesOfBody(body).map(({ id }) => id)).toEqual([6, 7]);
    expect([tradesOfBody('{}'), tradesOfBody('no JSON')]).toEqual([[], []]);
  });
});
