import { isCanceled, isFilled, isOpen } from 'exchange-rx';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { candleIntervals, candleSeconds } from '../../src/model/candle.js';
import { decimal, decimalInputSchema, formatDecimal, writtenNumber } from '../../src/model/decimal.js';
import type { HistoricalOrder } from '../../src/model/order.js';
import { orderOfHistory } from '../../src/model/order-of-history.js';
import { liveNames, withLiveNames } from '../../src/model/wire-names.js';

describe('an order of the history', () => {
  const order: HistoricalOrder = {
    ...{ order_id: 1, client_order_id: 'mine', market: 'BTC_USDT', side: 'buy', type: 'limit', timestamp: 1 },
    ...{ amount: '0.002', deal_money: '30', deal_stock: '0.0005', deal_fee: '0', status: 'CANCELED' },
  };
  const selling = { side: 'sell' } as const;

  it.each([
    ['of its amount, when it was canceled', order, '0.0015'],
    ['of the money, when it was to buy for money', { ...order, type: 'market', amount: '100' }, '70'],
    ['of the money, when it was a stop order to buy', { ...order, type: 'stop market', amount: '100' }, '70'],
    ['of its amount, when that was in the base currency', { ...order, type: 'stock market' }, '0.0015'],
    ['of its amount, when it was a collateral limit order', { ...order, type: 'margin limit' }, '0.0015'],
    [
      'of its amount, when it was a stop order to sell',
      { ...order, ...selling, type: 'trigger stop market' },
      '0.0015',
    ],
    ['of its amount, when it was to sell at the market', { ...order, ...selling, type: 'market' }, '0.0015'],
    ['nothing, when it was filled', { ...order, status: 'FILLED' }, '0'],
  ] as const)('has left what was not filled %s', (_, ended, left) => {
    expect(orderOfHistory(ended).left).toBe(left);
  });

  it.each([
    ['its type is new', { ...order, type: 'iceberg' }],
    ['it has no type', { ...order, type: undefined }],
    ['it was a stop order to buy on collateral', { ...order, type: 'stop market', positionSide: 'LONG' }],
    ['it was a triggered order to buy at the market', { ...order, type: 'trigger stop market' }],
    ['it was to buy at the market on collateral', { ...order, type: 'margin market' }],
  ] as const)('does not say what is left when %s: the currency of its amount is not known', (_, ended) => {
    expect(orderOfHistory(ended)).not.toHaveProperty('left');
  });
});

describe('statuses', () => {
  const statuses = {
    open: ['NEW', 'PARTIAL_FILLED', 'PARTIALLY_FILLED', 'OPEN'],
    filled: ['FILLED'],
    canceled: [
      ...['CANCELED', 'CANCELLED', 'PARTIAL_CANCELED', 'CANCELED_TAKER_BAND', 'CANCELED_STP', 'CANCELED_RPI'],
      ...['AUTO_CANCELED_REDUCE_ONLY', 'AUTO_CANCELED_LIQUIDATION', 'AUTO_CANCELED_USER_MARGIN'],
      ...['MAINTENANCE', 'DELISTING'],
    ],
  };
  /** Only those that can mean nothing else have ended. */
  const newKinds = {
    open: ['A_NEW_ONE', 'CANCELING'],
    canceled: ['CANCELED_FOR_ANOTHER_REASON', 'AUTO_CANCELED', 'PARTIALLY_CANCELLED'],
  };
  const rows = [...Object.entries(statuses), ...Object.entries(newKinds)].flatMap(([expected, all]) =>
    all.map((status) => [status, expected] as const),
  );

  it.each(rows)('%s is %s', (status, expected) => {
    const order = { status };
    const seen = { open: isOpen(order), filled: isFilled(order), canceled: isCanceled(order) };
    expect(seen).toEqual({ open: false, filled: false, canceled: false, [expected]: true });
  });

  it.each([
    [{ left: '0' }, 'filled'],
    [{ left: '0.0' }, 'filled'],
    [{ left: '0.1' }, 'open'],
    [{}, 'open'],
    [{ ftime: 0 }, 'open'],
    [{ ftime: 1_795_000_000, left: '0' }, 'filled'],
    [{ ftime: 1_795_000_000 }, 'neither'],
  ])('without a status %j is %s: by what is left, and by the time it ended', (order, expected) => {
    expect([isFilled(order), isOpen(order), isCanceled(order)]).toEqual([
      expected === 'filled',
      expected === 'open',
      false,
    ]);
  });
});

describe('wire names', () => {
  const record = fc.dictionary(fc.constantFrom(...Object.keys(liveNames), 'market', 'left'), fc.string());

  it('requests carry both names of a field that has two, inside of lists and objects, too', () => {
    fc.assert(
      fc.property(record, (fields) => {
        const wire = withLiveNames(fields);
        for (const [spec, live] of Object.entries(liveNames)) expect(wire[live]).toBe(fields[spec]);
        expect(wire).toMatchObject(fields);
        expect(withLiveNames({ orders: [fields], one: fields })).toEqual({ orders: [wire], one: wire });
      }),
    );
  });

  it('requests carry dates as they are', () => {
    expect(withLiveNames({ at: new Date(0) })).toEqual({ at: new Date(0) });
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

  it.each([0.1 + 0.2, 0.7 + 0.1, 1 / 3, 9007199254740991])(
    '%s has more digits than numbers are sure of, and is refused with advice',
    (value) => {
      const { success, issues } = v.safeParse(decimalInputSchema, value);
      expect([success, issues?.[0].message]).toEqual([
        false,
        expect.stringMatching(/^must have at most 15 significant digits.*decimal string/),
      ]);
      expect(v.parse(decimalInputSchema, String(value))).toBe(String(value));
    },
  );

  it('any positive finite number of 15 digits is written without an exponent, and reads back as itself', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-18, max: 1e18, noNaN: true }), (double) => {
        const value = Number(double.toPrecision(15));
        const text = v.parse(decimalInputSchema, value);
        expect(text).toMatch(/^\d+(\.\d+)?$/);
        expect(Number(text)).toBe(value);
      }),
    );
  });
});

describe('a number of a response', () => {
  it.each([
    [1e21, '1000000000000000000000'],
    [-2.5e22, '-25000000000000000000000'],
    [1.5e-7, '0.00000015'],
    [-1e-9, '-0.000000001'],
    [-0, '0'],
  ])('%d is written as %s', (value, text) => {
    expect(writtenNumber(value)).toBe(text);
  });

  it('is written with its exact digits and without an exponent', () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        expect(writtenNumber(value)).toBe(formatDecimal(decimal(String(value))));
      }),
    );
  });
});

const ofUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, M: 2_592_000 };

it.each(candleIntervals)('the interval %s is as long as its name says', (interval) => {
  expect(candleSeconds[interval]).toBe(Number.parseInt(interval, 10) * (ofUnit[interval.slice(-1)] ?? 0));
});
