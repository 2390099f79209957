// Liquidation: an account whose equity is below its maintenance margin loses its orders, then its positions.
import { createSandbox } from 'exchange-rx/sandbox';
import fc from 'fast-check';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/model/decimal.js';
import { clientOf, inLedger } from '../contract/setup.js';
import { failureOf } from '../support/failure.js';

const margin = 'BTC_USDT';
const perpetual = 'BTC_PERP';
const markets = [
  { name: margin, price: '60000' },
  { name: perpetual, price: '60000', stockPrec: 3, minAmount: '0.001' },
  { name: 'ETH_USDT', price: '3000' },
];
type Side = 'buy' | 'sell';
type PositionSide = 'LONG' | 'SHORT';

/** An account with this collateral, on a manual clock. */
function open(usdt = '1000') {
  const accounts = [{ name: 'main', balances: { collateral: { USDT: usdt } } }, { name: 'other' }];
  const sandbox = createSandbox({ clock: 'manual', volatility: 0, markets, accounts });
  const { collateral, orders } = clientOf(sandbox);
  const place = (market: string, side: Side, amount: string, more: object = {}) =>
    firstValueFrom(
      collateral.placeLimitOrder({ market, side, amount, price: side === 'buy' ? '63000' : '57000', ...more }),
    );
  const positions = () => firstValueFrom(collateral.openPositions());
  const setPrice = (market: string, price: string) => {
    sandbox.market(market).setPrice(price);
  };
  const liquidations = () =>
    sandbox.ledger.orders.filter(({ client_order_id }) => client_order_id.startsWith('liquidation_'));
  return { sandbox, collateral, orders, place, positions, setPrice, liquidations };
}

describe('a position', () => {
  it('is liquidated as soon as its liquidation price is passed, and not before, whatever the account holds', async () => {
    const held = fc.record({
      market: fc.constantFrom(margin, perpetual),
      side: fc.constantFrom<Side[]>('buy', 'sell'),
      thousandths: fc.integer({ min: 10, max: 38 }),
      positionSide: fc.constantFrom<PositionSide[]>('LONG', 'SHORT'),
    });
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(held, { minLength: 1, maxLength: 4 }), fc.boolean(), async (orders, isHedged) => {
        const { sandbox, place, positions, setPrice, liquidations } = open();
        sandbox.account().setHedgeMode(isHedged);
        for (const { market, thousandths, ...order } of orders) {
          // In hedge mode, both sides only open positions.
          const side = isHedged ? (order.positionSide === 'LONG' ? 'buy' : 'sell') : order.side;
          const amount = decimal(thousandths).shiftedBy(-3).toFixed();
          await place(market, side, amount, { ioc: true, ...(isHedged ? { positionSide: order.positionSide } : {}) });
        }
        const [position] = await positions();
        const { market = margin, liquidationPrice } = position ?? {};
        if (liquidationPrice === undefined) return;
        checked += 1;
        const exact = decimal(liquidationPrice);
        const isFall = exact.isLessThan(60_000);
        // To the tick on either side of it.
        const floored = exact.decimalPlaces(2, 1);
        const [safe, passed] = isFall ? [floored.plus('0.01'), floored.minus('0.01')] : [floored, floored.plus('0.02')];
        setPrice(market, safe.toFixed());
        expect(liquidations()).toEqual([]);
        expect((await positions())[0]).toMatchObject({ liquidationState: 'margin_call' });
        setPrice(market, passed.toFixed());
        expect(liquidations().length).toBeGreaterThan(0);
      }),
      { numRuns: 12 },
    );
    expect(checked).toBeGreaterThan(5);
  });

  it('without leverage has no liquidation price when it is long', async () => {
    const { collateral, place, positions } = open('100000');
    await firstValueFrom(collateral.setLeverage({ leverage: 1 }));
    await place(margin, 'buy', '1', { ioc: true });
    expect((await positions())[0]).not.toHaveProperty('liquidationPrice');
  });

  it('is in a margin call below twice the maintenance margin', async () => {
    const { place, positions, setPrice } = open();
    await place(margin, 'buy', '0.1', { ioc: true });
    const state = async () => (await positions())[0]?.liquidationState;
    expect(await state()).toBeUndefined();
    // Equity: 1000 and 0.1 * (p - 60015) and a fee of 6; twice the maintenance margin: 0.001 * p.
    setPrice(margin, '50700');
    expect(await state()).toBeUndefined();
    setPrice(margin, '50500');
    expect(await state()).toBe('margin_call');
  });

  it('that has lost most of the account cannot be doubled', async () => {
    const { collateral, place, setPrice } = open();
    await place(perpetual, 'buy', '0.08', { ioc: true });
    setPrice(perpetual, '54000');
    const again = collateral.placeMarketOrder({ market: perpetual, side: 'buy', amount: '0.08' });
    expect(await failureOf(again)).toMatchObject({ code: 10, outcome: 'rejected' });
  });
});

