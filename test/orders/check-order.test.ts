import { RequestError, roundAmount, roundPrice, type MarketRules } from 'exchange-rx';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/model/decimal.js';
import { checkOrder } from '../../src/orders/check-order.js';

const market: MarketRules = {
  name: 'BTC_USDT',
  stock: 'BTC',
  money: 'USDT',
  stockPrec: '6',
  moneyPrec: '2',
  minAmount: '0.001',
  minTotal: '5',
  maxTotal: '1000000',
};
const limit = { type: 'limit', market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '40000' } as const;

describe('checkOrder', () => {
  it('finds nothing wrong with an order that keeps the rules', () => {
    expect(checkOrder(market, limit)).toEqual([]);
    expect(checkOrder(market, { ...limit, type: 'market', amount: '5' })).toEqual([]);
    expect(checkOrder(market, { ...limit, type: 'stock market', amount: 0.001 })).toEqual([]);
  });

  it('checks the values that a modification has', () => {
    const modified = { type: 'modification', market: 'BTC_USDT' } as const;
    expect(checkOrder(market, { ...modified, price: '40000.5', amount: 0.001 })).toEqual([]);
    expect(checkOrder(market, { ...modified, total: '5.01', activation_price: '40000' })).toEqual([]);
    expect(checkOrder(market, { ...modified, amount: '0.00099999' })).toEqual([
      { field: 'amount', message: '"0.00099999" is not a multiple of 0.000001, the amount step of BTC_USDT' },
      { field: 'amount', message: '"0.00099999" is below the minimum of BTC_USDT, 0.001 BTC' },
    ]);
    expect(checkOrder(market, { ...modified, price: '40000.555', activation_price: '1e-9' })).toEqual([
      { field: 'price', message: '"40000.555" is not a multiple of 0.01, the price step of BTC_USDT' },
      { field: 'activation_price', message: '"0.000000001" is not a multiple of 0.01, the price step of BTC_USDT' },
    ]);
    expect(checkOrder(market, { ...modified, price: '1', amount: '0.5' })).toEqual([
      { field: 'amount', message: 'makes a total of 0.5, below the minimum of BTC_USDT, 5 USDT' },
    ]);
    expect(checkOrder(market, { ...modified, total: '4.555' })).toEqual([
      { field: 'total', message: '"4.555" has 3 decimals; BTC_USDT allows 2' },
      { field: 'total', message: 'makes a total of 4.555, below the minimum of BTC_USDT, 5 USDT' },
    ]);
    expect(checkOrder(market, { ...modified, total: 'x' })).toMatchObject([{ field: 'total' }]);
  });

  it.each([
    ['minAmount', 'x', 'a decimal string such as "0.001", or a finite number'],
    ['minTotal', '', 'a decimal string such as "0.001", or a finite number'],
    ['maxTotal', 'none', 'a decimal string such as "0.001", or a finite number'],
    ['stockPrec', '', 'a number of decimal places such as "6"'],
    ['moneyPrec', '1.5', 'a number of decimal places such as "6"'],
  ])('cannot check by a market whose %s is invalid, and throws a typed error', (field, value, rule) => {
    const check = () => checkOrder({ ...market, [field]: value }, limit);
    expect(check).toThrow(RequestError);
    expect(check).toThrow(`checkOrder: market.${field} "${value}" must be ${rule}`);
  });

  it('cannot round by a market whose decimal places are invalid, and throws a typed error', () => {
    const places = { stockPrec: undefined } as unknown as { readonly stockPrec: string };
    expect(() => roundAmount(places, '1.5')).toThrow(RequestError);
    expect(() => roundAmount(places, '1.5')).toThrow(
      'roundAmount: market.stockPrec undefined must be a number of decimal places such as "6"',
    );
    expect(() => roundPrice({ moneyPrec: 'x' }, '1.5')).toThrow(
      'roundPrice: market.moneyPrec "x" must be a number of decimal places such as "6"',
    );
    expect(roundAmount({ ...places, stepSize: '0.5' }, '1.7')).toBe('1.5');
  });

  it.each([
    ['amount', { amount: '0.0009' }, '"0.0009" is below the minimum of BTC_USDT, 0.001 BTC'],
    ['amount', { amount: '0.0010001' }, '"0.0010001" is not a multiple of 0.000001, the amount step of BTC_USDT'],
    ['price', { price: '40000.001' }, '"40000.001" is not a multiple of 0.01, the price step of BTC_USDT'],
    ['amount', { price: '100' }, 'makes a total of 1, below the minimum of BTC_USDT, 5 USDT'],
    ['amount', { amount: '100' }, 'makes a total of 4000000, above the maximum of BTC_USDT, 1000000 USDT'],
    ['market', { market: 'ETH_USDT' }, '"ETH_USDT" is not the market of these rules, BTC_USDT'],
  ])('%s: %j', (field, change, message) => {
    expect(checkOrder(market, { ...limit, ...change })).toEqual([{ field, message }]);
  });

  it('takes steps by value where the decimal places are negative', () => {
    const pepe = { ...market, name: 'PEPE_PERP', stockPrec: '-6', minAmount: '1000000', maxTotal: '0' };
    const check = (amount: string) => checkOrder(pepe, { ...limit, market: 'PEPE_PERP', amount });
    expect(check('3000000')).toEqual([]);
    expect(check('1500000')).toEqual([
      { field: 'amount', message: '"1500000" is not a multiple of 1000000, the amount step of PEPE_PERP' },
    ]);
  });

  describe('where the market gives its steps', () => {
    const stepped = { ...market, tickSize: '0.5', stepSize: '0.0025' };

    it.each([
      ['amount', '0.01', '0.011', '0.0025, the amount step'],
      ['price', '40000.5', '40000.25', '0.5, the price step'],
      ['stopLoss', '39000.5', '39000.1', '0.5, the price step'],
      ['takeProfit', 41000, 41000.1, '0.5, the price step'],
      ['activation_price', '1.5', '1.6', '0.5, the price step'],
      ['stop_limit_price', '1.5', '1.6', '0.5, the price step'],
    ])('they decide about %s, and not its decimal places', (field, right, wrong, step) => {
      expect(checkOrder(stepped, { ...limit, [field]: right })).toEqual([]);
      const message = `"${wrong}" is not a multiple of ${step} of BTC_USDT`;
      expect(checkOrder(stepped, { ...limit, [field]: wrong })).toEqual([{ field, message }]);
    });

    it('they do not decide about the amount of a market buy, which is money', () => {
      const buy = { type: 'market', market: 'BTC_USDT', side: 'buy', amount: '10.01' } as const;
      expect(checkOrder(stepped, buy)).toEqual([]);
      expect(checkOrder(stepped, { ...buy, activation_price: '40000.5' })).toEqual([]);
      expect(checkOrder(stepped, { ...buy, side: 'sell', amount: '0.011' })).toMatchObject([{ field: 'amount' }]);
    });

    it('amounts and prices are rounded to them', () => {
      expect([roundAmount(stepped, '0.0149'), roundPrice(stepped, '40000.74')]).toEqual(['0.0125', '40000.5']);
      expect(roundAmount({ stockPrec: '-6' }, '3999999')).toBe('3000000');
    });

    it.each(['', '0', 'none', undefined])('a step of %j is none: the decimal places decide', (size) => {
      const { tickSize: _tick, stepSize: _step, ...rest } = stepped;
      const unstepped = size === undefined ? rest : { ...rest, tickSize: size, stepSize: size };
      expect(checkOrder(unstepped, { ...limit, amount: '0.011', price: '40000.25' })).toEqual([]);
    });
  });

  it('ignores a bound that the market does not state', () => {
    const { minAmount: _amount, minTotal: _least, maxTotal: _most, ...unbounded } = market;
    expect(checkOrder(unbounded, { ...limit, amount: '0.000001', price: '0.01' })).toEqual([]);
    expect(checkOrder(unbounded, { ...limit, amount: '1000000' })).toEqual([]);
  });

  it('counts the decimal places of the quote amount of a market buy, and checks it against the total', () => {
    const messages = (amount: string) =>
      checkOrder(market, { ...limit, type: 'market', amount }).map(({ message }) => message);
    expect(messages('4.99')).toEqual(['makes a total of 4.99, below the minimum of BTC_USDT, 5 USDT']);
    expect(messages('5.001')).toEqual(['"5.001" has 3 decimals; BTC_USDT allows 2']);
  });

  it('takes a maximum of 0 as no bound, and a market that is closed as one', () => {
    expect(checkOrder({ ...market, maxTotal: '0' }, { ...limit, amount: '1000' })).toEqual([]);
    expect(checkOrder({ ...market, tradesEnabled: false }, limit)).toEqual([
      { field: 'market', message: '"BTC_USDT" does not accept orders now' },
    ]);
  });

  it('is exact where binary floats are not', () => {
    expect(checkOrder({ ...market, minTotal: '0.3' }, { ...limit, amount: '0.1', price: '3' })).toEqual([]);
  });
});

describe('an invalid decimal', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, 'abc', '', '1,5'])(
    '%j is named, by checkOrder and by rounding',
    (value) => {
      const message = `${JSON.stringify(value) === 'null' ? String(value) : JSON.stringify(value)} must be a decimal string such as "0.001", or a finite number`;
      expect(checkOrder(market, { type: 'stock market', market: market.name, side: 'buy', amount: value })).toEqual([
        { field: 'amount', message },
      ]);
      expect(
        checkOrder(market, { type: 'limit', market: market.name, side: 'buy', amount: '1', price: value }),
      ).toEqual([{ field: 'price', message }]);
      expect(checkOrder(market, { ...limit, stopLoss: value })).toEqual([{ field: 'stopLoss', message }]);
      expect(() => roundAmount(market, value)).toThrow(
        expect.objectContaining({ kind: 'request', issues: [{ field: 'amount', message }] }),
      );
      expect(() => roundPrice(market, value)).toThrow(
        expect.objectContaining({ kind: 'request', issues: [{ field: 'price', message }] }),
      );
    },
  );
});

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
