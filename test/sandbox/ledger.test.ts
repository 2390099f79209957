// The ledger adds up after any trading: balances are the sums of their changes, and orders the sums of their fills.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import fc from 'fast-check';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/model/decimal.js';
import { sendRaw } from '../contract/setup.js';

const market = 'BTC_USDT';
const paths = {
  stock: '/api/v4/order/stock_market',
  market: '/api/v4/order/market',
  limit: '/api/v4/order/collateral/limit',
  spotLimit: '/api/v4/order/new',
  stopMarket: '/api/v4/order/stop_market',
};
const modifyPath = '/api/v4/order/modify';

const step = fc.record({
  path: fc.constantFrom(...Object.values(paths)),
  side: fc.constantFrom('buy', 'sell'),
  size: fc.integer({ min: 1, max: 40 }),
  offset: fc.integer({ min: -300, max: 300 }),
  ioc: fc.boolean(),
  stopLoss: fc.boolean(),
  price: fc.option(fc.integer({ min: 58_000, max: 62_000 }), { freq: 4 }),
  modified: fc.option(fc.constantFrom('amount', 'total', 'price', 'activation_price'), { freq: 3 }),
});

describe('the ledger', () => {
  it('has balances that are the sums of their changes, and orders that are the sums of their fills, after any trading', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
        const sandbox = createSandbox({ volatility: 0 });
        for (const { path, side, size, offset, ioc, stopLoss, price, modified } of steps) {
          const isQuote = (path === paths.market || path === paths.stopMarket) && side === 'buy';
          const amount = isQuote ? String(size * 100) : decimal(size).shiftedBy(-2).toFixed();
          const isLimit = path === paths.limit || path === paths.spotLimit;
          const limit = isLimit
            ? { price: String(60_000 + offset), ioc, ...(stopLoss ? { stopLoss: '59000' } : {}) }
            : {};
          const stop = path === paths.stopMarket ? { activation_price: String(60_000 + offset) } : {};
          await sendRaw({ sandbox }, path, { market, side, amount, ...limit, ...stop });
          const open = sandbox.ledger.orders.findLast(({ ftime }) => ftime === undefined);
          if (modified !== null && open !== undefined) {
            const value = modified.endsWith('price') ? String(60_000 - offset) : amount;
            // A field that the order lacks is rejected.
            await sendRaw({ sandbox }, modifyPath, { market, orderId: open.order_id, [modified]: value });
          }
          if (price !== null) sandbox.market(market).setPrice(String(price));
        }

        const { ledger } = sandbox;
        for (const wallet of ['main', 'trade', 'collateral'] as const) {
          const sums = new Map<string, string>();
          for (const change of ledger.balanceChanges.filter((one) => one.wallet === wallet)) {
            const sum = decimal(sums.get(change.asset) ?? '0').plus(change.delta);
            expect(sum.toFixed()).toBe(change.balance);
            sums.set(change.asset, sum.toFixed());
          }
          expect(Object.fromEntries([...sums].filter(([, sum]) => sum !== '0'))).toEqual(ledger.balances()[wallet]);
        }
        for (const wallet of ['main', 'trade'] as const)
          for (const balance of Object.values(ledger.balances()[wallet]))
            expect(decimal(balance).isNegative()).toBe(false);
        for (const order of ledger.orders) {
          const fills = ledger.fills.filter(({ order_id }) => order_id === order.order_id);
          const sum = (pick: (fill: (typeof fills)[number]) => string) =>
            fills.reduce((all, fill) => all.plus(pick(fill)), decimal(0)).toFixed();
          expect([sum((fill) => fill.amount), sum((fill) => fill.money), sum((fill) => fill.fee)]).toEqual([
            order.deal_stock,
            order.deal_money,
            order.deal_fee,
          ]);
          const isMarket = order.type === 'market' || order.type === 'stop market';
          expect(decimal(order.deal_stock).isLessThanOrEqualTo(isMarket ? '1000' : order.amount)).toBe(true);
        }
      }),
      { numRuns: 6 },
    );
  }, 60_000);

  it('books the profit of a closed position, less the fees, in the collateral wallet', async () => {
    const sandbox = createSandbox({ volatility: 0 });
    const limit = (side: string, price: string) =>
      sendRaw({ sandbox }, paths.limit, { market, side, amount: '0.1', price });
    await limit('buy', '60100');
    sandbox.market(market).setPrice('61000');
    await limit('sell', '60900');
    const [bought, sold] = sandbox.ledger.orders;
    const profit = decimal(sold?.deal_money ?? '0')
      .minus(bought?.deal_money ?? '0')
      .minus(bought?.deal_fee ?? '0')
      .minus(sold?.deal_fee ?? '0');
    expect(profit.isGreaterThan(0)).toBe(true);
    expect(sandbox.ledger.balances().collateral['USDT']).toBe(decimal('1000000').plus(profit).toFixed());
  });
});

describe('the ledger of several markets', () => {
  it('is in the order of time across markets after a long idle time', async () => {
    const sandbox = createSandbox({ clock: 'manual', volatility: 0.01, seed: 3 });
    for (const [name, price] of [
      ['BTC_USDT', 60_000],
      ['ETH_USDT', 3000],
    ] as const) {
      sandbox.market(name).setPrice(String(price));
      for (let step = 1; step < 9; step += 1) {
        await sendRaw({ sandbox }, paths.limit, {
          market: name,
          side: 'buy',
          amount: '0.01',
          price: String(price * (1 - step / 100)),
        });
      }
    }
    sandbox.clock.advance(60_000);
    const { fills, balanceChanges } = sandbox.ledger;
    expect(new Set(fills.map((fill) => fill.market)).size).toBe(2);
    for (const list of [fills, balanceChanges]) {
      const times = list.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
    }
  });
});

describe('the price', () => {
  it('is the same for the same seed at the same time, and moves only with the clock', () => {
    const path = (seed: number) => {
      const sandbox = createSandbox({ seed, clock: 'manual' });
      return Array.from({ length: 20 }, () => {
        sandbox.clock.advance(1000);
        return [sandbox.market(market).price(), sandbox.market(market).price()];
      });
    };
    expect(path(3)).toEqual(path(3));
    expect(path(3)).not.toEqual(path(4));
    expect(path(3).every(([one, other]) => one === other)).toBe(true);
  });

  it('cannot be advanced on a real clock', () => {
    expect(() => {
      createSandbox().clock.advance(1);
    }).toThrow('manual');
  });
});

describe('accounts', () => {
  it('trade with each other by price, then by time', async () => {
    const sandbox = createSandbox({ volatility: 0, accounts: [{ name: 'alice' }, { name: 'bob' }] });
    const alice = createExchange(sandbox.clientOptions('alice'));
    const bob = createExchange(sandbox.clientOptions('bob'));
    const offer = (price: string) =>
      firstValueFrom(alice.collateral.placeLimitOrder({ market, side: 'sell', amount: '0.01', price }));
    const worse = await offer('60010');
    const older = await offer('60005');
    const newer = await offer('60005');
    await firstValueFrom(bob.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.015' }));
    const makers = sandbox.ledger.fills
      .filter(({ role }) => role === 'maker')
      .map(({ order_id, amount }) => [order_id, amount]);
    expect(makers).toEqual([
      [older.order_id, '0.01'],
      [newer.order_id, '0.005'],
    ]);
    expect(sandbox.ledger.orders.find(({ order_id }) => order_id === worse.order_id)?.status).toBe('NEW');
    expect(sandbox.ledger.balances('bob').trade['BTC']).toBe('100.015');
  });
});
