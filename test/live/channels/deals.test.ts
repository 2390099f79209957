// What a push of the channel `deals` says.
import { describe, expect, it } from 'vitest';
import { deals } from '../../../src/live/channels/deals.js';

const pushed = (side: unknown) => [1, 1795316400.5, 'BTC_USDT', 7, '60000', '0.1', '6', '', side, 1, 'USDT'];
const sideOf = (side: unknown) =>
  deals.read(pushed(side))?.map((one) => ('item' in one ? one.item.side : 'unreadable'));

describe('a push of deals', () => {
  it.each([
    [1, 'sell'],
    ['2', 'buy'],
    ['sell', 'sell'],
    [3, '3'],
    ['constructor', 'constructor'],
    [null, undefined],
  ])('with the side %j has %j', (side, expected) => {
    expect(sideOf(side)).toEqual([expected]);
  });
});
