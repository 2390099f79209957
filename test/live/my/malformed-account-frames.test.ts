// Malformed pushes of the account's channels: no error, nobody else's stream disturbed, and live again afterwards.
import { config, type Observable } from 'rxjs';
import type { Exchange } from 'exchange-rx';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ms } from '../hostile/hostile-exchange.js';
import { onFakeTime } from '../setup.js';
import { accountSetup, json } from './account-exchange.js';

const market = 'BTC_USDT';
const markets = [market];
type My = Exchange['live']['my'];

interface Case {
  /** The prefix of its methods. */
  readonly channel: string;
  /** The method of its pushes, where it has another prefix. */
  readonly update?: string;
  /** The params of a valid push, with this number. */
  readonly params: (id: number) => unknown;
  readonly stream: (my: My) => Observable<unknown>;
  /** What a valid push emits last. */
  readonly valid: Readonly<Record<string, unknown>>;
  /** What reports a malformed push: a gap, or a stale value. */
  readonly unreadable: Readonly<Record<string, unknown>>;
  readonly malformed: readonly unknown[];
}

const order = (id: number) => ({
  ...{ id, market, type: 1, side: 2, ioc: false, ctime: 1000, mtime: 1000, price: '60000', amount: '1', left: '1' },
  ...{ deal_stock: '0', deal_money: '0', deal_fee: '0', client_order_id: `a-${id}`, status: 'OPEN' },
});
const oto = (id: number) => ({ id, trigger_order: order(id), stop_loss_price: '50000', take_profit_price: '70000' });
const position = (id: number) => ({ id, market: 'BTC_PERP', amount: '1', base_price: '60100', position_side: 'BOTH' });
const loan = { asset: 'USDT', amount: '100', ctime: 1795310000, mtime: 1795316400 };
const bitcoin = { available: '5', freeze: '0' };
const deal = (id: number) => [id, Date.now() / 1000, market, id, '60000', '0.1', '6', `a-${id}`, 2, 2, 'USDT'];
const gap = { kind: 'gap', reason: 'unreadable' };
const live = { status: 'live' };
const stale = { status: 'stale' };
const noLists = [null, 7, 'text', {}];
const noEvents = [...noLists, [], [1], [1, null], [null, {}], [1, 'text']];

const cases: readonly Case[] = [
  {
    channel: 'ordersPending',
    params: (id) => [1, order(id)],
    stream: (my) => my.openOrders({ markets }),
    ...{ valid: live, unreadable: stale },
    malformed: [...noEvents, ['1', order(1)], [1, { market }], [1, { ...order(1), id: 'x' }]],
  },
  {
    channel: 'ordersExecuted',
    params: (id) => [{ ...order(id), left: '0', status: 'FILLED' }],
    stream: (my) => my.orders({ markets }),
    ...{ valid: { kind: 'ended' }, unreadable: gap },
    malformed: [...noLists, [null], ['text'], [{ market }], [{ ...order(1), market: 5 }]],
  },
  {
    channel: 'ordersPending',
    update: 'otoOrdersPending_update',
    params: (id) => [1, oto(id)],
    stream: (my) => my.orders({ markets }),
    ...{ valid: { kind: 'oto', event: 'opened' }, unreadable: { ...gap, channel: 'ordersPending', filled: false } },
    malformed: [...noEvents, [1, { ...oto(1), trigger_order: null }], [1, { ...oto(1), id: 'x' }]],
  },
  {
    channel: 'deals',
    params: deal,
    stream: (my) => my.executions({ markets }),
    ...{ valid: { kind: 'execution' }, unreadable: gap },
    malformed: [...noLists, [], [1, 2, null], [null, 1000.5, market], [1, 1000.5, market, 7, 'NaN', '1']],
  },
  {
    channel: 'balanceSpot',
    params: (id) => [{ BTC: { available: String(id), freeze: '0' } }],
    stream: (my) => my.balances(),
    ...{ valid: live, unreadable: stale },
    malformed: [...noLists, [null], ['BTC'], [{ BTC: null }], [{ BTC: { available: 'x', freeze: '0' } }]],
  },
  {
    channel: 'balanceMargin',
    params: (id) => [{ a: 'USDT', B: String(id), b: '0', av: '1', ab: '1' }],
    stream: (my) => my.marginBalances(),
    ...{ valid: live, unreadable: stale },
    malformed: [...noLists, [null], [{ B: '1' }]],
  },
  {
    channel: 'positionsMargin',
    params: (id) => ({ total: 1, records: [position(id)] }),
    stream: (my) => my.positions(),
    ...{ valid: live, unreadable: stale },
    malformed: [null, 7, [], {}, { records: {} }, { records: [null] }, { total: 2, records: [position(1)] }],
  },
  {
    channel: 'positionsAccountMargin',
    params: (id) => [1, position(id)],
    stream: (my) => my.positionEvents(),
    ...{ valid: { kind: 'event', event: 'margin_call' }, unreadable: gap },
    malformed: [...noEvents, [null, position(1)], [true, position(1)], [1, { id: 1 }]],
  },
  {
    channel: 'borrowsMargin',
    params: () => ({ total: 1, records: [loan] }),
    stream: (my) => my.borrows(),
    ...{ valid: live, unreadable: stale },
    malformed: [null, 7, [], {}, { records: 'text' }, { records: [{}] }, { total: 2, records: [loan] }],
  },
  {
    channel: 'borrowsAccountMargin',
    params: () => [2, loan],
    stream: (my) => my.borrowEvents(),
    ...{ valid: { kind: 'event', event: 'liquidation' }, unreadable: gap },
    malformed: [...noEvents, [null, loan], [[], loan], [2, { amount: '1' }]],
  },
  {
    channel: 'ADLQuantile',
    params: (id) => [['BTC_PERP', id, 1]],
    stream: (my) => my.adlQuantiles(),
    ...{ valid: live, unreadable: stale },
    malformed: [...noLists, [null], [7], [[]]],
  },
];

