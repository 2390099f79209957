// Spec: Resources (Order), States and transitions, and the endpoints that place orders.
import { createExchange, isCanceled, isFilled, isOpen } from 'exchange-rx';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { collateralTypes, inLedger, sendRaw, setup, specExchange, type Setup } from './setup.js';

const market = 'BTC_USDT';
const stockMarketPath = '/api/v4/order/stock_market';
const limitPath = '/api/v4/order/collateral/limit';

const buy = ({ exchange }: Setup, amount = '0.01', more = {}) =>
  firstValueFrom(exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount, ...more }));
const bid = ({ exchange }: Setup, more = {}) =>
  firstValueFrom(exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '50000', ...more }));
/** The live exchange has a code of its own for what is off a step. */
const offStep = { status: 422, code: 1, reason: 'step' } as const;
const wouldTake = { status: 422, reason: 'would-take' } as const;
/** One level on each side, so that orders run out of offers. */
const thin = { levels: 1, step: 0.0005, size: '0.004' };

const anyText: unknown = expect.any(String);
const anyNumber: unknown = expect.any(Number);
const idField = 'clientOrderId';
const openOrders = ({ exchange }: Setup) => firstValueFrom(exchange.orders.open({ market }));
const world = () => setup();

describe('the fields of an order', () => {
  /** Shows that a field is left out. */
  const undefinedOf = (fields: object) => Object.fromEntries(Object.keys(fields).map((name) => [name, undefined]));

  it.each<readonly [row: string, bought: object, offered: object]>([
    ['[order.order_id] an integer of the matching engine', { order_id: anyNumber }, { order_id: anyNumber }],
    ['[order.client_order_id] the identifier of the request', { client_order_id: 'a' }, { client_order_id: 'b' }],
    ['[order.market] the pair, BASE_QUOTE', { market: 'BTC_USDT' }, { market: 'BTC_USDT' }],
    ['[order.side] buy or sell', { side: 'buy' }, { side: 'sell' }],
    ['[order.type] of the endpoint', { type: 'stock market' }, { type: collateralTypes.limit }],
    ['[order.deal_money] the filled amount in the quote currency', { deal_money: '600.15' }, { deal_money: '0' }],
    ['[order.deal_stock] the filled amount in the base currency', { deal_stock: '0.01' }, { deal_stock: '0' }],
    ['[order.amount] in the base currency', { amount: '0.01' }, { amount: '0.01' }],
    ['[order.left] the amount of a new order, 0 when fully filled', { left: '0' }, { left: '0.01' }],
    ['[order.deal_fee] the fee of the filled part, in the fee asset', { deal_fee: '0.60015' }, { deal_fee: '0' }],
    ['[order.price] the limit price; left out for market orders', { price: undefined }, { price: '70000' }],
    ['[order.stp] no by default', { stp: 'no' }, { stp: 'no' }],
    ['[order.positionSide] BOTH by default, on collateral orders', {}, { positionSide: 'BOTH' }],
    ['[order.postOnly] false by default', { postOnly: false }, { postOnly: false }],
    ['[order.ioc] false by default', { ioc: false }, { ioc: false }],
    ['[order.rpi] false by default', {}, { rpi: false }],
    ['[order.reduceOnly] false by default', {}, { reduceOnly: false }],
    ['[order.oto] left out without stopLoss and takeProfit', { oto: undefined }, { oto: undefined }],
    ['[order.which-fields] no stop fields', { activation_price: undefined }, { activation_price: undefined }],
    ['[status.new] NEW, live OPEN: accepted, not yet matched', {}, { status: 'OPEN' }],
    ['[status.filled] FILLED: fully executed', { status: 'FILLED' }, {}],
    ['[stock-market.response] 200 with an Order, executed at once', { market, status: 'FILLED' }, {}],
  ])('%s', async (_, bought, offered) => {
    const one = world();
    expect({ ...undefinedOf(bought), ...(await buy(one, '0.01', { client_order_id: 'a' })) }).toMatchObject(bought);
    const offer = await bid(one, { side: 'sell', price: '70000', client_order_id: 'b' });
    expect({ ...undefinedOf(offered), ...offer }).toMatchObject(offered);
  });

  it('[order.client_order_id] empty when none was given', async () => {
    const raw = await sendRaw(world(), stockMarketPath, { market, side: 'buy', amount: '0.01' });
    expect(raw).toMatchObject({ status: 200, body: { clientOrderId: '', type: 'stock market', status: 'FILLED' } });
  });
  it('[order.timestamp] Unix seconds; two orders of one moment differ by microseconds', async () => {
    const one = setup({ clock: 'manual' });
    for (const nonce of ['1', '2']) await sendRaw(one, stockMarketPath, { market, side: 'buy', amount: '0.01', nonce });
    const [first, second] = one.sandbox.ledger.orders;
    expect(first?.timestamp).toBe(one.sandbox.clock.now() / 1000);
    expect(second?.timestamp).toBeGreaterThan(first?.timestamp ?? 0);
    expect(second?.timestamp).toBeCloseTo(first?.timestamp ?? 0, 3);
  });
  it('[order.status] one of the known ones, and the three questions agree on it', async () => {
    const one = world();
    const orders = [await buy(one), await bid(one), await bid(one, { ioc: true })];
    expect(orders.map((order) => [isOpen(order), isFilled(order), isCanceled(order)])).toEqual([
      [false, true, false],
      [true, false, false],
      [false, false, true],
    ]);
  });
  it('[order.stp] comes back in its short form from the live exchange', async () => {
    expect((await buy(world(), '0.01', { stp: 'cancel_old' })).stp).toBe('co');
  });
  it('[limit.positionSide] is required in hedge mode: LONG or SHORT', async () => {
    const one = world();
    one.sandbox.account().setHedgeMode(true);
    await expect(bid(one)).rejects.toMatchObject({ code: 114, reason: 'position-side' });
    expect((await bid(one, { positionSide: 'LONG' })).positionSide).toBe('LONG');
    expect((await bid(one, { positionSide: 'SHORT', side: 'sell', price: '70000' })).positionSide).toBe('SHORT');
  });
  it('[order.stop-fields] stop orders carry activated, activationCondition and activation_price', async () => {
    const one = world();
    const order = { market, side: 'buy', amount: '700', activation_price: '70000' } as const;
    await firstValueFrom(one.exchange.spot.placeStopMarketOrder(order));
    expect(await openOrders(one)).toMatchObject([
      { activated: 0, activationCondition: 'gte', activation_price: '70000', status: 'OPEN' },
    ]);
  });
});

