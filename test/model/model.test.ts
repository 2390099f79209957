import { isCanceled, isFilled, isOpen } from 'exchange-rx';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { decimalInputSchema } from '../../src/model/decimal.js';
import { orderOfHistory, type HistoricalOrder } from '../../src/model/order.js';
import { liveNames, withLiveNames, withSpecNames } from '../../src/model/wire-names.js';

describe('an order of the history', () => {
  const order: HistoricalOrder = {
    order_id: 1,
    client_order_id: 'mine',
    market: 'BTC_USDT',
    side: 'buy',
    type: 'limit',
    timestamp: 1,
    deal_money: '30',
    deal_stock: '0.0005',
    amount: '0.002',
    deal_fee: '0',
    status: 'CANCELED',
  };

  it.each([
    ['of its amount, when it was canceled', order, '0.0015'],
    ['of the money, when it was to buy for an amount of money', { ...order, type: 'market', amount: '100' }, '70'],
    ['of its amount, when it was to sell at the market', { ...order, type: 'market', side: 'sell' }, '0.0015'],
    ['nothing, when it was filled', { ...order, status: 'FILLED' }, '0'],
  ] as const)('has left what was not filled %s', (_, ended, left) => {
    expect(orderOfHistory(ended).left).toBe(left);
  });
});

describe('statuses', () => {
  it.each([
    ['NEW', 'open'],
    ['PARTIAL_FILLED', 'open'],
    ['PARTIALLY_FILLED', 'open'],
    ['FILLED', 'filled'],
    ['CANCELED', 'canceled'],
    ['CANCELLED', 'canceled'],
    ['PARTIAL_CANCELED', 'canceled'],
    ['CANCELED_TAKER_BAND', 'canceled'],
    ['CANCELED_STP', 'canceled'],
    ['AUTO_CANCELED_REDUCE_ONLY', 'canceled'],
    ['AUTO_CANCELED_LIQUIDATION', 'canceled'],
    ['A_NEW_ONE', 'none'],
  ])('%s is %s', (status, expected) => {
    const order = { status };
    const answers = { open: isOpen(order), filled: isFilled(order), canceled: isCanceled(order) };
    expect(Object.entries(answers).filter(([, yes]) => yes).map(([name]) => name)).toEqual(expected === 'none' ? [] : [expected]);
  });

  it('an order without a status is filled when nothing is left, and none of the three otherwise', () => {
    expect([isFilled({ left: '0' }), isFilled({ left: '0.0' }), isFilled({ left: '0.1' }), isFilled({}), isOpen({ left: '1' })]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('wire names', () => {
  const record = fc.dictionary(fc.constantFrom(...Object.keys(liveNames), 'market', 'left'), fc.string());

  it('requests carry both names of a field that has two', () => {
    fc.assert(
      fc.property(record, (fields) => {
        const wire = withLiveNames(fields);
        for (const [spec, live] of Object.entries(liveNames)) expect(wire[live]).toBe(fields[spec]);
        expect(wire).toMatchObject(fields);
      }),
    );
  });

  it('answers are read the same under either name', () => {
    fc.assert(
      fc.property(record, (fields) => {
        const live = Object.fromEntries(Object.entries(fields).map(([name, value]) => [new Map(Object.entries<string>(liveNames)).get(name) ?? name, value]));
        expect(withSpecNames(live, liveNames)).toEqual(fields);
        expect(withSpecNames(fields, liveNames)).toEqual(fields);
        expect(withSpecNames(withLiveNames(fields), liveNames)).toEqual(fields);
      }),
    );
  });
});

describe('amounts', () => {
  it.each([
    [1e-7, '0.0000001'],
    [1.5, '1.5'],
    [1e21, '1000000000000000000000'],
    ['0.10', '0.10'],
  ])('%s is sent as %s', (value, text) => {
    expect(v.parse(decimalInputSchema, value)).toBe(text);
  });

  it('any positive finite number is written without an exponent, and reads back as itself', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-18, max: 1e18, noNaN: true }), (value) => {
        const text = v.parse(decimalInputSchema, value);
        expect(text).toMatch(/^\d+(\.\d+)?$/);
        expect(Number(text)).toBe(value);
      }),
    );
  });
});