function watched({ channel, update = `${channel}_update`, stream }: Case) {
  const unhandled = vi.fn();
  config.onUnhandledError = unhandled;
  onTestFinished(() => {
    config.onUnhandledError = null;
  });
  const { account, world, exchange } = accountSetup();
  account.rest = () => json(200, []);
  const { react } = account;
  account.react = (got) => {
    if (got.method === 'time') got.wire.answer(got.id, Math.floor(Date.now() / 1000));
    else react(got);
  };
  account.results.set('balanceSpot_request', { BTC: bitcoin }).set('balanceMargin_request', []);
  const { my } = exchange.live;
  const errors: unknown[] = [];
  const seen: unknown[] = [];
  const others: unknown[] = [];
  const error = (reason: unknown) => errors.push(reason);
  stream(my).subscribe({ next: (value) => seen.push(value), error });
  const [otherMethod, otherParams] =
    channel === 'borrowsMargin'
      ? ['balanceSpot', [{ BTC: bitcoin }]]
      : ['borrowsMargin', { total: 1, records: [loan] }];
  const other$: Observable<unknown> = channel === 'borrowsMargin' ? my.balances() : my.borrows();
  other$.subscribe({ next: (value) => others.push(value), error });
  const wire = () =>
    world.wires.findLast(({ got }) => got.some(({ method }) => method === `${channel}_subscribe`)) ?? world.wire;
  return {
    ...{ errors, seen, others, unhandled, wire },
    push: (params: unknown) => {
      wire().push(update, params);
    },
    pushOther: () => {
      wire().push(`${otherMethod}_update`, otherParams);
    },
  };
}

const named = cases.map((one) => [one.update ?? `${one.channel}_update`, one] as const);

describe('malformed pushes and records of the account', () => {
  onFakeTime();

  it.each(named)('%s: each gives a gap or a stale value, and a valid push is live again', async (_, one) => {
    const { errors, seen, others, unhandled, push, pushOther } = watched(one);
    await ms(5000);
    for (const [index, malformed] of one.malformed.entries()) {
      push(one.params(index + 10));
      await ms(1000);
      pushOther();
      seen.length = 0;
      others.length = 0;
      push(malformed);
      await ms(10_000);
      expect(seen, JSON.stringify(malformed)).toContainEqual(expect.objectContaining(one.unreadable));
      seen.length = 0;
      push(one.params(index + 1000));
      await ms(1000);
      expect(seen.at(-1), JSON.stringify(malformed)).toMatchObject(one.valid);
      expect(others).toEqual([]);
    }
    expect([errors, unhandled.mock.calls]).toEqual([[], []]);
  });

  it('of a conditional order of another market are no gap, and an event that the exchange adds is kept', async () => {
    const [, one] = named.find(([update]) => update === 'otoOrdersPending_update') ?? [];
    if (one === undefined) throw new Error('conditional orders are not in the list');
    const { errors, seen, unhandled, push } = watched(one);
    await ms(5000);
    push([1, { ...oto(1), id: 'x', trigger_order: { ...order(8), market: 'ETH_USDT' } }]);
    for (const event of [1, 2, 3, 9]) push([event, oto(7)]);
    push([1, { ...oto(8), trigger_order: { ...order(8), market: 'ETH_USDT' } }]);
    expect(seen).toMatchObject(['opened', 'updated', 'ended', '9'].map((event) => ({ kind: 'oto', event, market })));
    expect([errors, unhandled.mock.calls]).toEqual([[], []]);
  });

  it('in the list of open orders make the open orders stale', async () => {
    const all = accountSetup();
    const listed = {
      ...{ orderId: 5, clientOrderId: 'c5', market, side: 'buy', type: 'limit', timestamp: 1, dealMoney: '0' },
      ...{ dealStock: '0', amount: '1', left: '1', dealFee: '0', price: '10', status: 'OPEN' },
    };
    all.account.rest = (path) => json(200, path.endsWith('/orders') ? [listed, { ...listed, orderId: {} }] : {});
    const seen: string[] = [];
    all.exchange.live.my
      .openOrders({ markets })
      .subscribe(({ status, orders }) => seen.push(`${status} ${[...orders.keys()].join()}`));
    await ms(10_000);
    expect(seen).toEqual(['stale 5']);
  });
});
