// Resting reduce-only orders reduce or close a position. They never open one.
import { createExchange, isOpen, type Order } from 'exchange-rx';
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import fc from 'fast-check';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/model/decimal.js';
import { inLedger } from '../contract/setup.js';

const market = 'BTC_USDT';

/** Alice holds a long position; the market has no liquidity except the orders of the accounts. */
async function openLong(amount: string, hedged = false) {
  const sandbox = createSandbox({ volatility: 0, accounts: [{ name: 'alice' }, { name: 'bob' }] });
  const ordersOf = (account: string) => {
    sandbox.account(account).setHedgeMode(hedged);
    const { collateral, orders } = createExchange(sandbox.clientOptions(account));
    return {
      limit: (side: 'buy' | 'sell', amount: string, price: string, more: object = {}) =>
        firstValueFrom(collateral.placeLimitOrder({ market, side, amount, price, ...more })),
      cancel: (order_id: number) => firstValueFrom(orders.cancel({ market, order_id })),
    };
  };
  const [alice, bob] = [ordersOf('alice'), ordersOf('bob')];
  await alice.limit('buy', amount, '60100', hedged ? { positionSide: 'LONG' } : {});
  sandbox.market(market).setDepth({ levels: 0, step: 0.0005, size: '0' });
  const now = (order: Order) => inLedger({ sandbox }, order);
  return { sandbox, alice, bob, now };
}

describe('a reduce-only order that rests', () => {
  it('is canceled when a better order of the same position closes the position', async () => {
    const { alice, bob, now } = await openLong('0.01');
    const worse = await alice.limit('sell', '0.01', '60060', { reduceOnly: true });
    const better = await alice.limit('sell', '0.01', '60050', { reduceOnly: true });
    const bought = await bob.limit('buy', '0.015', '60100', { ioc: true });
    expect(bought).toMatchObject({ deal_stock: '0.01', left: '0.005', status: 'CANCELED' });
    expect(now(better)).toMatchObject({ status: 'FILLED' });
    expect(now(worse)).toMatchObject({ status: 'AUTO_CANCELED_REDUCE_ONLY', deal_stock: '0' });
  });

  it('trades at most the rest of its position after a better order', async () => {
    const { alice, bob, now } = await openLong('0.03');
    await alice.limit('sell', '0.02', '60040');
    const reducing = await alice.limit('sell', '0.03', '60050', { reduceOnly: true });
    await bob.limit('buy', '0.1', '60100', { ioc: true });
    expect(now(reducing)).toMatchObject({ status: 'AUTO_CANCELED_REDUCE_ONLY', deal_stock: '0.01', left: '0.02' });
  });

  it('stays open in hedge mode when the other position of the account closes', async () => {
    const { alice, bob, now } = await openLong('0.01', true);
    await bob.limit('buy', '0.01', '60000', { positionSide: 'LONG' });
    await alice.limit('sell', '0.01', '60000', { positionSide: 'SHORT' });
    const closesShort = await alice.limit('buy', '0.01', '59000', { positionSide: 'SHORT', reduceOnly: true });
    const closesLong = await alice.limit('sell', '0.01', '60050', { positionSide: 'LONG', reduceOnly: true });
    await bob.limit('buy', '0.05', '60100', { positionSide: 'LONG', ioc: true });
    expect([now(closesLong)?.status, now(closesShort)?.status]).toEqual(['FILLED', 'NEW']);
  });
});

it('a stop loss placed after its position was closed is canceled, and closes no later position', async () => {
  const { sandbox, alice, bob } = await openLong('0.01');
  await bob.limit('sell', '0.01', '60010');
  const oto = await alice.limit('buy', '0.03', '60010', { stopLoss: '59000' });
  await bob.limit('buy', '0.02', '60020');
  await alice.limit('sell', '0.02', '60020');
  await alice.cancel(oto.order_id);
  const stops = sandbox.ledger.orders.filter(({ type }) => type === 'stop market');
  expect(stops).toMatchObject([{ account: 'alice', status: 'AUTO_CANCELED_REDUCE_ONLY', deal_stock: '0' }]);
});

const step = fc.record({
  name: fc.constantFrom('alice' as const, 'bob' as const),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  size: fc.integer({ min: 1, max: 5 }),
  price: fc.integer({ min: 60_000, max: 60_006 }),
  reduceOnly: fc.boolean(),
  stp: fc.constantFrom('no' as const, 'cancel_old' as const, 'cancel_new' as const, 'cancel_both' as const),
  positionSide: fc.constantFrom('LONG' as const, 'SHORT' as const),
});

/** No open reduce-only order without a position to reduce, and no bid above an ask. */
function checkOpen({ ledger }: Sandbox, positions: ReadonlyMap<string, ReturnType<typeof decimal>>): void {
  const open = ledger.orders.filter(isOpen);
  for (const { account, positionSide, side, reduceOnly, order_id } of open) {
    const position = positions.get(`${account} ${positionSide ?? ''}`) ?? decimal(0);
    const isReducible = side === 'sell' ? position.isGreaterThan(0) : position.isLessThan(0);
    if (reduceOnly) expect([order_id, isReducible]).toEqual([order_id, true]);
  }
  const prices = (side: 'buy' | 'sell') =>
    open.filter((order) => order.side === side).map(({ price }) => Number(price));
  expect(Math.max(0, ...prices('buy'))).toBeLessThan(Math.min(...prices('sell')));
}

it('in any trading of two accounts, no reduce-only order opens or outlives a position, and every ended order stays ended', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), fc.boolean(), async (steps, hedged) => {
      const { sandbox, alice, bob } = await openLong('0.02', hedged);
      for (const { name, side, size, price, positionSide, ...more } of steps) {
        const { limit } = name === 'alice' ? alice : bob;
        // A reduce-only order without a position to reduce is rejected.
        const options = { ...more, ...(hedged ? { positionSide } : {}) };
        await limit(side, decimal(size).shiftedBy(-2).toFixed(), String(price), options).catch(() => undefined);
      }
      const { orders, fills } = sandbox.ledger;
      for (const order of orders)
        expect([order.order_id, isOpen(order)]).toEqual([order.order_id, order.ftime === undefined]);

      const positions = new Map<string, ReturnType<typeof decimal>>();
      for (const { account, order_id, side, amount } of fills) {
        const order = orders.find((one) => one.order_id === order_id);
        const key = `${account} ${order?.positionSide ?? ''}`;
        const before = positions.get(key) ?? decimal(0);
        const after = side === 'buy' ? before.plus(amount) : before.minus(amount);
        positions.set(key, after);
        const isReducing = after.abs().isLessThan(before.abs()) && !after.multipliedBy(before).isLessThan(0);
        if (order?.reduceOnly === true) expect([order_id, isReducing]).toEqual([order_id, true]);
      }
      checkOpen(sandbox, positions);
    }),
    { numRuns: 12 },
  );
}, 120_000);

it('in hedge mode, a reducing order that is larger than its position is rejected', async () => {
  const { alice } = await openLong('0.01', true);
  const refused = { code: 115, reason: 'opposite-position' };
  await expect(alice.limit('sell', '0.02', '60060', { positionSide: 'LONG' })).rejects.toMatchObject(refused);
  await expect(alice.limit('buy', '0.01', '59000', { positionSide: 'SHORT' })).rejects.toMatchObject(refused);
  expect(await alice.limit('sell', '0.01', '60060', { positionSide: 'LONG' })).toMatchObject({ status: 'OPEN' });
});
