// The ledger adds up after any trading: balances are the sums of their changes, and orders the sums of their fills.
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import fc from 'fast-check';
import { expect, it } from 'vitest';
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

it('the ledger has balances that are the sums of their changes, and orders that are the sums of their fills, after any trading', async () => {
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

it('the ledger of several markets is in the order of time across markets after a long idle time', async () => {
  const sandbox = createSandbox({ clock: 'manual', volatility: 0.01, seed: 3 });
  for (const [name, price] of Object.entries({ BTC_USDT: 60_000, ETH_USDT: 3000 })) {
    sandbox.market(name).setPrice(String(price));
    for (let step = 1; step < 9; step += 1) {
      const order = { market: name, side: 'buy', amount: '0.01', price: String(price * (1 - step / 100)) };
      await sendRaw({ sandbox }, paths.limit, order);
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

const spotStep = fc.record({
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

it('the trade balance is never negative, and no open order freezes more than there is, after any trading', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(spotStep, { maxLength: 40, size: 'max' }), async (steps) => {
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