describe('the status of an order', () => {
  it('[status.canceled] CANCELED: canceled before execution', async () => {
    const one = world();
    const { order_id } = await bid(one);
    expect((await firstValueFrom(one.exchange.orders.cancel({ market, order_id }))).status).toBe('CANCELED');
  });
  it('[status.partial-filled] PARTIAL_FILLED: partly executed, remainder still active', async () => {
    const one = world();
    one.sandbox.market(market).setDepth(thin);
    expect((await bid(one, { price: '60100' })).status).toBe('PARTIALLY_FILLED');
    expect(await openOrders(one)).toMatchObject([{ status: 'PARTIALLY_FILLED' }]);
  });
  it('[status.partial-canceled] PARTIAL_CANCELED, live CANCELED: partly filled, remainder canceled', async () => {
    const one = world();
    one.sandbox.market(market).setDepth(thin);
    expect(await buy(one)).toMatchObject({ status: 'CANCELED', deal_stock: '0.004', left: '0.006' });
  });
  it('[order.ioc] ioc orders fill what is available at once and cancel the rest', async () => {
    const one = world();
    one.sandbox.market(market).setDepth(thin);
    const order = await bid(one, { ioc: true, price: '70000' });
    expect(order).toMatchObject({ ioc: true, deal_stock: '0.004', left: '0.006' });
    expect(isCanceled(order)).toBe(true);
  });
  it('[status.taker-band] CANCELED_TAKER_BAND: partly filled up to the taker band, remainder canceled', async () => {
    const one = world();
    const order = await buy(one, '60');
    expect(order.status).toBe('CANCELED_TAKER_BAND');
    expect(Number(order.deal_stock)).toBeGreaterThan(0);
    const prices = one.sandbox.ledger.fills.map(({ price }) => Number(price));
    expect(Math.max(...prices)).toBeLessThanOrEqual(Math.min(...prices) * 1.02);
  });
  it('[status.auto-canceled] AUTO_CANCELED_REDUCE_ONLY: a reduce-only order whose position was closed', async () => {
    const one = world();
    await bid(one, { price: '70000', stopLoss: '40000' });
    const [stop] = await openOrders(one);
    expect(stop).toMatchObject({ type: collateralTypes['stop market'], side: 'sell', reduceOnly: true });
    await bid(one, { side: 'sell', price: '50000' });
    expect(inLedger(one, stop)?.status).toBe('AUTO_CANCELED_REDUCE_ONLY');
  });
  it('[status.collateral-spelling] the collateral response of the spec spells CANCELLED', async () => {
    const order = { market, side: 'buy', amount: '0.01', price: '59000', ioc: true } as const;
    const { collateral } = specExchange(world());
    const placed = await firstValueFrom(collateral.placeLimitOrder(order));
    expect(placed.status).toBe('CANCELLED');
    expect(isCanceled(placed)).toBe(true);
  });
  it('[stop.oto] a filled OTO order brings stop loss and take profit; the one reached cancels the other', async () => {
    const one = world();
    const { oto } = await bid(one, { price: '70000', stopLoss: '50000', takeProfit: '80000' });
    expect(oto).toEqual({ otoId: anyNumber, stopLoss: '50000', takeProfit: '80000' });
    const children = await openOrders(one);
    expect(children.map(({ activationCondition }) => activationCondition).sort()).toEqual(['gte', 'lte']);
    one.sandbox.market(market).setPrice('80000');
    expect(one.sandbox.ledger.orders.map(({ activation_price, status }) => [activation_price, status])).toEqual([
      [undefined, 'FILLED'],
      ['50000', 'CANCELED'],
      ['80000', 'FILLED'],
    ]);
  });
});