describe('an open order whose margin the account has lost', () => {
  const statuses = ({ sandbox }: ReturnType<typeof open>) => sandbox.ledger.orders.map(({ status }) => status);

  it('is canceled with a status of its own, the newest order first', async () => {
    const one = open();
    await one.place(margin, 'buy', '0.05', { price: '50000' });
    await one.place(margin, 'buy', '0.05', { price: '49000' });
    await one.place('ETH_USDT', 'buy', '1', { price: '2000' });
    one.sandbox.account('main').deposit('USDT', '-500', 'collateral');
    expect(statuses(one)).toEqual(['NEW', 'NEW', 'AUTO_CANCELED_USER_MARGIN']);
    const history = await firstValueFrom(one.orders.history({ market: 'ETH_USDT' }));
    expect(history['ETH_USDT']).toMatchObject([{ status: 'AUTO_CANCELED_USER_MARGIN' }]);
  });

  it('is canceled as soon as the loss of an open position takes its margin, and not before', async () => {
    const one = open();
    await one.place(perpetual, 'buy', '0.08', { ioc: true });
    const bid = await one.place(margin, 'buy', '0.05', { price: '50000' });
    const status = () => inLedger(one, bid)?.status;
    const { freeMargin } = await firstValueFrom(one.collateral.summary());
    const price = decimal('60000').minus(decimal(freeMargin ?? 0).dividedBy('0.08'));
    one.setPrice(perpetual, price.plus(1).toFixed(0));
    expect(status()).toBe('NEW');
    one.setPrice(perpetual, price.minus(1).toFixed(0));
    expect(status()).toBe('AUTO_CANCELED_USER_MARGIN');
  });

  it('stays while the margin suffices, and while it only reduces a position', async () => {
    const one = open();
    await one.place(perpetual, 'buy', '0.1', { ioc: true, stopLoss: '50000' });
    await one.place(margin, 'buy', '0.01', { price: '50000' });
    one.setPrice(perpetual, '59000');
    expect(statuses(one)).toEqual(['FILLED', 'NEW', 'NEW']);
    one.sandbox.account('main').deposit('USDT', '-500', 'collateral');
    expect(statuses(one)).toEqual(['FILLED', 'NEW', 'AUTO_CANCELED_USER_MARGIN']);
  });
});

