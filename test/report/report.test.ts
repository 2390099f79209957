// The report of a ledger: exact profit by both cost bases, and the same sums as the ledger's own.
import { createExchange } from 'exchange-rx';
import { createSandbox, report, type Ledger, type LedgerFill } from 'exchange-rx/sandbox';
import fc from 'fast-check';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/model/decimal.js';

const start = Date.UTC(2026, 10, 28);

interface Trade {
  readonly side: 'buy' | 'sell';
  readonly amount: string;
  readonly price: string;
  readonly fee?: string;
}

/** A ledger with these fills of one account, a minute apart, and the last prices. */
function ledgerOf(trades: readonly Trade[], last: string, funding: readonly string[] = []): Ledger {
  const fills = trades.map(({ side, amount, price, fee = '0' }, index): LedgerFill => ({
    ...{ id: index, account: 'main', order_id: index, client_order_id: '', market: 'BTC_USDT', side, role: 'taker' },
    ...{ currency: 'USDT', price, amount, money: decimal(price).multipliedBy(amount).toFixed(), fee },
    at: start + index * 60_000,
  }));
  const balanceChanges = funding.map((delta, index) => ({
    ...{ at: start + index, account: 'main', wallet: 'collateral' as const, asset: 'USDT', delta, balance: '0' },
    ...{ reason: 'funding' as const, market: 'BTC_PERP' },
  }));
  const { ledger } = createSandbox();
  return { ...ledger, orders: [], fills, balanceChanges, priceAt: () => last };
}

const ofMain = { account: 'main' } as const;

describe('the report of a ledger', () => {
  const trades: Trade[] = [
    { side: 'buy', amount: '1', price: '100', fee: '0.1' },
    { side: 'buy', amount: '1', price: '200' },
    { side: 'sell', amount: '1', price: '180' },
  ];

  it.each([
    ['average', '30', '40'],
    ['fifo', '80', '-10'],
  ] as const)('by %s has a realized profit of %s and an unrealized one of %s', (costBasis, realized, unrealized) => {
    const { markets, currencies } = report(ledgerOf(trades, '190'), { ...ofMain, costBasis });
    expect(markets).toEqual([
      {
        ...{ market: 'BTC_USDT', wallet: 'trade', currency: 'USDT', fills: 3, makerFills: 0 },
        ...{ bought: '2', sold: '1', turnover: '480', position: '1', price: '190', maxExposure: '400' },
        ...{ realized, unrealized, fees: '0.1', funding: '0', profit: '69.9' },
      },
    ]);
    expect(currencies).toMatchObject([{ currency: 'USDT', realized, unrealized, profit: '69.9' }]);
  });

  it('has a curve from the first fill to the last', () => {
    const { currencies, from, to } = report(ledgerOf(trades, '190'), ofMain);
    const [{ equity } = { equity: [] }] = currencies;
    expect([from, to]).toEqual([start, start + 120_000]);
    expect(equity.at(-1)).toEqual({ at: to, profit: '69.9' });
    expect(equity.every(({ at }, index) => at > (equity[index - 1]?.at ?? 0))).toBe(true);
  });

  it('has the funding of perpetuals in the profit', () => {
    const { markets, currencies } = report(ledgerOf([], '1', ['-1.5', '0.25']), ofMain);
    expect(markets).toMatchObject([{ market: 'BTC_PERP', funding: '-1.25', profit: '-1.25' }]);
    expect(currencies).toMatchObject([{ currency: 'USDT', funding: '-1.25', maxDrawdown: '1.5' }]);
  });

  it('has the largest decrease from a maximum', () => {
    const losing: Trade[] = [
      { side: 'buy', amount: '1', price: '100' },
      { side: 'sell', amount: '1', price: '150' },
      { side: 'sell', amount: '1', price: '100' },
      { side: 'buy', amount: '1', price: '130' },
    ];
    const { currencies } = report(ledgerOf(losing, '150'), ofMain);
    expect(currencies).toMatchObject([{ profit: '20', maxDrawdown: '50' }]);
  });

  it('of an account without orders is empty', () => {
    expect(report(createSandbox().ledger)).toEqual({
      ...{ account: '', costBasis: 'average', from: 0, to: 0, orders: {}, markets: [], currencies: [] },
    });
  });

  it('refuses an unknown cost basis', () => {
    expect(() => report(createSandbox().ledger, { costBasis: 'lifo' as never })).toThrow(
      'report: costBasis "lifo" must be one of average, fifo',
    );
  });
});

const aTrade = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  amount: fc.integer({ min: 1, max: 5000 }).map((units) => decimal(units).shiftedBy(-4).toFixed()),
  price: fc.integer({ min: 1, max: 999_999 }).map((units) => decimal(units).shiftedBy(-2).toFixed()),
});

it('has the same profit by both cost bases, to the last digit: what the trades brought and the position is worth', () => {
  fc.assert(
    fc.property(fc.array(aTrade, { minLength: 1, maxLength: 30 }), aTrade, (trades, { price: last }) => {
      const [average, fifo] = (['average', 'fifo'] as const).map(
        (costBasis) => report(ledgerOf(trades, last), { ...ofMain, costBasis }).markets[0],
      );
      const expected = trades.reduce((sum, { side, amount, price }) => {
        const gain = decimal(last).minus(price).multipliedBy(amount);
        return side === 'buy' ? sum.plus(gain) : sum.minus(gain);
      }, decimal(0));
      expect(average?.profit).toBe(expected.toFixed());
      expect(fifo?.profit).toBe(expected.toFixed());
    }),
  );
});

it('agrees with the balances of the sandbox to the last digit, spot and collateral, long and short', async () => {
  const sandbox = createSandbox({ volatility: 0 });
  const exchange = createExchange(sandbox.clientOptions());
  const market = sandbox.market('BTC_USDT');
  const before = sandbox.ledger.balances();
  const steps = [
    ['buy', '0.013'],
    ['buy', '0.0047'],
    ['sell', '0.007'],
    ['sell', '0.0311'],
    ['buy', '0.0512'],
    ['buy', '0.0031'],
    // Reduces a position of two prices: its cost is rounded.
    ['sell', '0.0111'],
  ] as const;
  for (const [index, [side, amount]] of steps.entries()) {
    market.setPrice(String(59_000 + ((index * 733) % 2000)));
    await lastValueFrom(exchange.spot.placeStockMarketOrder({ market: 'BTC_USDT', side, amount }));
    await lastValueFrom(exchange.collateral.placeMarketOrder({ market: 'BTC_USDT', side, amount }));
  }
  const { ledger } = sandbox;
  const { markets } = report(ledger);
  const sumOf = (reason: string) =>
    ledger.balanceChanges
      .filter((entry) => entry.reason === reason)
      .reduce((sum, { delta }) => sum.plus(delta), decimal(0))
      .toFixed();
  const [spot, collateral] = markets;
  expect(markets.map(({ wallet }) => wallet)).toEqual(['trade', 'collateral']);
  expect(collateral?.realized).toBe(sumOf('profit'));
  const fees = decimal(spot?.fees ?? 0).plus(collateral?.fees ?? 0);
  expect(fees.negated().toFixed()).toBe(sumOf('fee'));
  const after = ledger.balances();
  const change = (asset: string) => decimal(after.trade[asset] ?? 0).minus(before.trade[asset] ?? 0);
  expect(spot?.position).toBe(change('BTC').toFixed());
  const worth = change('BTC').multipliedBy(spot?.price ?? 0);
  expect(spot?.profit).toBe(change('USDT').plus(worth).toFixed());
});
