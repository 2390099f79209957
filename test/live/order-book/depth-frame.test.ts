import { describe, expect, it } from 'vitest';
import { readDepthUpdate } from '../../../src/live/order-book/index.js';

/** The params of a delta with other fields. */
const deltaWith = (fields: object) => [false, { update_id: 2, past_update_id: 1, ...fields }, 'BTC_USDT'];

describe('a message of the channel depth', () => {
  it('is read as a delta without the side that did not change', () => {
    const bids = [['60012.5', '0']];
    expect(readDepthUpdate(deltaWith({ timestamp: 1795316400.81, event_time: 1795316400.85, bids }))).toEqual({
      ...{ market: 'BTC_USDT', engineTime: 1795316400.81, eventTime: 1795316400.85 },
      ...{ isSnapshot: false, updateId: 2, pastUpdateId: 1, bids },
    });
  });

  it('may have numbers for strings and strings for numbers, exponents and further elements', () => {
    const read = readDepthUpdate([
      false,
      { update_id: '31000000314', past_update_id: '31000000100', timestamp: '1795316400.81', bids: [[60012.5, 1e-7]] },
      'BTC_USDT',
      'further',
    ]);
    expect(read).toMatchObject({ updateId: 31_000_000_314, pastUpdateId: 31_000_000_100, engineTime: 1795316400.81 });
    expect(read?.bids).toEqual([['60012.5', '0.0000001']]);
    expect(readDepthUpdate(deltaWith({ asks: [['6.00125e4', '-0', 'further']] }))?.asks).toEqual([['60012.5', '0']]);
  });

  it('may have null for an absent side, and any time', () => {
    const ids = { isSnapshot: false, market: 'BTC_USDT', updateId: 2, pastUpdateId: 1 };
    const read = readDepthUpdate(deltaWith({ bids: null, asks: [], timestamp: 'soon', event_time: null }));
    expect(read).toEqual({ ...ids, asks: [] });
  });

  it.each<[string, unknown]>([
    ['has an empty market', [true, { update_id: 1 }, '']],
    ['has an update id beyond 2^53', [true, { update_id: 2 ** 53 }, 'BTC_USDT']],
    ['has an update id with a fraction', [true, { update_id: 1.5 }, 'BTC_USDT']],
    ['is a delta without past update id', [false, { update_id: 2 }, 'BTC_USDT']],
    ['is a delta with a malformed past update id', deltaWith({ past_update_id: 'first' })],
    ['has a level that is an object', deltaWith({ bids: [{ price: '60012.5', amount: '1' }] })],
    ['has a price of 0', deltaWith({ bids: [['0.00', '1']] })],
    ['has a price of 0 with an exponent', deltaWith({ bids: [['0e5', '1']] })],
    ['has a negative price', deltaWith({ asks: [['-60012.5', '1']] })],
    ['has a negative amount', deltaWith({ asks: [['60012.5', '-1']] })],
    ['has a price that is no decimal', deltaWith({ asks: [['NaN', '1']] })],
    ['has a price of 101 digits', deltaWith({ asks: [['1'.repeat(101), '1']] })],
    ['has a price whose exponent makes it as long', deltaWith({ asks: [['10e99', '1']] })],
  ])('is unreadable when it %s', (_how, params) => {
    expect(readDepthUpdate(params)).toBeUndefined();
  });
});
