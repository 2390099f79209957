// Private channels show the account that the REST routes show.
import type { Sandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../../contract/setup.js';
import { doors, type Frame } from './doors.js';
import { tokenOf } from './script.js';

const market = 'BTC_USDT';
const perpetual = 'BTC_PERP';

type Record_ = Readonly<Record<string, unknown>>;

async function rest<Body>(sandbox: Sandbox, path: string, fields: Record_ = {}): Promise<Body> {
  const { status, body } = await sendRaw({ sandbox }, path, fields);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Body;
}

/** An account that traded for ten minutes, on an authorized connection with every channel of events. */
async function world(seed: number) {
  const { sandbox, connect } = await doors['in process']({
    ...{ seed, tickMs: 1000, volatility: 0.002 },
    markets: [
      { name: market, price: '60000', minAmount: '0.0001' },
      { name: perpetual, price: '60010', stockPrec: 3 },
    ],
  });
  const client = await connect();
  const frames: Frame[] = [];
  const read = async () => frames.push(...(await client.rest()));
  const request = async (method: string, params: readonly unknown[]) => {
    frames.push(...(await client.request(method, params)));
    return frames.findLast(({ method: push }) => push === undefined)?.result;
  };
  expect(await request('authorize', [await tokenOf(sandbox), 'public'])).toEqual({ status: 'success' });
  await request('deals_subscribe', [[]]);
  await request('ordersPending_subscribe', [market, perpetual]);
  await request('ordersExecuted_subscribe', [[market, perpetual], 0]);
  for (const channel of ['balanceSpot', 'balanceMargin', 'positionsMargin']) await request(`${channel}_subscribe`, []);
  for (let minute = 0; minute < 10; minute += 1) {
    await trade(sandbox, minute);
    await request('ping', []);
  }
  await rest(sandbox, '/api/v4/order/new', { market, side: 'buy', amount: '0.1', price: '30000' });
  // The last balances are 1.5 s old.
  sandbox.clock.advance(1500);
  await read();
  const pushes = (channel: string) =>
    frames.filter(({ method }) => method === `${channel}_update`).map(({ params }) => params);
  return { sandbox, read, request, pushes };
}

async function trade(sandbox: Sandbox, minute: number): Promise<void> {
  const price = Number(sandbox.market(market).price());
  const near = (share: number) => String(Math.round(price * share));
  await rest(sandbox, '/api/v4/order/stock_market', { market, side: minute % 2 === 0 ? 'buy' : 'sell', amount: '0.5' });
  await rest(sandbox, '/api/v4/order/new', { market, side: 'buy', amount: '3', price: near(0.999) });
  await rest(sandbox, '/api/v4/order/new', { market, side: 'sell', amount: '3', price: near(1.001) });
  const [open] = await rest<{ orderId: number }[]>(sandbox, '/api/v4/orders', { market });
  if (open !== undefined && minute % 3 === 0)
    await rest(sandbox, '/api/v4/order/modify', { market, orderId: open.orderId, price: near(0.998) });
  await rest(sandbox, '/api/v4/order/collateral/limit', {
    ...{ market: perpetual, side: 'buy', amount: '0.1', price: near(1.01) },
    ...{ stopLoss: near(0.999), takeProfit: near(1.001) },
  });
  sandbox.clock.advance(60_000);
}

/** The values of these fields. */
const picked = (record: Record_, names: readonly string[]) => names.map((name) => record[name]);

describe.each([1, 2, 3].slice(0, Number(process.env['SEEDS'] ?? 3)))('with the seed %i', (seed) => {
  it('deals agree with those over REST and in the ledger', async () => {
    const { sandbox, request, pushes } = await world(seed);
    const byMarket = await rest<Record<string, Record_[]>>(sandbox, '/api/v4/trade-account/executed-history', {
      limit: 100,
    });
    const deals = pushes('deals').toReversed();
    expect(deals.length).toBe(sandbox.ledger.fills.length);
    expect(deals.length).toBeGreaterThan(20);
    const sides = { sell: 1, buy: 2 } as const;
    const sideOf = ({ side }: Record_) => sides[side as 'sell' | 'buy'];
    for (const [name, records] of Object.entries(byMarket)) {
      const rows = records.map((one) => [
        ...[one['id'], one['time'], name, one['orderId'], one['price'], one['amount'], one['fee']],
        ...[one['clientOrderId'], sideOf(one), one['role'], one['feeAsset']],
      ]);
      expect(deals.filter((tuple) => tuple[2] === name).slice(0, rows.length)).toEqual(rows);
      const { records: queried } = (await request('deals_request', [name, 0, 100])) as { records: Record_[] };
      const fields = ['id', 'time', 'price', 'amount', 'deal', 'fee', 'role'];
      expect(queried.slice(0, rows.length).map((one) => picked(one, fields))).toEqual(
        records.map((one) => picked(one, fields)),
      );
    }
  });

  it('the last event of each order agrees with the open orders and the history', async () => {
    const { sandbox, request, pushes } = await world(seed);
    const last = new Map(
      (pushes('ordersPending') as [number, Record_][]).map(([event, order]) => [order['id'], { event, order }]),
    );
    const fields = ['market', 'amount', 'price', 'left', 'deal_stock', 'deal_money', 'deal_fee', 'status'];
    const names = ['market', 'amount', 'price', 'left', 'dealStock', 'dealMoney', 'dealFee', 'status'];
    const open = await rest<Record_[]>(sandbox, '/api/v4/orders', { limit: 100 });
    expect([...last.values()].filter(({ event }) => event !== 3)).toHaveLength(open.length);
    expect(open.length).toBeGreaterThan(0);
    for (const one of open) {
      const { order = {} } = last.get(one['orderId']) ?? {};
      // Stop market orders have no price over REST.
      expect(picked(order, fields)).toEqual(picked({ price: '0', ...one }, names));
    }
    const history = await rest<Record<string, Record_[]>>(sandbox, '/api/v4/trade-account/order/history', {
      limit: 100,
    });
    const ended = Object.values(history).flat();
    expect([...last.values()].filter(({ event }) => event === 3)).toHaveLength(ended.length);
    const executed = new Map((pushes('ordersExecuted') as [Record_][]).map(([order]) => [order['id'], order]));
    for (const one of ended) {
      const { order = {} } = last.get(one['id']) ?? {};
      const historical = ['ctime', 'ftime', 'amount', 'price', 'dealStock', 'dealMoney', 'dealFee', 'status'];
      const pushed = ['ctime', 'mtime', 'amount', 'price', 'deal_stock', 'deal_money', 'deal_fee', 'status'];
      expect(picked(order, pushed)).toEqual(picked(one, historical));
      expect(executed.get(one['id'])).toEqual(order);
    }
    const pending = (await request('ordersPending_request', [market, 0, 100])) as { records: Record_[] };
    expect(pending.records).toEqual(
      open.filter((one) => one['market'] === market).map((one) => last.get(one['orderId'])?.order),
    );
  });

  it('the events are those of the ledger', async () => {
    const { sandbox, pushes } = await world(seed);
    const events = (pushes('ordersPending') as [number, Record_][]).map(([event, { id, left }]) => [event, id, left]);
    expect(events).toEqual(
      sandbox.ledger.live.orderEvents.map(({ event, order }) => [event, order.order_id, order.left]),
    );
    expect(new Set(events.map(([event]) => event))).toEqual(new Set([1, 2, 3]));
  });

  it('balances agree, queried and from changes', async () => {
    const { sandbox, request, pushes } = await world(seed);
    const spot = await rest<Record_>(sandbox, '/api/v4/trade-account/balance');
    expect(await request('balanceSpot_request', [])).toEqual(spot);
    const pushed = Object.assign({}, ...(pushes('balanceSpot') as [Record_][]).flat()) as Record_;
    expect(spot).toMatchObject(pushed);
    expect(Object.keys(pushed).sort()).toEqual(['BTC', 'USDT']);

    const [summary = {}] = await rest<Record_[]>(sandbox, '/api/v4/collateral-account/balance-summary');
    const { balance, borrow, availableWithoutBorrow, availableWithBorrow } = summary;
    const available = { available_without_borrow: availableWithoutBorrow, available_with_borrow: availableWithBorrow };
    expect(await request('balanceMargin_request', ['USDT'])).toEqual({ USDT: { balance, borrow, ...available } });
    expect(pushes('balanceMargin').at(-1)).toEqual([
      { a: 'USDT', B: balance, b: borrow, av: availableWithoutBorrow, ab: availableWithBorrow },
    ]);
  });

  it('positions agree', async () => {
    const { sandbox, read, pushes } = await world(seed);
    await rest(sandbox, '/api/v4/order/collateral/market', { market: perpetual, side: 'buy', amount: '0.2' });
    sandbox.clock.advance(1000);
    await read();
    const { records } = pushes('positionsMargin').at(-1) as unknown as { records: Record_[] };
    const positions = await rest<Record_[]>(sandbox, '/api/v4/collateral-account/positions/open');
    expect(positions).toHaveLength(1);
    const fields = ['id', 'market', 'ctime', 'mtime', 'amount', 'base_price', 'pnl', 'liq_price', 'margin'];
    const names = ['positionId', 'market', 'openDate', 'modifyDate', 'amount', 'basePrice', 'unrealizedPnl'];
    expect(records.map((one) => picked(one, [...fields, 'free_margin']))).toEqual(
      positions.map((one) => picked(one, [...names, 'liquidationPrice', 'margin', 'freeMargin'])),
    );
  });
});
