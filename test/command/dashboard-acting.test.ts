// What the dashboard's page may change: it confirms a plan, and each order and position of it is acted on once.
import { ClientRegistry, createExchange, type Exchange } from 'exchange-rx';
import { createSandbox, type MarketDepth, type Sandbox } from 'exchange-rx/sandbox';
import { concatAll, concatMap, firstValueFrom, take, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Acting } from '../../src/cli/dashboard/acting.js';
import type { Act, Action, Plan } from '../../src/cli/dashboard/messages.js';
import { Witness } from '../../src/cli/dashboard/parts/witness.js';
import { closePosition } from '../../src/cli/market/position.js';
import { useFakeTime } from '../support/fake-time.js';

const time = useFakeTime(1_800_000_000_000);
let sandbox: Sandbox;
let exchange: Exchange;
let witness: Witness;
let acting: Acting;

beforeEach(() => {
  begin({ levels: 10, step: 0.0005, size: '1' });
});

/** Another exchange, whose books have this depth on each side. */
function begin(depth: MarketDepth): void {
  sandbox = createSandbox({
    markets: [
      { name: 'BTC_USDT', price: '60000', depth },
      { name: 'BTC_PERP', price: '60000', depth },
      { name: 'ETH_PERP', price: '3000', depth },
    ],
    accounts: [{ name: 'main' }, { name: 'other' }],
    ...{ history: 0, volatility: 0 },
  });
  exchange = clientOf('main');
  witness = new Witness(exchange);
  acting = new Acting(exchange, witness);
}

const clientOf = (account: string) =>
  createExchange({ ...sandbox.clientOptions(account), registry: new ClientRegistry(), warnings: false });

afterEach(() => {
  witness.end();
});

async function run<Value>(call: Observable<Value>, ms = 1000): Promise<Value> {
  const [value] = await Promise.all([firstValueFrom(call), time.advance(ms)]);
  return value;
}

const ordersPath = '/api/v4/orders';
const positionsPath = '/api/v4/collateral-account/positions/open';
const closePath = '/api/v4/collateral-account/position/close';
const bid = (price: string) => exchange.spot.placeLimitOrder({ market: 'BTC_USDT', side: 'buy', amount: '0.5', price });
const long = () => exchange.collateral.placeMarketOrder({ market: 'BTC_PERP', side: 'buy', amount: '0.25' });

async function newPosition(): Promise<number> {
  await run(long());
  const [position] = await run(exchange.collateral.openPositions());
  if (position === undefined) throw new Error('no position is open');
  return position.positionId;
}

async function planOf(action: Action): Promise<Plan> {
  const response = await run(acting.plan(action));
  if (response.kind === 'refused') throw new Error(response.reason);
  return response.plan;
}

/** The plan to act on all orders, or on all orders and positions, once these were placed. */
async function planAfter(kind: 'cancel-all' | 'flatten', ...placed: readonly Observable<unknown>[]): Promise<Plan> {
  for (const one$ of placed) await run(one$);
  return planOf({ kind });
}

/** Acts by a plan until it has ended. */
async function act(planId: string, ms = 1000): Promise<Act> {
  await confirm(planId);
  await time.advance(ms);
  return newestAct();
}

/** Accepts a plan, which goes on in the background. */
async function confirm(planId: string, ms = 1000): Promise<void> {
  expect(await run(acting.act(planId), ms)).toMatchObject({ kind: 'started' });
}

async function newestAct(): Promise<Act> {
  const [newest] = await firstValueFrom(acting.acts$);
  if (newest === undefined) throw new Error('nothing was done');
  return newest;
}

const notRead = { kind: 'refused', reason: expect.stringContaining('could not be read') as string };
const outcomes = ({ results }: Act) => results.map(({ step, outcome, text }) => ({ step, outcome, text }));
const done = (step: string, text: string) => ({ step, outcome: 'done', text });
const wasNotOpen = (step: string) => ({ step, outcome: 'refused', text: 'was not open any more' });