describe('a stock market order', () => {
  it('[stock-market.market] must be available', async () => {
    const one = world();
    await expect(buy(one, '0.01', { market: 'NO_SUCH' })).rejects.toMatchObject({ code: 31, reason: 'market' });
    one.sandbox.market(market).setTradesEnabled(false);
    await expect(buy(one)).rejects.toMatchObject({ code: 31, reason: 'market' });
  });
  it('[stock-market.amount] is in the base currency on both sides, a numeric string or a number', async () => {
    const one = world();
    const sell = { market, side: 'sell', amount: 0.02 } as const;
    const sold = await firstValueFrom(one.exchange.spot.placeStockMarketOrder(sell));
    expect([sold.deal_stock, (await buy(one, '0.02')).deal_stock]).toEqual(['0.02', '0.02']);
    expect((await sendRaw(one, stockMarketPath, { ...sell, side: 'buy' })).status).toBe(200);
  });
  it('[stock-market.amount-bounds] has minAmount, minTotal, maxTotal and the amount step as its bounds', async () => {
    const bounds = { minAmount: '0.0001', minTotal: '30', maxTotal: '6000' };
    const one = setup({ markets: [{ name: market, price: '60000', ...bounds }] });
    for (const amount of ['0.00009', '0.0002', '0.2'])
      await expect(buy(one, amount)).rejects.toMatchObject({ code: 32 });
    await expect(buy(one, '0.0100001')).rejects.toMatchObject(offStep);
    expect((await buy(one, '0.01')).status).toBe('FILLED');
  });
  it('[stock-market.client_order_id] is optional, of letters, digits, dashes, dots and underscores', async () => {
    expect((await buy(world(), '0.01', { client_order_id: 'A-z.0_9' })).client_order_id).toBe('A-z.0_9');
  });
  it('[stock-market.client_order_id-unique] is unique among the open orders of the market', async () => {
    const one = world();
    await bid(one, { client_order_id: 'twice' });
    // The client itself refuses to send it: another client of the account does not know.
    const other = { ...one, exchange: createExchange({ ...one.sandbox.clientOptions(), retry: false }) };
    const refused = { code: 36, reason: 'client-order-id', outcome: 'rejected' };
    await expect(buy(other, '0.01', { client_order_id: 'twice' })).rejects.toMatchObject(refused);
  });
  it('[market-order.amount] a market order buys for quote currency, and sells base currency', async () => {
    const { spot } = world().exchange;
    const bought = await firstValueFrom(spot.placeMarketOrder({ market, side: 'buy', amount: '120' }));
    const sold = await firstValueFrom(spot.placeMarketOrder({ market, side: 'sell', amount: '0.02' }));
    expect([bought.type, bought.amount, sold.deal_stock]).toEqual(['market', '120', '0.02']);
    expect(Number(bought.deal_money)).toBeCloseTo(120, 0);
    expect(Number(bought.deal_money)).toBeLessThanOrEqual(120);
  });
});

