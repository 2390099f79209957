// ccxt places, modifies, lists and cancels orders on the served sandbox: what it shows is the ledger.
import type { LedgerOrder } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { hasCcxt, serve, spot, swap, type Served, type UnifiedOrder } from '../support/ccxt.js';

const statuses: Readonly<Partial<Record<LedgerOrder['status'], string>>> = {
  NEW: 'open',
  FILLED: 'closed',
  CANCELED: 'canceled',
};

/** What ccxt shows of every order, by the ledger. */
const shown = ({ order_id, client_order_id, ...order }: LedgerOrder) => ({
  id: String(order_id),
  clientOrderId: client_order_id,
  side: order.side,
  status: statuses[order.status],
  filled: Number(order.deal_stock),
  cost: Number(order.deal_money),
  fee: { cost: Number(order.deal_fee), currency: 'USDT' },
});

/** Compares an order with the ledger; returns the ledger's. */
function expectShown({ ledgerOrder }: Served, order: UnifiedOrder): LedgerOrder {
  const inLedger = ledgerOrder(order.id);
  expect(order).toMatchObject(shown(inLedger));
  return inLedger;
}

const idsOf = (orders: readonly { readonly id: string }[]) => orders.map(({ id }) => id).sort();
const ledgerIds = ({ sandbox }: Served, ...wanted: LedgerOrder['status'][]) =>
  sandbox.ledger.orders.flatMap(({ order_id, status }) => (wanted.includes(status) ? [String(order_id)] : [])).sort();

const cross = { marginMode: 'cross' };
/** Each as a limit or a market order of ccxt; a stop order waits for its trigger price. */
const placings = [
  ['limit', spot, {}, { type: 'limit', collateral: false }],
  ['market', spot, {}, { type: 'stock market', collateral: false }],
  ['stop limit', spot, {}, { type: 'stop limit' }],
  ['stop market', spot, {}, { type: 'stop market' }],
  ['margin limit', spot, cross, { type: 'limit', collateral: true }],
  ['margin market', spot, cross, { type: 'market', collateral: true }],
  ['margin stop market', spot, cross, { type: 'stop market', collateral: true }],
  ['futures limit', swap, {}, { type: 'limit', market: 'BTC_PERP' }],
  ['futures market', swap, {}, { type: 'market', market: 'BTC_PERP' }],
  ['futures stop market', swap, {}, { type: 'stop market', market: 'BTC_PERP' }],
] as const;