describe('a plan', () => {
  it('names the orders and positions, with estimates at the order book', async () => {
    const stop = { market: 'BTC_USDT', side: 'buy', amount: '10', activation_price: '69000' } as const;
    const plan = await planAfter('flatten', bid('50000'), exchange.spot.placeStopMarketOrder(stop), long());
    expect(plan).toMatchObject({
      cancel: [
        { market: 'BTC_USDT', type: 'stop market', price: '' },
        { market: 'BTC_USDT', side: 'buy', type: 'limit', price: '50000', left: '0.5' },
      ],
      close: [{ market: 'BTC_PERP', side: 'long', amount: '0.25', price: '59985.00' }],
      pricesAt: expect.any(Number) as number,
    });
    // Bought at the ask, 60015: 0.25 times 30, and the fee of 0.1 % of 14996.25.
    expect(plan.totals).toEqual([{ currency: 'USDT', pnl: '-7.50', fees: '15.00' }]);
    expect(plan.warning).toBeUndefined();
  });

  it.each([
    ['hang', '/api/v4/public/markets', '', '', ''],
    ['hang', '/api/v4/public/orderbook/BTC_PERP', '', '', ''],
    ['status', '/api/v4/public/orderbook/BTC_PERP', '', '', ''],
    // Without the fees of the account, those of the market count.
    ['hang', '/api/v4/market/fee', '59985.00', '-7.50', '15.00'],
  ] as const)('is made within 11 s despite the fault %s at %s', async (kind, path, price, pnl, fees) => {
    await run(long());
    exchange = clientOf('main');
    acting = new Acting(exchange, witness);
    sandbox.fault({ kind, path, times: 100 });
    const warning = price === '' ? { warning: expect.stringContaining('Not all is estimated') as string } : {};
    expect(await run(acting.plan({ kind: 'flatten' }), 11_000)).toMatchObject({
      plan: { close: [{ amount: '0.25', price, pnl }], totals: [{ currency: 'USDT', pnl, fees }], ...warning },
    });
  });

  it.each<[Action, string]>([
    [{ kind: 'cancel', market: 'BTC_USDT', orderId: 1 }, 'This order is not open any more.'],
    [{ kind: 'cancel-all' }, 'No order is open.'],
    [{ kind: 'cancel-all', market: 'BTC_USDT' }, 'No order is open.'],
    [{ kind: 'close', market: 'BTC_PERP', positionId: 1 }, 'This position is not open any more.'],
    [{ kind: 'flatten' }, 'No order and no position is open.'],
  ])('of %j is refused where there is nothing to do', async (action, reason) => {
    expect(await run(acting.plan(action))).toEqual({ kind: 'refused', reason });
  });
});

describe('records that cannot be read', () => {
  /** Makes a client whose exchange changes the records in the responses of a path. */
  function changed(path: string, change: (records: readonly object[]) => readonly object[]): void {
    const options = sandbox.clientOptions('main');
    exchange = createExchange({
      ...{ ...options, registry: new ClientRegistry(), warnings: false },
      fetch: async (input, init) => {
        const response = await options.fetch(input, init);
        if (new URL(input).pathname !== path) return response;
        return Response.json(change((await response.json()) as object[]));
      },
    });
    acting = new Acting(exchange, witness);
  }

  it('are named in the warning of a plan', async () => {
    await run(bid('50000'));
    changed(ordersPath, (records) => [...records, {}]);
    expect(await planOf({ kind: 'cancel-all' })).toMatchObject({
      cancel: [{ price: '50000' }],
      warning: 'Some orders could not be read.',
    });
    await run(long());
    changed(positionsPath, (records) => [...records, {}, {}]);
    expect((await planOf({ kind: 'flatten' })).warning).toBe('Some positions could not be read.');
  });

  it('are not taken for ended ones', async () => {
    const { order_id } = await run(bid('50000'));
    const positionId = await newPosition();
    changed(positionsPath, (records) => [...records.map((record) => ({ ...record, positionId: 9 })), {}]);
    expect(await run(acting.plan({ kind: 'close', market: 'BTC_PERP', positionId }))).toEqual({
      kind: 'refused',
      reason: 'Some positions could not be read.',
    });
    changed(ordersPath, () => [{}]);
    expect(await run(acting.plan({ kind: 'cancel', market: 'BTC_USDT', orderId: order_id }))).toMatchObject(notRead);
  });
});

