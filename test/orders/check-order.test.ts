import { RequestError, roundAmount, roundPrice, type MarketRules } from 'exchange-rx';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/model/decimal.js';
import { checkOrder } from '../../src/orders/check-order.js';

const market: MarketRules = {
  ...{ name: 'BTC_USDT', stock: 'BTC', money: 'USDT', stockPrec: '6', moneyPrec: '2' },
  ...{ minAmount: '0.001', minTotal: '5', maxTotal: '1000000' },
};
const limit = { type: 'limit', market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '40000' } as const;

/** The issues of an order by the market's rules, of which some are others. */
const issuesOf = (order: object, rules: object = {}) =>
  checkOrder({ ...market, ...rules }, { ...limit, ...order }).map(({ field, message }) => `${field}: ${message}`);

describe('checkOrder', () => {
  it.each<[order: object, rules: object, issues: readonly string[]]>([
    [{}, {}, []],
    [{ type: 'market', amount: '5' }, {}, []],
    [{ type: 'stock market', amount: 0.001 }, {}, []],
    [{ amount: '0.0009' }, {}, ['amount: "0.0009" is below the minimum of BTC_USDT, 0.001 BTC']],
    [{ amount: '0.0010001' }, {}, ['amount: "0.0010001" is not a multiple of 0.000001, the amount step of BTC_USDT']],
    [{ price: '40000.001' }, {}, ['price: "40000.001" is not a multiple of 0.01, the price step of BTC_USDT']],
    [{ price: '100' }, {}, ['amount: makes a total of 1, below the minimum of BTC_USDT, 5 USDT']],
    [{ amount: '100' }, {}, ['amount: makes a total of 4000000, above the maximum of BTC_USDT, 1000000 USDT']],
    [{ market: 'ETH_USDT' }, {}, ['market: "ETH_USDT" is not the market of these rules, BTC_USDT']],
    // The amount of a market buy is its total.
    [{ type: 'market', amount: '4.99' }, {}, ['amount: makes a total of 4.99, below the minimum of BTC_USDT, 5 USDT']],
    [{ type: 'market', amount: '5.001' }, {}, ['amount: "5.001" has 3 decimals; BTC_USDT allows 2']],
    [{}, { tradesEnabled: false }, ['market: "BTC_USDT" does not accept orders now']],
    [{ amount: '1000' }, { maxTotal: '0' }, []],
    [{ amount: '0.000001', price: '0.01' }, { minAmount: undefined, minTotal: undefined }, []],
    [{ amount: '1000000' }, { maxTotal: undefined }, []],
    // Binary floats are not exact here.
    [{ amount: '0.1', price: '3' }, { minTotal: '0.3' }, []],
    [{ amount: '20' }, { stockPrec: '-1' }, []],
    // A field of the caller's own.
    [{ total: 'x' }, {}, []],
    [{ amount: '15' }, { stockPrec: '-1' }, ['amount: "15" is not a multiple of 10, the amount step of BTC_USDT']],
  ])('an order with %j, by rules with %j, has the issues %j', (order, rules, issues) => {
    expect(issuesOf(order, rules)).toEqual(issues);
  });

  it.each<[values: object, issues: readonly string[]]>([
    [{ price: '40000.5', amount: 0.001 }, []],
    [{ total: '5.01', activation_price: '40000' }, []],
    [
      { amount: '0.00099999' },
      [
        'amount: "0.00099999" is not a multiple of 0.000001, the amount step of BTC_USDT',
        'amount: "0.00099999" is below the minimum of BTC_USDT, 0.001 BTC',
      ],
    ],
    [
      { price: '40000.555', activation_price: '1e-9' },
      [
        'price: "40000.555" is not a multiple of 0.01, the price step of BTC_USDT',
        'activation_price: "0.000000001" is not a multiple of 0.01, the price step of BTC_USDT',
      ],
    ],
    [{ price: '1', amount: '0.5' }, ['amount: makes a total of 0.5, below the minimum of BTC_USDT, 5 USDT']],
    [
      { total: '4.555' },
      [
        'total: "4.555" has 3 decimals; BTC_USDT allows 2',
        'total: makes a total of 4.555, below the minimum of BTC_USDT, 5 USDT',
      ],
    ],
    [{ total: 'x' }, ['total: "x" must be a decimal string such as "0.001", or a finite number']],
  ])('a modification to %j has the issues %j', (values, issues) => {
    const found = checkOrder(market, { type: 'modification', market: market.name, ...values });
    expect(found.map(({ field, message }) => `${field}: ${message}`)).toEqual(issues);
  });

  it.each([
    ['minAmount', 'x', 'a decimal string such as "0.001", or a finite number', 'limit'],
    ['minTotal', '', 'a decimal string such as "0.001", or a finite number', 'limit'],
    ['maxTotal', 'none', 'a decimal string such as "0.001", or a finite number', 'limit'],
    ['stockPrec', '', 'a number of decimal places such as "6"', 'limit'],
    ['moneyPrec', '1.5', 'a number of decimal places such as "6"', 'limit'],
    ['moneyPrec', '1.5', 'a number of decimal places such as "6"', 'market'],
  ])('cannot check by a market whose %s is invalid, and throws a typed error', (field, value, rule, type) => {
    const check = () => issuesOf({ type }, { [field]: value });
    expect(check).toThrow(RequestError);
    expect(check).toThrow(`checkOrder: market.${field} "${value}" must be ${rule}`);
  });

  it.each([undefined, 6, 'x'])('cannot round by %j decimal places, and throws a typed error', (places) => {
    const odd = { stockPrec: places, moneyPrec: places } as typeof market;
    const rule = `${JSON.stringify(places)} must be a number of decimal places such as "6"`;
    expect(() => roundAmount(odd, '1.5')).toThrow(RequestError);
    expect(() => roundAmount(odd, '1.5')).toThrow(`roundAmount: market.stockPrec ${rule}`);
    expect(() => roundPrice(odd, '1.5')).toThrow(`roundPrice: market.moneyPrec ${rule}`);
    expect(roundAmount({ ...odd, stepSize: '0.5' }, '1.7')).toBe('1.5');
  });

  describe('where the market gives its steps', () => {
    const steps = { tickSize: '0.5', stepSize: '0.0025' };
    const stepped = { ...market, ...steps };

    it.each([
      ['amount', '0.01', '0.011', '0.0025, the amount step'],
      ['price', '40000.5', '40000.25', '0.5, the price step'],
      ['stopLoss', '39000.5', '39000.1', '0.5, the price step'],
      ['takeProfit', 41000, 41000.1, '0.5, the price step'],
      ['activation_price', '1.5', '1.6', '0.5, the price step'],
      ['stop_limit_price', '1.5', '1.6', '0.5, the price step'],
    ])('they decide about %s, and not its decimal places', (field, right, wrong, step) => {
      expect(issuesOf({ [field]: right }, steps)).toEqual([]);
      const issue = `${field}: "${wrong}" is not a multiple of ${step} of BTC_USDT`;
      expect(issuesOf({ [field]: wrong }, steps)).toEqual([issue]);
    });

    it('they do not decide about the amount of a market buy, which is money', () => {
      const buy = { type: 'market', market: 'BTC_USDT', side: 'buy', amount: '10.01' } as const;
      expect(checkOrder(stepped, buy)).toEqual([]);
      const odd = { ...buy, activation_price: '40000.25' };
      expect(checkOrder(stepped, odd)).toMatchObject([{ field: 'activation_price' }]);
      expect(checkOrder(stepped, { ...buy, side: 'sell', amount: '0.011' })).toMatchObject([{ field: 'amount' }]);
    });

    it('amounts and prices are rounded to them', () => {
      expect([roundAmount(stepped, '0.0149'), roundPrice(stepped, '40000.74')]).toEqual(['0.0125', '40000.5']);
      expect(roundAmount({ stockPrec: '-6' }, '3999999')).toBe('3000000');
    });

    it.each(['', '0', 'none', undefined])('a step of %j is ignored: the decimal places decide', (size) => {
      expect(issuesOf({ amount: '0.011', price: '40000.25' }, { tickSize: size, stepSize: size })).toEqual([]);
    });
  });
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, 'abc', '', '1,5'])(
  'an invalid decimal, %j, is named by checkOrder and by rounding',
  (value) => {
    const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
    const message = `${shown} must be a decimal string such as "0.001", or a finite number`;
    expect(issuesOf({ type: 'stock market', amount: value })).toEqual([`amount: ${message}`]);
    for (const field of ['price', 'stopLoss']) expect(issuesOf({ [field]: value })).toEqual([`${field}: ${message}`]);
    expect(() => roundAmount(market, value)).toThrow(
      expect.objectContaining({ kind: 'request', endpoint: 'roundAmount', issues: [{ field: 'amount', message }] }),
    );
    expect(() => roundPrice(market, value)).toThrow(
      expect.objectContaining({ kind: 'request', endpoint: 'roundPrice', issues: [{ field: 'price', message }] }),
    );
  },
);

describe('roundAmount and roundPrice', () => {
  const amount = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: 0, max: 18 }))
    .map(([digits, places]) => decimal(String(digits)).shiftedBy(-places).toFixed());

  it('round down to a multiple of the step, by less than a step', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: -10, max: 10 }), (value, places) => {
        const rounded = decimal(roundAmount({ stockPrec: String(places) }, value));
        const step = decimal(1).shiftedBy(-places);
        expect(rounded.modulo(step).isZero()).toBe(true);
        const off = decimal(value).minus(rounded);
        expect(off.isGreaterThanOrEqualTo(0) && off.isLessThan(step)).toBe(true);
        expect(roundPrice({ moneyPrec: String(places) }, value)).toBe(rounded.toFixed());
      }),
    );
  });

  it('give amounts and prices that have no step issue', () => {
    fc.assert(
      fc.property(amount, amount, (some, other) => {
        const order = { ...limit, amount: roundAmount(market, some), price: roundPrice(market, other) };
        expect(checkOrder(market, order).filter(({ message }) => message.includes('multiple'))).toEqual([]);
      }),
    );
  });
});