describe.skipIf(!hasCcxt)('createOrder of ccxt on the served sandbox', () => {
  it.each(placings.flatMap((placing) => (['buy', 'sell'] as const).map((side) => [side, ...placing] as const)))(
    '%s %s: the order is in the ledger as ccxt shows it',
    async (side, _, symbol, params, ledger) => {
      const one = await serve();
      const type = ledger.type.endsWith('limit') ? 'limit' : 'market';
      const isStop = ledger.type.startsWith('stop');
      const isBuy = side === 'buy';
      const trigger = isBuy ? 61_000 : 59_000;
      // The amount of a spot stop market order that buys is in the quote currency.
      const amount = ledger.type === 'stop market' && isBuy && symbol === spot && params !== cross ? 610 : 0.01;
      const isReachedByRise = isBuy === isStop;
      const limitPrice = isReachedByRise ? 80_000 : 40_000;
      const price = type === 'market' ? undefined : limitPrice;
      const placed = await one.ccxt.createOrder(symbol, type, side, amount, price, {
        ...params,
        ...(isStop ? { triggerPrice: trigger } : {}),
      });
      const inLedger = expectShown(one, placed);
      expect(inLedger).toMatchObject({ ...ledger, side, amount: String(amount), price: String(price ?? 0) });
      expect(placed).toMatchObject({ symbol, status: type === 'market' && !isStop ? 'closed' : 'open' });
      expect(placed['triggerPrice']).toBe(isStop ? trigger : undefined);
      // A resting order waits for the sandbox's best offer, which is not at its price.
      const beyond = isReachedByRise ? 81_000 : 39_000;
      one.sandbox.market(inLedger.market).setPrice(String(isStop ? trigger : beyond));
      expect(one.ledgerOrder(placed.id).status).toBe('FILLED');
    },
  );

  it.each([
    ['postOnly', { postOnly: true }, { postOnly: true, status: 'NEW' }],
    ['timeInForce PO', { timeInForce: 'PO' }, { postOnly: true, status: 'NEW' }],
    ['timeInForce IOC', { timeInForce: 'IOC' }, { ioc: true, status: 'CANCELED' }],
    ['clientOrderId', { clientOrderId: 'mine' }, { client_order_id: 'mine', status: 'NEW' }],
  ])('has its flags and its identifier: %s', async (_, params, ledger) => {
    const one = await serve();
    for (const symbol of [spot, swap]) {
      const placed = await one.ccxt.createOrder(symbol, 'limit', 'buy', 0.01, 50_000, params);
      expect(expectShown(one, placed)).toMatchObject(ledger);
    }
  });

  it.each([
    ['InsufficientFunds', 'on spot above the balance', spot, 1_000_000, 50_000, {}],
    ['InvalidOrder', 'below the minimum', spot, 0.00005, 50_000, {}],
    ['InsufficientFunds', 'on collateral above the margin', spot, 500, 60_000, cross],
  ])('throws %s %s', async (name, _, symbol, amount, price, params) => {
    const { ccxt, sandbox } = await serve();
    await expect(ccxt.createOrder(symbol, 'limit', 'buy', amount, price, params)).rejects.toMatchObject({ name });
    expect(sandbox.ledger.orders).toEqual([]);
  });
});

