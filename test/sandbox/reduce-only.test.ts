// Reduce-only orders that rest: whoever trades with them, they reduce or close a position, and never open one.
import { createExchange, isOpen } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import fc from 'fast-check';
import { firstValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { decimal } from '../../src/model/decimal.js';

const market = 'BTC_USDT';

/** Alice is long; nothing is offered but what accounts offer. */
async function long(amount: string) {
  const sandbox = createSandbox({ volatility: 0, accounts: [{ name: 'alice' }, { name: 'bob' }] });
  const orders = (account: string) => {
    const { collateral } = createExchange(sandbox.clientOptions(account));
    return (side: 'buy' | 'sell', amount: string, price: string, more: { readonly reduceOnly?: boolean; readonly ioc?: boolean } = {}) =>
      firstValueFrom(collateral.placeLimitOrder({ market, side, amount, price, ...more }));
  };
  const [alice, bob] = [orders('alice'), orders('bob')];
  await alice('buy', amount, '60100');
  sandbox.market(market).setDepth({ levels: 0, step: 0.0005, size: '0' });
  return { sandbox, alice, bob };
}

it('two that would close the same position: the better offer does, and the other one is canceled', async () => {
  const { sandbox, alice, bob } = await long('0.01');
  const worse = await alice('sell', '0.01', '60060', { reduceOnly: true });
  const better = await alice('sell', '0.01', '60050', { reduceOnly: true });
  expect(await bob('buy', '0.015', '60100', { ioc: true })).toMatchObject({ deal_stock: '0.01', left: '0.005', status: 'CANCELED' });
  const now = (id: number) => sandbox.ledger.orders.find(({ order_id }) => order_id === id);
  expect(now(better.order_id)).toMatchObject({ status: 'FILLED' });
  expect(now(worse.order_id)).toMatchObject({ status: 'AUTO_CANCELED_REDUCE_ONLY', deal_stock: '0' });
});

it('an order that opens or closes before it leaves it no more than is left of the position', async () => {
  const { sandbox, alice, bob } = await long('0.03');
  await alice('sell', '0.02', '60040');
  const reducing = await alice('sell', '0.03', '60050', { reduceOnly: true });
  await bob('buy', '0.1', '60100', { ioc: true });
  const now = sandbox.ledger.orders.find(({ order_id }) => order_id === reducing.order_id);
  expect(now).toMatchObject({ status: 'AUTO_CANCELED_REDUCE_ONLY', deal_stock: '0.01', left: '0.02' });
});

it('in any trading of two accounts, none opens a position, and what has ended stays ended', async () => {
  const step = fc.record({
    name: fc.constantFrom('alice', 'bob'),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    size: fc.integer({ min: 1, max: 5 }),
    price: fc.integer({ min: 60_000, max: 60_006 }),
    reduceOnly: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const { sandbox, alice, bob } = await long('0.02');
      for (const { name, side, size, price, reduceOnly } of steps) {
        const place = name === 'alice' ? alice : bob;
        // Without a position, or on its side, it is refused.
        await place(side, decimal(size).shiftedBy(-2).toFixed(), String(price), { reduceOnly }).catch(() => undefined);
      }
      const { orders, fills } = sandbox.ledger;
      for (const order of orders) expect([order.order_id, isOpen(order)]).toEqual([order.order_id, order.ftime === undefined]);

      const positions = new Map<string, ReturnType<typeof decimal>>();
      for (const { account, order_id, side, amount } of fills) {
        const before = positions.get(account) ?? decimal(0);
        const after = side === 'buy' ? before.plus(amount) : before.minus(amount);
        positions.set(account, after);
        const isReducing = after.abs().isLessThan(before.abs()) && !after.multipliedBy(before).isLessThan(0);
        if (orders.find((order) => order.order_id === order_id)?.reduceOnly === true) expect([order_id, isReducing]).toEqual([order_id, true]);
      }
    }),
    { numRuns: 100 },
  );
}, 60_000);
