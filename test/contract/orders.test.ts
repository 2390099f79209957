// Spec: Resources (Order), States and transitions, and the endpoints that place orders.
import { createExchange, isCanceled, isFilled, isOpen, type Order } from 'exchange-rx';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { collateralTypes, sendRaw, setup, specExchange, type Setup } from './setup.js';

const market = 'BTC_USDT';
const stockMarketPath = '/api/v4/order/stock_market';
const limitPath = '/api/v4/order/collateral/limit';

const buy = ({ exchange }: Setup, amount = '0.01', more = {}) =>
  firstValueFrom(exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount, ...more }));
const bid = ({ exchange }: Setup, more = {}) =>
  firstValueFrom(exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '50000', ...more }));
const at = (world: Setup, order: Pick<Order, 'order_id'>) => {
  const found = world.sandbox.ledger.orders.find(({ order_id }) => order_id === order.order_id);
  if (found === undefined) throw new Error('not in the ledger');
  return found;
};
/** The live exchange has a code of its own for what is off a step. */
const offStep = { status: 422, code: 1, reason: 'step' } as const;
/** One level on each side, so that orders run out of offers. */
const thin = { levels: 1, step: 0.0005, size: '0.004' };

describe('orders', () => {
  const world = () => setup();

  it('[order.order_id] order_id is an integer of the matching engine', async () => {
    const order = await buy(world());
    expect(Number.isInteger(order.order_id)).toBe(true);
  });
  it('[order.client_order_id] client_order_id is the identifier of the request; empty when none was given', async () => {
    const one = world();
    expect((await buy(one, '0.01', { client_order_id: 'mine-1' })).client_order_id).toBe('mine-1');
    const raw = await sendRaw(one, stockMarketPath, { market, side: 'buy', amount: '0.01' });
    expect(raw.body).toMatchObject({ clientOrderId: '' });
  });
  it('[order.market] market is the pair, BASE_QUOTE', async () => {
    expect((await buy(world())).market).toBe('BTC_USDT');
  });
  it('[order.side] side is buy or sell', async () => {
    const one = world();
    const sell = await firstValueFrom(
      one.exchange.spot.placeStockMarketOrder({ market, side: 'sell', amount: '0.01' }),
    );
    expect([(await buy(one)).side, sell.side]).toEqual(['buy', 'sell']);
  });
  it('[order.type] type is limit, market, stock market, stop limit or stop market', async () => {
    const one = world();
    const quoteOrder = await firstValueFrom(one.exchange.spot.placeMarketOrder({ market, side: 'buy', amount: '100' }));
    const stop = { market, side: 'sell', amount: '0.01', activation_price: '50000' } as const;
    await firstValueFrom(one.exchange.spot.placeStopLimitOrder({ ...stop, price: '49000' }));
    await firstValueFrom(one.exchange.spot.placeStopMarketOrder(stop));
    const stops = await firstValueFrom(one.exchange.orders.open({ market }));
    expect([(await bid(one)).type, quoteOrder.type, (await buy(one)).type]).toEqual([
      collateralTypes.limit,
      'market',
      'stock market',
    ]);
    expect(stops.map(({ type }) => type).sort()).toEqual(['stop limit', 'stop market']);
  });
  it('[order.timestamp] timestamp is Unix seconds, and two orders of one moment differ by microseconds', async () => {
    const one = setup({ clock: 'manual' });
    const sandboxNow = () => one.sandbox.clock.now();
    const raw = (id: string) => sendRaw(one, stockMarketPath, { market, side: 'buy', amount: '0.01', nonce: id });
    await raw('1');
    await raw('2');
    const [first, second] = one.sandbox.ledger.orders;
    expect(first?.timestamp).toBe(sandboxNow() / 1000);
    expect(second?.timestamp).toBeGreaterThan(first?.timestamp ?? 0);
    expect(second?.timestamp).toBeCloseTo(first?.timestamp ?? 0, 3);
  });
  it('[order.deal_money] deal_money is the filled amount in the quote currency; 0 while unfilled', async () => {
    const one = world();
    expect((await buy(one)).deal_money).toBe('600.15');
    expect((await bid(one)).deal_money).toBe('0');
  });
  it('[order.deal_stock] deal_stock is the filled amount in the base currency; 0 while unfilled', async () => {
    const one = world();
    expect((await buy(one)).deal_stock).toBe('0.01');
    expect((await bid(one)).deal_stock).toBe('0');
  });
  it('[order.amount] amount is in the base currency; in the quote currency for a market order that buys', async () => {
    const one = world();
    const quoteBuy = await firstValueFrom(one.exchange.spot.placeMarketOrder({ market, side: 'buy', amount: '100' }));
    expect([(await buy(one)).amount, (await bid(one)).amount, quoteBuy.amount]).toEqual(['0.01', '0.01', '100']);
    expect(Number(quoteBuy.deal_money)).toBeLessThanOrEqual(100);
  });
  it('[order.left] left is the amount of a new order, and 0 when fully filled', async () => {
    const one = world();
    expect((await bid(one)).left).toBe('0.01');
    expect((await buy(one)).left).toBe('0');
  });
  it('[order.deal_fee] deal_fee is the fee of the filled part, in the fee asset', async () => {
    expect((await buy(world())).deal_fee).toBe('0.60015');
  });
  it('[order.price] price is the limit price; 0, or left out, for market orders', async () => {
    const one = world();
    expect((await bid(one)).price).toBe('50000');
    expect((await buy(one)).price).toBe(undefined);
  });
  it('[order.postOnly] postOnly orders execute only as maker, and are rejected when they would match at once; default false', async () => {
    const one = world();
    expect((await bid(one)).postOnly).toBe(false);
    expect((await bid(one, { postOnly: true })).postOnly).toBe(true);
    await expect(bid(one, { postOnly: true, price: '70000' })).rejects.toMatchObject({
      kind: 'api',
      outcome: 'rejected',
      status: 422,
      reason: 'would-take',
    });
  });
  it('[order.ioc] ioc orders fill what is available at once and cancel the rest; default false', async () => {
    const one = world();
    one.sandbox.market(market).setDepth(thin);
    const order = await bid(one, { ioc: true, price: '70000' });
    expect(order).toMatchObject({ ioc: true, deal_stock: '0.004', left: '0.006' });
    expect(isCanceled(order)).toBe(true);
    expect((await bid(one)).ioc).toBe(false);
  });
  it('[order.status] status is one of the known ones, and the three questions agree on it', async () => {
    const one = world();
    const states = [await buy(one), await bid(one), await bid(one, { ioc: true })].map((o) => [
      isOpen(o),
      isFilled(o),
      isCanceled(o),
    ]);
    expect(states).toEqual([
      [false, true, false],
      [true, false, false],
      [false, false, true],
    ]);
  });
  it('[order.stp] stp is no by default, and comes back (in its short form from the live exchange)', async () => {
    const one = world();
    expect((await buy(one)).stp).toBe('no');
    expect((await buy(one, '0.01', { stp: 'cancel_old' })).stp).toBe('co');
  });
  it('[order.positionSide] positionSide is LONG, SHORT or BOTH on collateral orders', async () => {
    const one = world();
    expect((await bid(one)).positionSide).toBe('BOTH');
    one.sandbox.account().setHedgeMode(true);
    expect((await bid(one, { positionSide: 'LONG' })).positionSide).toBe('LONG');
    expect((await bid(one, { positionSide: 'SHORT', side: 'sell', price: '70000' })).positionSide).toBe('SHORT');
  });
  it('[order.rpi] rpi is the flag of Retail Price Improvement', async () => {
    const one = world();
    expect((await bid(one)).rpi).toBe(false);
    expect((await bid(one, { rpi: true })).rpi).toBe(true);
  });
  it('[order.reduceOnly] reduceOnly is false by default', async () => {
    expect((await bid(world())).reduceOnly).toBe(false);
  });
  it('[order.stop-fields] stop orders carry activated, activationCondition and activation_price as submitted', async () => {
    const one = world();
    const order = { market, side: 'buy', amount: '700', activation_price: '70000' } as const;
    await firstValueFrom(one.exchange.spot.placeStopMarketOrder(order));
    const [stop] = await firstValueFrom(one.exchange.orders.open({ market }));
    expect(stop).toMatchObject({
      activated: 0,
      activationCondition: 'gte',
      activation_price: '70000',
      status: 'OPEN',
    });
  });
  it('[order.oto] oto is there when stopLoss or takeProfit was given, with its number and both prices', async () => {
    const one = world();
    expect((await bid(one)).oto).toBeUndefined();
    const { oto } = await bid(one, { stopLoss: '45000', takeProfit: '55000' });
    expect(oto).toEqual({ otoId: expect.any(Number) as number, stopLoss: '45000', takeProfit: '55000' });
  });
  it('[order.which-fields] the collateral response has no stop fields', async () => {
    expect(Object.keys(await bid(world()))).not.toContain('activation_price');
  });

  it('[status.new] NEW: accepted, not yet matched', async () => {
    expect((await bid(world())).status).toBe('OPEN');
  });
  it('[status.filled] FILLED: fully executed', async () => {
    expect((await buy(world())).status).toBe('FILLED');
  });
  it('[status.canceled] CANCELED: canceled before execution', async () => {
    const one = world();
    const { order_id } = await bid(one);
    expect((await firstValueFrom(one.exchange.orders.cancel({ market, order_id }))).status).toBe('CANCELED');
  });
  it('[status.partial-filled] PARTIAL_FILLED: partly executed, remainder still active', async () => {
    const one = world();
    one.sandbox.market(market).setDepth(thin);
    await bid(one, { price: '60100' });
    const [order] = await firstValueFrom(one.exchange.orders.open({ market }));
    expect(order?.status).toBe('PARTIALLY_FILLED');
  });
  it('[status.partial-canceled] PARTIAL_CANCELED: partly filled, remainder canceled', async () => {
    const one = world();
    one.sandbox.market(market).setDepth(thin);
    const order = await buy(one);
    expect(order).toMatchObject({
      status: 'CANCELED',
      deal_stock: '0.004',
      left: '0.006',
    });
  });
  it('[status.taker-band] CANCELED_TAKER_BAND: partly filled up to the taker band, remainder canceled', async () => {
    const one = world();
    const order = await buy(one, '60');
    expect(order.status).toBe('CANCELED_TAKER_BAND');
    expect(Number(order.deal_stock)).toBeGreaterThan(0);
    const worst = Math.max(...one.sandbox.ledger.fills.map(({ price }) => Number(price)));
    const best = Math.min(...one.sandbox.ledger.fills.map(({ price }) => Number(price)));
    expect(worst).toBeLessThanOrEqual(best * 1.02);
  });
  it('[status.auto-canceled] AUTO_CANCELED_REDUCE_ONLY: a pending reduce-only order whose position was closed', async () => {
    const one = world();
    await bid(one, { price: '70000', stopLoss: '40000' });
    const [stop] = await firstValueFrom(one.exchange.orders.open({ market }));
    expect(stop).toMatchObject({ type: collateralTypes['stop market'], side: 'sell', reduceOnly: true });
    await bid(one, { side: 'sell', price: '50000' });
    expect(one.sandbox.ledger.orders.find(({ order_id }) => order_id === stop?.order_id)?.status).toBe(
      'AUTO_CANCELED_REDUCE_ONLY',
    );
  });
  it('[status.collateral-spelling] the collateral response spells PARTIALLY_FILLED and CANCELLED', async () => {
    const one = world();
    one.sandbox.market(market).setDepth(thin);
    expect((await bid(one, { price: '60100' })).status).toBe('PARTIALLY_FILLED');
    expect((await bid(one, { ioc: true, price: '59000' })).status).toBe('CANCELED');
  });
  it('[stop.lte] a stop order with lte activates when the price falls to its activation price, and is executed', async () => {
    const one = world();
    const order = { market, side: 'sell', amount: '0.01', activation_price: '55000' } as const;
    const stop = await firstValueFrom(one.exchange.spot.placeStopMarketOrder(order));
    one.sandbox.market(market).setPrice('55000.01');
    expect(at(one, stop)).toMatchObject({ activated: 0, activationCondition: 'lte', status: 'NEW' });
    one.sandbox.market(market).setPrice('55000');
    expect(at(one, stop)).toMatchObject({ activated: 1, status: 'FILLED' });
  });
  it('[stop.gte] a stop order with gte activates when the price rises to its activation price, and becomes active', async () => {
    const one = world();
    const order = { market, side: 'buy', amount: '0.01', price: '60000', activation_price: '65000' } as const;
    const stop = await firstValueFrom(one.exchange.spot.placeStopLimitOrder(order));
    one.sandbox.market(market).setPrice('64999.99');
    expect(at(one, stop)).toMatchObject({ activated: 0, activationCondition: 'gte' });
    one.sandbox.market(market).setPrice('65000');
    expect(at(one, stop)).toMatchObject({ activated: 1, status: 'NEW' });
    expect(isOpen(at(one, stop))).toBe(true);
  });
  it('[stop.oto] an OTO order that fills brings its stop loss and take profit; one that is reached closes the position and cancels the other', async () => {
    const one = world();
    await bid(one, { price: '70000', stopLoss: '50000', takeProfit: '80000' });
    const children = await firstValueFrom(one.exchange.orders.open({ market }));
    expect(children.map(({ activationCondition }) => activationCondition).sort()).toEqual(['gte', 'lte']);
    one.sandbox.market(market).setPrice('80000');
    const statuses = one.sandbox.ledger.orders.map(({ activation_price, status }) => [activation_price, status]);
    expect(statuses).toEqual([
      [undefined, 'FILLED'],
      ['50000', 'CANCELED'],
      ['80000', 'FILLED'],
    ]);
  });

  it('[stock-market.market] stock market order: market is required and must be available', async () => {
    const one = world();
    await expect(buy(one, '0.01', { market: 'NO_SUCH' })).rejects.toMatchObject({ code: 31, reason: 'market' });
    one.sandbox.market(market).setTradesEnabled(false);
    await expect(buy(one)).rejects.toMatchObject({ code: 31, reason: 'market' });
  });
  it('[stock-market.side] stock market order: side is buy or sell', async () => {
    expect((await sendRaw(world(), stockMarketPath, { market, side: 'hold', amount: '1' })).body).toMatchObject({
      code: 30,
    });
  });
  it('[stock-market.amount] stock market order: amount is in the base currency on both sides, a numeric string or a number', async () => {
    const one = world();
    const sell = await firstValueFrom(one.exchange.spot.placeStockMarketOrder({ market, side: 'sell', amount: 0.02 }));
    expect([sell.deal_stock, (await buy(one, '0.02')).deal_stock]).toEqual(['0.02', '0.02']);
    const raw = await sendRaw(one, stockMarketPath, { market, side: 'buy', amount: 0.02 });
    expect(raw.status).toBe(200);
  });
  it('[stock-market.amount-bounds] stock market order: minAmount, minTotal, maxTotal and the amount step bound the amount', async () => {
    const one = setup({
      markets: [{ name: 'BTC_USDT', price: '60000', minAmount: '0.0001', minTotal: '30', maxTotal: '6000' }],
    });
    await expect(buy(one, '0.00009')).rejects.toMatchObject({ code: 32 });
    await expect(buy(one, '0.0002')).rejects.toMatchObject({ code: 32 });
    await expect(buy(one, '0.2')).rejects.toMatchObject({ code: 32 });
    await expect(buy(one, '0.0100001')).rejects.toMatchObject(offStep);
    expect((await buy(one, '0.01')).status).toBe('FILLED');
  });
  it('[stock-market.client_order_id] stock market order: client_order_id is optional, and of letters, digits, dashes, dots, underscores', async () => {
    const one = world();
    expect((await buy(one, '0.01', { client_order_id: 'A-z.0_9' })).client_order_id).toBe('A-z.0_9');
    const name = 'clientOrderId';
    const raw = await sendRaw(one, stockMarketPath, { market, side: 'buy', amount: '0.01', [name]: 'a b' });
    expect(raw.body).toMatchObject({ code: 36, errors: { [name]: [expect.any(String)] } });
  });
  it('[stock-market.client_order_id-unique] client_order_id is unique among the open orders of the market', async () => {
    const one = world();
    await bid(one, { client_order_id: 'twice' });
    // The client itself refuses to send it: another client of the account does not know.
    const other = { ...one, exchange: createExchange({ ...one.sandbox.clientOptions(), retry: false }) };
    await expect(buy(other, '0.01', { client_order_id: 'twice' })).rejects.toMatchObject({
      code: 36,
      reason: 'client-order-id',
      outcome: 'rejected',
    });
  });
  it('[stock-market.stp] stock market order: stp is optional, one of the four modes', async () => {
    const one = world();
    expect((await buy(one, '0.01', { stp: 'cancel_both' })).stp).toBe('cb');
    expect((await sendRaw(one, stockMarketPath, { market, side: 'buy', amount: '0.01', stp: 'never' })).status).toBe(
      422,
    );
  });
  it('[stock-market.response] stock market order: 200 with an Order, executed at once', async () => {
    const one = world();
    const raw = await sendRaw(one, stockMarketPath, { market, side: 'buy', amount: '0.01' });
    expect(raw).toMatchObject({ status: 200, body: { market, type: 'stock market', status: 'FILLED' } });
  });

  it('[market-order.amount] market order: a buy is for an amount of the quote currency, a sell for one of the base currency', async () => {
    const one = world();
    const bought = await firstValueFrom(one.exchange.spot.placeMarketOrder({ market, side: 'buy', amount: '120' }));
    const sold = await firstValueFrom(one.exchange.spot.placeMarketOrder({ market, side: 'sell', amount: '0.02' }));
    expect(Number(bought.deal_money)).toBeCloseTo(120, 0);
    expect(sold.deal_stock).toBe('0.02');
  });

  it('[limit.market] collateral limit order: the market must be a margin market', async () => {
    await expect(bid(world(), { market: 'LTC_USDT', price: '80', amount: '1' })).rejects.toMatchObject({
      code: 31,
      reason: 'market',
    });
  });
  it('[limit.side] collateral limit order: buy opens a long position, sell a short one', async () => {
    for (const [side, price, closing] of [
      ['buy', '70000', 'sell'],
      ['sell', '50000', 'buy'],
    ] as const) {
      const one = world();
      await bid(one, { side, price, stopLoss: side === 'buy' ? '40000' : '90000' });
      const [stop] = await firstValueFrom(one.exchange.orders.open({ market }));
      expect(stop).toMatchObject({ side: closing, reduceOnly: true });
    }
  });
  it('[limit.amount] collateral limit order: minimum and step of the amount are the market’s', async () => {
    await expect(bid(world(), { amount: '0.00001' })).rejects.toMatchObject({ code: 32, reason: 'amount' });
    await expect(bid(world(), { amount: '0.0100001' })).rejects.toMatchObject(offStep);
  });
  it('[limit.price] collateral limit order: the price is required and has the market’s step', async () => {
    const one = world();
    await expect(bid(one, { price: '50000.001' })).rejects.toMatchObject(offStep);
    expect((await sendRaw(one, limitPath, { market, side: 'buy', amount: '0.01' })).body).toMatchObject({
      code: 30,
      errors: { price: [expect.any(String)] },
    });
  });
  it('[limit.client_order_id] collateral limit order: client_order_id is optional and comes back', async () => {
    expect((await bid(world(), { client_order_id: 'limit-1' })).client_order_id).toBe('limit-1');
  });
  it('[limit.stopLoss] collateral limit order: stopLoss makes it an OTO order', async () => {
    expect((await bid(world(), { stopLoss: '40000' })).oto).toMatchObject({ stopLoss: '40000' });
  });
  it('[limit.takeProfit] collateral limit order: takeProfit makes it an OTO order', async () => {
    expect((await bid(world(), { takeProfit: '60000' })).oto).toMatchObject({ takeProfit: '60000' });
  });
  it('[limit.postOnly] collateral limit order: postOnly must be maker, or the order is rejected and nothing is in the ledger', async () => {
    const one = world();
    await expect(bid(one, { postOnly: true, price: '61000' })).rejects.toMatchObject({ outcome: 'rejected' });
    expect(one.sandbox.ledger.orders).toEqual([]);
  });
  it('[limit.ioc] collateral limit order: ioc cannot be combined with postOnly', async () => {
    const raw = await sendRaw(world(), limitPath, {
      market,
      side: 'buy',
      amount: '0.01',
      price: '50000',
      ioc: true,
      postOnly: true,
    });
    expect(raw).toMatchObject({ status: 422, body: { code: 37 } });
  });
  it('[limit.rpi] collateral limit order: rpi orders are post-only by design', async () => {
    await expect(bid(world(), { rpi: true, price: '61000' })).rejects.toMatchObject({ outcome: 'rejected' });
  });
  it('[limit.positionSide] collateral limit order: positionSide is needed in hedge mode', async () => {
    const one = world();
    one.sandbox.account().setHedgeMode(true);
    await expect(bid(one)).rejects.toMatchObject({ code: 114, reason: 'position-side' });
  });
  it('[limit.response] collateral limit order: 200 with an Order', async () => {
    expect(await bid(world())).toMatchObject({
      market,
      side: 'buy',
      type: collateralTypes.limit,
      status: 'OPEN',
      amount: '0.01',
      left: '0.01',
      price: '50000',
    });
  });
});