describe('a liquidation', () => {
  it('cancels the open collateral orders of the account, closes the position at the market, and is in its history', async () => {
    const { sandbox, collateral, place, positions, setPrice, liquidations } = open();
    const bid = await place(margin, 'buy', '0.01', { price: '40000' });
    const bought = await place(perpetual, 'buy', '0.1', { ioc: true, stopLoss: '45000' });
    const [position] = await positions();
    const ofOther = { market: margin, side: 'buy', amount: '0.01', price: '40000' } as const;
    await firstValueFrom(clientOf(sandbox, 'other').collateral.placeLimitOrder(ofOther));
    setPrice(perpetual, '50000');
    const orders = sandbox.ledger.orders.filter(({ account }) => account === 'main');
    expect(orders.map(({ type, status }) => [type, status])).toEqual([
      ['limit', 'AUTO_CANCELED_LIQUIDATION'],
      ['limit', 'FILLED'],
      ['stop market', 'AUTO_CANCELED_LIQUIDATION'],
      ['market', 'FILLED'],
    ]);
    expect(orders.slice(0, 2)).toMatchObject([bid, bought].map(({ order_id }) => ({ order_id })));
    expect(liquidations()).toMatchObject([
      { side: 'sell', amount: '0.1', client_order_id: `liquidation_${position?.positionId ?? 0}`, reduceOnly: true },
    ]);
    expect(await positions()).toEqual([]);
    expect(sandbox.ledger.orders.find(({ account }) => account === 'other')?.status).toBe('NEW');
    const [change] = await firstValueFrom(collateral.positionHistory());
    expect(change).toMatchObject({ amount: '0', liquidationState: 'liquidation' });
  });

  it('closes the largest loss first, and stops when the margin suffices', async () => {
    const { place, positions, setPrice, liquidations } = open('1200');
    await place('ETH_USDT', 'buy', '0.6', { ioc: true, price: '3100' });
    await place(margin, 'buy', '0.1', { ioc: true });
    setPrice('ETH_USDT', '2900');
    setPrice(margin, '48950');
    expect(liquidations().map(({ market }) => market)).toEqual([margin]);
    expect(await positions()).toMatchObject([{ market: 'ETH_USDT', amount: '0.6' }]);
  });

  it('goes on at the next move of the price when the market does not take all of a position', async () => {
    const { sandbox, place, positions, setPrice, liquidations } = open();
    await place(margin, 'buy', '0.1', { ioc: true });
    sandbox.market(margin).setDepth({ levels: 1, step: 0.0005, size: '0.06' });
    setPrice(margin, '50200');
    expect((await positions())[0]).toMatchObject({ amount: '0.04' });
    setPrice(margin, '49000');
    expect(await positions()).toEqual([]);
    expect(liquidations().map(({ deal_stock }) => deal_stock)).toEqual(['0.06', '0.04']);
  });

  it('waits for a market that is closed, or that has no offers, without any order', async () => {
    const { sandbox, place, positions, setPrice, liquidations } = open();
    await place(margin, 'buy', '0.1', { ioc: true });
    sandbox.market(margin).setTradesEnabled(false);
    setPrice(margin, '50000');
    setPrice(margin, '49999');
    expect((await positions())[0]).toMatchObject({ amount: '0.1', liquidationState: 'liquidation' });
    sandbox.market(margin).setTradesEnabled(true);
    sandbox.market(margin).setDepth({ levels: 0, step: 0.0005, size: '0' });
    setPrice(margin, '49998');
    expect(liquidations()).toEqual([]);
    sandbox.market(margin).setDepth({ levels: 1, step: 0.0005, size: '1' });
    setPrice(margin, '49997');
    expect(liquidations()).toHaveLength(1);
  });

  it('follows from funding alone', async () => {
    const { sandbox, place, liquidations } = open();
    sandbox.market(margin).setPrice('50000');
    await place(perpetual, 'buy', '0.15', { ioc: true });
    sandbox.clock.advance(10 * 8 * 3_600_000);
    expect(liquidations()).toEqual([]);
    sandbox.clock.advance(10 * 8 * 3_600_000);
    expect(liquidations()).toHaveLength(1);
    expect(new Date(sandbox.ledger.fills.at(-1)?.at ?? 0).getUTCHours() % 8).toBe(0);
  });

  it('leaves a loss above the balance as a negative balance, and places no further order', async () => {
    const { sandbox, place, setPrice, liquidations } = open();
    await place(margin, 'buy', '0.15', { ioc: true });
    setPrice(margin, '30000');
    expect(Number(sandbox.ledger.balances('main').collateral['USDT'])).toBeLessThan(-3000);
    setPrice(margin, '29000');
    expect(liquidations()).toHaveLength(1);
    const order = place(margin, 'buy', '0.01', { price: '29100' });
    await expect(order).rejects.toMatchObject({ reason: 'insufficient-balance' });
  });
});

describe('a bracket', () => {
  it('is the largest position of a leverage, alone (111) and with the open orders of its side (112)', async () => {
    const { sandbox, collateral, place } = open('10000000');
    sandbox.market(perpetual).setDepth({ levels: 1, step: 0.0005, size: '1000' });
    const rejected = async (amount: string, more: object = {}) =>
      failureOf(collateral.placeLimitOrder({ market: perpetual, side: 'buy', amount, price: '60000', ...more }));
    const tooLarge = { reason: 'position-limit', outcome: 'rejected' };
    // 50,000,000 / 10 = 5,000,000.
    expect(await rejected('84')).toMatchObject({ ...tooLarge, code: 111 });
    await place(perpetual, 'buy', '50', { price: '61000', ioc: true });
    expect(await rejected('34')).toMatchObject({ ...tooLarge, code: 111 });
    await place(perpetual, 'buy', '20', { price: '50000' });
    expect(await rejected('20')).toMatchObject({ ...tooLarge, code: 112 });
    await place(perpetual, 'sell', '100', { price: '70000' });
    await place(perpetual, 'sell', '10', { reduceOnly: true, price: '70000' });
  });

  it('lowers the maximum leverage, and so raises the maintenance margin', async () => {
    const maintenanceOf = async (amount: string) => {
      const { sandbox, collateral, place } = open('10000000');
      sandbox.market(perpetual).setDepth({ levels: 1, step: 0, size: '1000' });
      await place(perpetual, 'buy', amount, { ioc: true, price: '60100' });
      const { equity, maintenanceMarginFraction = '0' } = await firstValueFrom(collateral.summary());
      return (Number(equity) * Number(maintenanceMarginFraction)) / (Number(amount) * 60_000);
    };
    // 60,000 at 100; 600,000 at 50; 4,800,000 at 10.
    expect(await maintenanceOf('1')).toBeCloseTo(0.005, 4);
    expect(await maintenanceOf('10')).toBeCloseTo(0.01, 4);
    expect(await maintenanceOf('80')).toBeCloseTo(0.05, 4);
  });

  it('is for perpetuals only', async () => {
    const { sandbox, place } = open('10000000');
    sandbox.market(margin).setDepth({ levels: 1, step: 0, size: '1000' });
    expect(await place(margin, 'buy', '100', { ioc: true })).toMatchObject({ deal_stock: '100' });
  });
});
