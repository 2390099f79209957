// An execution is the same record, whether it was pushed or read from the history.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { deals } from '../../../src/live/channels/account.js';
import { dealSchema, executionOf } from '../../../src/model/deal.js';

const pushed = [14000000001, 1795316402.34, 'BTC_USDT', 1300000000001, '60000', '0.2625', '15.75', 'a-1', 2, 2, 'USDT'];
const listed = {
  ...{ id: 14000000001, time: 1795316402.34, side: 'buy', role: 2, amount: '0.2625', price: '60000' },
  ...{ deal: '15750', fee: '15.75', orderId: 1300000000001, clientOrderId: 'a-1', feeAsset: 'USDT' },
};
const itemOf = (params: unknown) => deals.read(params)?.[0];
const read = (params: unknown) => {
  const one = itemOf(params);
  return one !== undefined && 'item' in one ? one.item : undefined;
};
const ofHistory = (record: object) => executionOf('BTC_USDT', v.parse(dealSchema, record));

describe('an execution', () => {
  it('is the same record in a push and in the history', () => {
    expect(ofHistory(listed)).toEqual(read(pushed));
    expect(ofHistory({ ...listed, price: '60000.0', amount: '0.26250', fee: '15.750', rpi: false })).toEqual(
      read(pushed),
    );
    const own = { ...listed, side: 'sell', clientOrderId: '', fee: '-0.1' };
    expect(ofHistory(own)).toEqual(read([...pushed.slice(0, 6), '-0.10', '', 1, 2, 'USDT']));
  });

  it('is read with side, role and numbers as strings', () => {
    const strings = pushed.map((value) => String(value));
    expect(read(strings)).toEqual(read(pushed));
    const asText = { ...listed, id: '14000000001', time: '1795316402.34', role: '2', orderId: '1300000000001' };
    expect(ofHistory(asText)).toEqual(read(pushed));
  });

  it.each([
    [1, 'sell'],
    ['sell', 'sell'],
    [3, '3'],
    ['constructor', 'constructor'],
    [null, undefined],
  ])('with the side %j has %j', (side, expected) => {
    expect(read([...pushed.slice(0, 8), side, 2, 'USDT'])?.side).toBe(expected);
  });
});