describe('reduce-only orders', () => {
  it('[limit.reduceOnly] reduceOnly: cut down to the position, once it is accepted; error 116 without a position or on its side', async () => {
    const one = setup();
    await expect(bid(one, { reduceOnly: true })).rejects.toMatchObject({ code: 116, reason: 'reduce-only' });
    await bid(one, { price: '70000' });
    await expect(bid(one, { reduceOnly: true })).rejects.toMatchObject({ code: 116, reason: 'reduce-only' });
    const reducing = await bid(one, { side: 'sell', amount: '0.05', price: '70000', reduceOnly: true });
    expect(reducing).toMatchObject({ amount: '0.01', reduceOnly: true, status: 'OPEN' });
  });
  it('[limit.reduceOnly-early] reduceOnly is published before it is accepted: the spec’s exchange does not act on it', async () => {
    const exchange = specExchange(setup(), (text) => text.replace('"reduceOnly":true', '"reduceOnly":false'));
    await firstValueFrom(exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '70000' }));
    const order = { market, side: 'sell', amount: '0.01', price: '80000', reduceOnly: true } as const;
    expect(await firstValueFrom(exchange.collateral.placeLimitOrder(order))).toMatchObject({
      reduceOnly: false,
      status: 'NEW',
    });
  });
});

