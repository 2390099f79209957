// Every kind of order is found by its identifier in every state that it can have, and proven absent otherwise.
import { createExchange, type Exchange, type Order } from 'exchange-rx';
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, type Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.js';
import { failureOf } from '../support/failure.js';
import { orderKinds, type OrderKind } from '../support/order-kinds.js';

const market = 'BTC_USDT';
const conditionalOrders = '/api/v4/conditional-orders';

useFakeTimers();

/** Lets time pass until the observable has its value. */
async function valueOf<Value>(value$: Observable<Value>): Promise<Value> {
  const value = firstValueFrom(value$);
  await vi.advanceTimersByTimeAsync(1000);
  return value;
}

type Step = (sandbox: Sandbox, exchange: Exchange) => unknown;

const cancel: Step = (_, { orders }) => valueOf(orders.cancel({ market, client_order_id: 'mine' }));
const movesTo =
  (price: string): Step =>
  (sandbox) => {
    sandbox.market(market).setPrice(price);
  };
const isMarket = ({ name }: OrderKind) => name.endsWith('market order');
const waiting = orderKinds.filter(({ is }) => is === 'waiting');
const waitingToRest = waiting.filter((kind) => !isMarket(kind));
const states: readonly [state: string, kinds: readonly OrderKind[], steps: readonly Step[], found: Partial<Order>][] = [
  ['as it was placed', orderKinds, [], {}],
  ['canceled', orderKinds.filter(({ is }) => is !== 'filled'), [cancel], { status: 'CANCELED' }],
  ['triggered and resting', waitingToRest, [movesTo('65000')], { status: 'OPEN', activated: 1 }],
  ['triggered and canceled', waitingToRest, [movesTo('65000'), cancel], { status: 'CANCELED' }],
  ['triggered and filled', waiting, [movesTo('65000'), movesTo('63000')], { status: 'FILLED' }],
  ['filled', orderKinds.filter(({ is }) => is === 'resting'), [movesTo('45000')], { status: 'FILLED' }],
];

describe.each(states)('an order that is %s', (_, kinds, steps, found) => {
  it.each(kinds)(
    '$name: is found when its response was lost, and after a restart, with and without the name of its endpoint',
    async (kind) => {
      const sandbox = createSandbox({ volatility: 0, unkindSeed: 0 });
      const exchange = createExchange(sandbox.clientOptions());
      sandbox.fault({ kind: 'hang', path: kind.path, executed: true });
      const placed = firstValueFrom(kind.place(exchange, { amount: kind.amount, client_order_id: 'mine' }));
      await vi.advanceTimersByTimeAsync(100);
      const restarted = createExchange(sandbox.clientOptions());
      for (const step of steps) await step(sandbox, restarted);
      await vi.advanceTimersByTimeAsync(20_000);
      const { order_id } = await placed;
      expect(sandbox.ledger.orders.filter((order) => order.client_order_id === 'mine')).toMatchObject([{ order_id }]);
      const key = { market, client_order_id: 'mine' };
      expect(await valueOf(restarted.orders.find(key))).toMatchObject({ order_id, ...found });
      expect(await valueOf(restarted.orders.find({ ...key, endpoint: kind.endpoint }))).toMatchObject({ order_id });
    },
  );
});

describe('an order that was never placed', () => {
  const lost = async (kind: OrderKind, unreadable?: string) => {
    const sandbox = createSandbox({ volatility: 0, unkindSeed: 0 });
    // Short, so that few lookups are made before the proof.
    const exchange = createExchange({ ...sandbox.clientOptions(), settleMs: 0, lookupTimeoutMs: 10_000 });
    await valueOf(kind.place(exchange, { amount: kind.amount, client_order_id: 'shows-identifiers' }));
    sandbox.fault({ kind: 'reset', path: kind.path, executed: false });
    if (unreadable !== undefined) sandbox.fault({ kind: 'status', path: unreadable, times: 1000, executed: false });
    const failure = failureOf(kind.place(exchange, { amount: kind.amount, client_order_id: 'mine' }));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sandbox.ledger.orders.filter((order) => order.client_order_id === 'mine')).toEqual([]);
    return { failure: await failure, sandbox };
  };

  it.each(orderKinds)('is proven absent: $name', async (kind) => {
    const { failure, sandbox } = await lost(kind);
    expect(failure).toMatchObject({ kind: 'not-placed', outcome: 'not-executed' });
    const reads = sandbox.ledger.requests.filter(({ path }) => path === conditionalOrders);
    expect(reads.length > 0).toBe(kind.isLinked);
  });

  const [linked] = orderKinds.filter(({ isLinked }) => isLinked);
  const lists = ['/api/v4/orders', '/api/v4/trade-account/order/history', conditionalOrders];
  it.each(lists)('stays unknown where a list that it may be in cannot be read: %s', async (path) => {
    if (linked !== undefined) expect((await lost(linked, path)).failure).toMatchObject({ outcome: 'unknown' });
    expect.assertions(2);
  });
});

it.each(orderKinds)('$name: a restarted program reads the conditional orders only if it may be one', async (kind) => {
  const sandbox = createSandbox({ volatility: 0 });
  const { orders } = createExchange({ ...sandbox.clientOptions(), lookupTimeoutMs: 500 });
  const failure = failureOf(orders.find({ market, client_order_id: 'mine', endpoint: kind.endpoint }));
  await vi.advanceTimersByTimeAsync(2000);
  expect(await failure).toMatchObject({ outcome: 'unknown' });
  const isRead = sandbox.ledger.requests.some(({ path }) => path === conditionalOrders);
  expect(isRead).toBe(kind.endpoint.startsWith('collateral.'));
});
