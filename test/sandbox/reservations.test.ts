// Open spot orders freeze what they may cost, so that no account ever spends what it does not have.
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/model/decimal.js';
import { sendRaw } from '../contract/setup.js';

const market = 'BTC_USDT';

const step = fc.record({
  path: fc.constantFrom('/api/v4/order/new', '/api/v4/order/stock_market', '/api/v4/order/market'),
  side: fc.constantFrom('buy', 'sell'),
  size: fc.integer({ min: 1, max: 60 }),
  offset: fc.integer({ min: -300, max: 300 }),
  stp: fc.constantFrom('no', 'cb', 'cn', 'co'),
  price: fc.option(fc.integer({ min: 59_000, max: 61_000 }), { freq: 3 }),
  cancels: fc.boolean(),
});

/** Fees of two decimal places: the fee of each of many fills would be rounded up by half a cent. */
const markets = [{ name: market, price: '60000', feePrec: 2, makerFee: '0.1', takerFee: '0.15' }];

const frozen = async (sandbox: Sandbox) =>
  (await sendRaw({ sandbox }, '/api/v4/trade-account/balance', {})).body as Readonly<
    Record<string, { readonly available: string; readonly freeze: string }>
  >;

describe('the trade balance', () => {
  it('is never negative, and no open order freezes more than there is, after any trading', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const accounts = [{ name: 'main', balances: { trade: { USDT: '3000', BTC: '0.05' } } }];
        const sandbox = createSandbox({ volatility: 0, markets, accounts });
        sandbox.market(market).setDepth({ levels: 40, step: 0.0001, size: '0.003' });
        for (const { path, side, size, offset, stp, price, cancels } of steps) {
          const isMoney = path.endsWith('/market') && side === 'buy';
          const amount = isMoney ? String(size * 50) : decimal(size).shiftedBy(-3).toFixed();
          await sendRaw({ sandbox }, path, { market, side, amount, stp, price: String(60_000 + offset) });
          if (price !== null) sandbox.market(market).setPrice(String(price));
          const open = sandbox.ledger.orders.find(({ ftime }) => ftime === undefined);
          if (cancels && open !== undefined)
            await sendRaw({ sandbox }, '/api/v4/order/cancel', { market, orderId: open.order_id });
          for (const { available, freeze } of Object.values(await frozen(sandbox)))
            expect([Number(available) >= 0, Number(freeze) >= 0]).toEqual([true, true]);
        }
        expect(sandbox.ledger.balanceChanges.every(({ balance }) => Number(balance) >= 0)).toBe(true);
        for (const { order_id } of sandbox.ledger.orders.filter(({ ftime }) => ftime === undefined))
          await sendRaw({ sandbox }, '/api/v4/order/cancel', { market, orderId: order_id });
        for (const { freeze } of Object.values(await frozen(sandbox))) expect(freeze).toBe('0');
      }),
      { numRuns: 10 },
    );
  }, 60_000);
});