describe('a collateral limit order', () => {
  it.each<readonly [row: string, more: object, order: object]>([
    ['[limit.client_order_id] is optional and comes back', { client_order_id: 'mine' }, { client_order_id: 'mine' }],
    ['[limit.stopLoss] makes it an OTO order', { stopLoss: '40000' }, { oto: { stopLoss: '40000' } }],
    ['[limit.takeProfit] makes it an OTO order', { takeProfit: '60000' }, { oto: { takeProfit: '60000' } }],
    ['[order.oto] has its number and both prices', { stopLoss: '1' }, { oto: { otoId: anyNumber, stopLoss: '1' } }],
    ['[order.rpi] the flag of Retail Price Improvement', { rpi: true }, { rpi: true }],
    ['[order.postOnly] executes only as maker', { postOnly: true }, { postOnly: true, status: 'OPEN' }],
    ['[limit.response] 200 with an Order', {}, { market, side: 'buy', type: collateralTypes.limit, price: '50000' }],
  ])('%s', async (_, more, order) => {
    expect(await bid(world(), more)).toMatchObject(order);
  });

  it.each<readonly [row: string, more: object, error: object]>([
    ['[limit.market] must be a margin market', { market: 'LTC_USDT', price: '80', amount: '1' }, { code: 31 }],
    ['[limit.amount] has the minimum of the market', { amount: '0.00001' }, { code: 32, reason: 'amount' }],
    ['[limit.amount] has the step of the market', { amount: '0.0100001' }, offStep],
    ['[limit.price] has the step of the market', { price: '50000.001' }, offStep],
    ['[limit.postOnly] rejects an order that would take', { postOnly: true, price: '61000' }, wouldTake],
    ['[limit.rpi] rpi orders are post-only by design', { rpi: true, price: '61000' }, wouldTake],
  ])('%s', async (_, more, error) => {
    const one = world();
    await expect(bid(one, more)).rejects.toMatchObject({ kind: 'api', outcome: 'rejected', ...error });
    expect(one.sandbox.ledger.orders).toEqual([]);
  });

  it('[limit.side] buy opens a long position, sell a short one', async () => {
    for (const [side, price, stopLoss, closing] of [
      ['buy', '70000', '40000', 'sell'],
      ['sell', '50000', '90000', 'buy'],
    ] as const) {
      const one = world();
      await bid(one, { side, price, stopLoss });
      expect(await openOrders(one)).toMatchObject([{ side: closing, reduceOnly: true }]);
    }
  });
});

it.each<readonly [row: string, path: string, fields: object, code: number, field: string]>([
  ['[stock-market.side] is buy or sell', stockMarketPath, { side: 'hold' }, 30, 'side'],
  ['[stock-market.stp] is one of the four modes', stockMarketPath, { stp: 'never' }, 30, 'stp'],
  ['[stock-market.client_order_id] has no other characters', stockMarketPath, { [idField]: 'a b' }, 36, idField],
  ['[limit.price] is required', limitPath, { price: undefined }, 30, 'price'],
  ['[limit.ioc] cannot be combined with postOnly', limitPath, { ioc: true, postOnly: true }, 37, 'ioc'],
])('%s', async (_, path, fields, code, field) => {
  const raw = await sendRaw(world(), path, { market, side: 'buy', amount: '0.01', price: '50000', ...fields });
  expect(raw).toMatchObject({ status: 422, body: { code, errors: { [field]: [anyText] } } });
});

describe('reduce-only orders', () => {
  it('[limit.reduceOnly] reduceOnly: cut down to the position, once it is accepted; code 116 without a position', async () => {
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
    const output = await firstValueFrom(exchange.collateral.placeLimitOrder(order));
    expect(output).toMatchObject({ reduceOnly: false, status: 'NEW' });
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
    const output = await firstValueFrom(orders.cancel({ market, client_order_id: 'mine' }));
    expect(output).toMatchObject({ ...same, status: 'CANCELLED' });
    expect(await firstValueFrom(orders.find({ market, client_order_id: 'mine' }))).toMatchObject(same);
  });
});