describe.skipIf(!hasCcxt)('orders of ccxt on the served sandbox', () => {
  /** Resting and ended orders of each kind. */
  const withOrders = async () => {
    const one = await serve();
    const resting = await one.ccxt.createOrder(spot, 'limit', 'buy', 0.01, 50_000, { clientOrderId: 'resting' });
    const futures = await one.ccxt.createOrder(swap, 'limit', 'sell', 0.01, 70_000);
    const margin = await one.ccxt.createOrder(spot, 'limit', 'buy', 0.01, 50_000, cross);
    const filled = await one.ccxt.createOrder(spot, 'market', 'buy', 0.02);
    const canceled = await one.ccxt.createOrder(spot, 'limit', 'buy', 0.01, 49_000);
    await one.ccxt.cancelOrder(canceled.id, spot);
    return { one, resting, futures, margin, filled, canceled };
  };

  it('are modified by editOrder, by either identifier', async () => {
    const one = await serve();
    await one.ccxt.createOrder(spot, 'limit', 'buy', 0.01, 50_000, { clientOrderId: 'mine' });
    const edited = await one.ccxt.editOrder('', spot, 'limit', 'buy', 0.02, 51_000, { clientOrderId: 'mine' });
    expect(expectShown(one, edited)).toMatchObject({ amount: '0.02', price: '51000', client_order_id: 'mine' });
    const again = await one.ccxt.editOrder(Number(edited.id), spot, 'limit', 'buy', 0.03, 52_000);
    expect(expectShown(one, again)).toMatchObject({ amount: '0.03', price: '52000', status: 'NEW' });
    expect(one.sandbox.ledger.orders.map(({ status }) => status)).toEqual(['CANCELED', 'CANCELED', 'NEW']);
  });

  it('are listed by fetchOpenOrders, of all markets or of one', async () => {
    const { one, resting, futures, margin } = await withOrders();
    const open = await one.ccxt.fetchOpenOrders();
    expect(idsOf(open)).toEqual(ledgerIds(one, 'NEW'));
    for (const order of open) expectShown(one, order);
    expect(idsOf(await one.ccxt.fetchOpenOrders(spot))).toEqual(idsOf([resting, margin]));
    expect(idsOf(await one.ccxt.fetchOpenOrders(swap))).toEqual([futures.id]);
    expect(await one.ccxt.fetchOpenOrders(undefined, undefined, 2)).toHaveLength(2);
  });

  it('are found by fetchOrder while they are open and after their end', async () => {
    const { one, resting, filled, canceled } = await withOrders();
    for (const { id } of [resting, filled, canceled]) expectShown(one, await one.ccxt.fetchOrder(id, spot));
    await expect(one.ccxt.fetchOrder('1', spot)).rejects.toMatchObject({ name: 'OrderNotFound' });
  });

  it('are listed after their end by fetchClosedOrders, and all together by fetchOrders', async () => {
    const { one } = await withOrders();
    expect(idsOf(await one.ccxt.fetchClosedOrders(spot))).toEqual(ledgerIds(one, 'FILLED', 'CANCELED'));
    const inSpot = ledgerIds(one, 'FILLED', 'CANCELED', 'NEW').filter(
      (id) => one.ledgerOrder(id).market === 'BTC_USDT',
    );
    expect(idsOf(await one.ccxt.fetchOrders(spot))).toEqual(inSpot);
  });

  it('have their trades in fetchMyTrades and fetchOrderTrades', async () => {
    const { one, filled } = await withOrders();
    await one.ccxt.createOrder(swap, 'market', 'sell', 0.01);
    const trades = one.sandbox.ledger.fills.map((fill) => ({
      ...{ id: String(fill.id), order: String(fill.order_id), side: fill.side, takerOrMaker: fill.role },
      ...{ price: Number(fill.price), amount: Number(fill.amount), cost: Number(fill.money), timestamp: fill.at },
      fee: { cost: Number(fill.fee), currency: 'USDT' },
    }));
    expect(await one.call('fetchMyTrades')).toMatchObject(trades);
    expect(await one.call('fetchMyTrades', spot)).toMatchObject(trades.slice(0, 1));
    // The exchange publishes no side here.
    const [{ side: _side, ...trade } = {}] = trades;
    expect(await one.call('fetchOrderTrades', filled.id, spot)).toMatchObject([trade]);
  });

  it('are canceled by cancelOrder, once', async () => {
    const { one, resting } = await withOrders();
    expectShown(one, await one.ccxt.cancelOrder(resting.id, spot));
    expect(one.ledgerOrder(resting.id).status).toBe('CANCELED');
    await expect(one.ccxt.cancelOrder(resting.id, spot)).rejects.toMatchObject({ name: 'OrderNotFound' });
  });

  it('are canceled by cancelAllOrders, those of one kind', async () => {
    const { one, resting, futures, margin } = await withOrders();
    const open = () => idsOf([resting, futures, margin].filter(({ id }) => one.ledgerOrder(id).status === 'NEW'));
    await one.call('cancelAllOrders', spot);
    expect(open()).toEqual(idsOf([futures, margin]));
    await one.call('cancelAllOrders', spot, { isMargin: true });
    expect(open()).toEqual([futures.id]);
    await one.call('cancelAllOrders', swap);
    expect(open()).toEqual([]);
  });

  it('are canceled by cancelAllOrdersAfter when its time is over', async () => {
    const { one, futures } = await withOrders();
    const set = await one.call('cancelAllOrdersAfter', 10_000, { symbol: spot });
    const startTime = one.sandbox.clock.now() / 1000;
    expect(set).toMatchObject({ market: 'BTC_USDT', startTime, cancellationTime: startTime + 10 });
    one.sandbox.clock.advance(9999);
    expect(ledgerIds(one, 'NEW')).toHaveLength(3);
    one.sandbox.clock.advance(1);
    expect(ledgerIds(one, 'NEW')).toEqual([futures.id]);
  });
});
