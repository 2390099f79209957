import { RequestError } from 'exchange-rx';
import { describe, expect, it } from 'vitest';
import { costToBuy, midPrice, proceedsToSell, spread, type BookSides } from '../../../src/live/order-book/index.js';

const book: BookSides = {
  bids: [
    ['60012.5', '9.31'],
    ['60012', '0.04'],
  ],
  asks: [
    ['60012.6', '0.2'],
    ['60013', '0.71'],
  ],
};
const empty: BookSides = { bids: [], asks: [] };
const oneSided: BookSides = { bids: book.bids, asks: [] };

describe('the best prices', () => {
  it('have an exact difference and an exact middle', () => {
    expect(spread(book)).toBe('0.1');
    expect(midPrice(book)).toBe('60012.55');
    const fine: BookSides = { bids: [['0.10000000000000000001', '1']], asks: [['0.3', '1']] };
    expect(spread(fine)).toBe('0.19999999999999999999');
    expect(midPrice(fine)).toBe('0.200000000000000000005');
  });

  it('have neither when a side is empty', () => {
    expect(spread(oneSided)).toBeUndefined();
    expect(midPrice(oneSided)).toBeUndefined();
  });
});

describe('the total of a market order', () => {
  it('is the sum over the best levels, exactly', () => {
    expect(costToBuy(book, '0.1')).toBe('6001.26');
    expect(costToBuy(book, 0.5)).toBe('30006.42');
    expect(proceedsToSell(book, '9.32')).toBe('559316.495');
    expect(costToBuy({ bids: [], asks: [['0.1', '3']] }, '3')).toBe('0.3');
  });

  it('may take the whole side, and no more', () => {
    expect(costToBuy(book, '0.91')).toBe('54611.75');
    expect(costToBuy(book, '0.910000000000000000001')).toBeUndefined();
    expect(proceedsToSell(empty, '1')).toBeUndefined();
  });

  it('is 0 for no amount', () => {
    expect(costToBuy(book, '0')).toBe('0');
    expect(proceedsToSell(empty, 0)).toBe('0');
  });

  it.each(['-1', '1,5', '', Number.NaN, Number.POSITIVE_INFINITY])('needs an amount: %j', (amount) => {
    expect(() => costToBuy(book, amount)).toThrow(RequestError);
    expect(() => proceedsToSell(book, amount)).toThrow(/^proceedsToSell: amount .* must be/);
  });
});