describe('the two names on the wire', () => {
  it('[order.wire-names] the live exchange drops a name that it does not know, without an error; the SDK sends both', async () => {
    const one = setup();
    const raw = await sendRaw(one, stockMarketPath, { market, side: 'buy', amount: '0.01', client_order_id: 'lost' });
    expect(raw).toMatchObject({ status: 200, body: { clientOrderId: '' } });
    expect((await buy(one, '0.01', { client_order_id: 'kept' })).client_order_id).toBe('kept');
  });
  it('[order.wire-names] an exchange that writes the names and statuses of the specification is read as well', async () => {
    const { collateral, orders } = specExchange(setup());
    const order = { market, side: 'buy', amount: '0.01', price: '50000', client_order_id: 'mine' } as const;
    const placed = await firstValueFrom(collateral.placeLimitOrder(order));
    const same = { order_id: placed.order_id, client_order_id: 'mine', deal_stock: '0', stp: 'no' };
    expect(placed).toMatchObject({ ...same, status: 'NEW' });
    expect(await firstValueFrom(orders.open({ market }))).toMatchObject([{ ...same, status: 'NEW' }]);
    expect(await firstValueFrom(orders.cancel({ market, client_order_id: 'mine' }))).toMatchObject({
      ...same,
      status: 'CANCELLED',
    });
    expect(await firstValueFrom(orders.find({ market, client_order_id: 'mine' }))).toMatchObject(same);
  });
});

describe('self-trade prevention', () => {
  it.each([
    ['no', 'FILLED', 'FILLED'],
    ['cancel_new', 'NEW', 'CANCELED_STP'],
    ['cancel_old', 'CANCELED_STP', 'FILLED'],
    ['cancel_both', 'CANCELED_STP', 'CANCELED_STP'],
  ] as const)('[stp.%s] the resting order ends as %s, the new one as %s', async (stp, resting, taking) => {
    const one = setup();
    // Inside the spread, so that it rests and is the best bid.
    const maker = await bid(one, { price: '60005' });
    const taker = await firstValueFrom(
      one.exchange.spot.placeStockMarketOrder({ market, side: 'sell', amount: '0.01', stp }),
    );
    expect([at(one, maker).status, at(one, taker).status]).toEqual([resting, taking]);
  });
});