describe('acting', () => {
  it('cancels all orders, then closes all positions, each once, and names what an order had filled', async () => {
    const sell = { market: 'BTC_USDT', side: 'sell', amount: '0.2' } as const;
    const sold$ = clientOf('other').spot.placeStockMarketOrder(sell);
    const plan = await planAfter('flatten', bid('59990'), sold$, bid('51000'), long());
    const ended = await act(plan.id);
    const canceled = [done('cancel', 'canceled'), done('cancel', 'canceled, 0.2 was filled')];
    expect(outcomes(ended)).toEqual([...canceled, done('close', 'closed')]);
    expect(ended.endedAt).not.toBeNull();
    expect(await run(exchange.orders.open())).toEqual([]);
    expect(await run(exchange.collateral.openPositions())).toEqual([]);
    const changes = sandbox.ledger.requests.map(({ path }) => path).filter((path) => /cancel|close/.test(path));
    expect(changes.map((path) => path.replace(/.*\//, ''))).toEqual(['cancel', 'cancel', 'close']);
    expect(witness.events.map(({ kind }) => kind)).toContain('act');
  });

  it.each<[string, () => Action | Promise<Action>]>([
    ['one order', async () => ({ kind: 'cancel', market: 'BTC_USDT', orderId: (await run(bid('50000'))).order_id })],
    ['the orders of a market', async () => (await run(bid('50000')), { kind: 'cancel-all', market: 'BTC_USDT' })],
    ['one position', async () => ({ kind: 'close', market: 'BTC_PERP', positionId: await newPosition() })],
  ])('on %s leaves the others', async (_, prepare) => {
    const action = await prepare();
    await run(exchange.collateral.placeLimitOrder({ market: 'BTC_PERP', side: 'buy', amount: '0.1', price: '40000' }));
    const plan = await planOf(action);
    expect(outcomes(await act(plan.id)).map(({ outcome }) => outcome)).toEqual(['done']);
    expect(await run(exchange.orders.open())).toMatchObject([{ market: 'BTC_PERP' }]);
  });

  it('waits for no estimate, which a plan reads at once for all of its positions', async () => {
    await run(long());
    await run(exchange.collateral.placeMarketOrder({ market: 'ETH_PERP', side: 'buy', amount: '1' }));
    const paths = () => sandbox.ledger.requests.map(({ path }) => path);
    const { id } = await planOf({ kind: 'flatten' });
    expect(paths().filter((path) => path === '/api/v4/market/fee')).toHaveLength(1);
    const before = paths().length;
    await confirm(id);
    expect(paths().filter((path, index) => index >= before && /fee|public/.test(path))).toEqual([]);
  });

  it('by a plan that was confirmed in time goes on when the exchange responds late', async () => {
    const { id } = await planAfter('cancel-all', bid('50000'));
    await time.advance(28_000);
    sandbox.fault({ kind: 'slow', path: ordersPath, delayMs: 4000 });
    await confirm(id, 5000);
  });

  it('needs a plan among the last 32, which was not confirmed before', async () => {
    const { id: old } = await planAfter('cancel-all', bid('50000'));
    for (let count = 0; count < 31; count += 1) await planOf({ kind: 'cancel-all' });
    const { id } = await planOf({ kind: 'cancel-all' });
    const responses = await Promise.all([old, id, id].map((planId) => run(acting.act(planId))));
    expect(responses.map(({ kind }) => kind)).toEqual(['refused', 'started', 'refused']);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['another order', () => run(bid('51000')), 'Other orders are open now.'],
    ['a greater position', () => run(long()), 'Positions have changed.'],
    ['time', () => time.advance(31_000), 'The plan was too old.'],
  ])('waits for another confirmation after %s', async (_, change, reason) => {
    const { id } = await planAfter('flatten', bid('50000'), long());
    await change();
    const response = await run(acting.act(id));
    expect(response).toMatchObject({ kind: 'changed', reason });
    expect(await firstValueFrom(acting.acts$)).toEqual([]);
    expect(witness.events[0]).toMatchObject({ kind: 'act', text: `nothing was done: ${reason}` });
    expect(outcomes(await act(response.kind === 'changed' ? response.plan.id : '')).length).toBeGreaterThan(1);
  });

  it('happens not at all when every order has ended since, or none can be read', async () => {
    const { order_id } = await run(bid('50000'));
    const first = await planOf({ kind: 'cancel-all' });
    const second = await planOf({ kind: 'cancel-all' });
    sandbox.setMaintenance(true);
    expect(await run(acting.act(first.id), 20_000)).toMatchObject(notRead);
    expect(await run(acting.plan({ kind: 'cancel-all' }), 20_000)).toMatchObject(notRead);
    sandbox.setMaintenance(false);
    await run(exchange.orders.cancel({ market: 'BTC_USDT', order_id }));
    expect(await run(acting.act(second.id))).toEqual({ kind: 'refused', reason: 'No order is open.' });
  });

  it('closes each side of a market in hedge mode, does less where an order or a position has ended since, and says so', async () => {
    await run(exchange.collateral.setHedgeMode({ hedgeMode: true }));
    const open = (side: 'buy' | 'sell', positionSide: 'LONG' | 'SHORT') =>
      run(exchange.collateral.placeMarketOrder({ market: 'BTC_PERP', side, positionSide, amount: '0.25' }));
    await open('buy', 'LONG');
    await open('sell', 'SHORT');
    const order = await run(bid('50000'));
    const { id, close } = await planAfter('flatten', bid('51000'));
    expect(close.map(({ side, amount }) => `${side} ${amount}`).toSorted()).toEqual(['long 0.25', 'short 0.25']);
    const positions$ = exchange.collateral.openPositions().pipe(concatAll(), take(1));
    await run(positions$.pipe(concatMap((position) => closePosition(exchange, position))));
    await run(exchange.orders.cancel({ market: 'BTC_USDT', order_id: order.order_id }));
    const ended = outcomes(await act(id));
    expect(ended).toEqual(expect.arrayContaining([done('cancel', 'canceled'), wasNotOpen('cancel')]));
    expect(ended).toEqual(expect.arrayContaining([done('close', 'closed'), wasNotOpen('close')]));
    expect(await run(exchange.collateral.openPositions())).toEqual([]);
  });
});

describe('a close that the exchange has accepted', () => {
  it('is not done while a part of the position is open: the plan says that the order book is too thin', async () => {
    begin({ levels: 1, step: 0.0005, size: '0.25' });
    await run(long());
    // Another account takes most of the bids.
    await run(clientOf('other').collateral.placeMarketOrder({ market: 'BTC_PERP', side: 'sell', amount: '0.2' }));
    const plan = await planOf({ kind: 'flatten' });
    const warning = 'Not all is estimated: the order book of BTC_PERP is too thin.';
    expect(plan).toMatchObject({ close: [{ amount: '0.25', price: '', pnl: '' }], warning });
    const ended = await act(plan.id);
    expect(await run(exchange.collateral.openPositions())).toMatchObject([{ amount: '0.2' }]);
    expect(outcomes(ended)).toEqual([{ step: 'close', outcome: 'open', text: '0.2 left' }]);
  });

  it('is unknown when the positions cannot be read afterwards', async () => {
    const { id } = await planAfter('flatten', long());
    sandbox.fault({ kind: 'slow', path: closePath, delayMs: 2000 });
    await confirm(id);
    sandbox.fault({ kind: 'status', path: positionsPath, times: 100 });
    await time.advance(20_000);
    expect(await newestAct()).toMatchObject({
      results: [{ outcome: 'unknown', text: 'accepted, see the open positions' }],
      note: 'Not every open position could be read: see the open positions.',
    });
  });

  it('names a position that an order has opened during a flatten', async () => {
    const { id } = await planAfter('flatten', bid('50000'));
    sandbox.fault({ kind: 'slow', path: '/api/v4/order/cancel', delayMs: 2000 });
    await confirm(id);
    await run(long());
    await time.advance(5000);
    const note = 'Also open: long 0.25 BTC_PERP.';
    expect(await newestAct()).toMatchObject({ results: [{ outcome: 'done' }], note });
  });
});

describe('a lost response', () => {
  it('is looked up: it was executed', async () => {
    const { id } = await planAfter('flatten', bid('50000'), long());
    for (const path of ['/api/v4/order/cancel', closePath]) sandbox.fault({ kind: 'reset', path, executed: true });
    expect(outcomes(await act(id, 60_000))).toEqual([done('cancel', 'canceled'), done('close', 'closed')]);
  });

  it('to a cancel whose lookups fail is unknown, and the close goes on', async () => {
    const { id } = await planAfter('flatten', bid('50000'), long());
    sandbox.fault({ kind: 'hang', path: '/api/v4/order/cancel', executed: true, times: 100 });
    sandbox.fault({ kind: 'status', path: '/api/v4/trade-account/order/history', times: 100 });
    const text = expect.stringContaining('it may be done or not, see the open orders') as string;
    expect(outcomes(await act(id, 300_000))).toEqual([
      { step: 'cancel', outcome: 'unknown', text },
      done('close', 'closed'),
    ]);
  });

  it('says what the exchange has refused', async () => {
    const { id } = await planAfter('flatten', bid('50000'), long());
    sandbox.fault({ kind: 'status', status: 403, path: '/api/v4/order/cancel', times: 100 });
    sandbox.fault({ kind: 'status', status: 403, path: closePath, times: 100 });
    const refused = { outcome: 'refused', text: expect.stringContaining('403') as string };
    expect(outcomes(await act(id, 300_000))).toMatchObject([refused, refused]);
  });
});
