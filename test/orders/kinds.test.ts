// Every kind of order is found by its identifier in every state that it can have, and proven absent otherwise.
import { createExchange, type Exchange, type Order } from 'exchange-rx';
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from '../support/failure.js';
import { orderKinds, type OrderKind } from '../support/order-kinds.js';

const market = 'BTC_USDT';
const conditionalOrders = '/api/v4/conditional-orders';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets time pass until the observable has its value. */
async function valueOf<Value>(value$: Observable<Value>): Promise<Value> {
  const value = firstValueFrom(value$);
  await vi.advanceTimersByTimeAsync(60_000);
  return value;
}

const cancel = (exchange: Exchange, client_order_id: string) =>
  valueOf(exchange.orders.cancel({ market, client_order_id }));

interface State {
  readonly state: string;
  readonly kinds: readonly OrderKind[];
  readonly bring: (sandbox: Sandbox, exchange: Exchange) => Promise<unknown>;
  readonly found: Partial<Order>;
}

const triggered = (sandbox: Sandbox) => {
  sandbox.market(market).setPrice('65000');
  return Promise.resolve();
};
const isMarket = ({ name }: OrderKind) => name.endsWith('market order');
const states: readonly State[] = [
  {
    state: 'as it was placed',
    kinds: orderKinds,
    bring: () => Promise.resolve(),
    found: {},
  },
  {
    state: 'canceled',
    kinds: orderKinds.filter(({ is }) => is !== 'filled'),
    bring: (_sandbox, exchange) => cancel(exchange, 'mine'),
    found: { status: 'CANCELED' },
  },
  {
    state: 'triggered and resting',
    kinds: orderKinds.filter((kind) => kind.is === 'waiting' && !isMarket(kind)),
    bring: triggered,
    found: { status: 'OPEN', activated: 1 },
  },
  {
    state: 'triggered and canceled',
    kinds: orderKinds.filter((kind) => kind.is === 'waiting' && !isMarket(kind)),
    bring: async (sandbox, exchange) => {
      await triggered(sandbox);
      await cancel(exchange, 'mine');
    },
    found: { status: 'CANCELED' },
  },
  {
    state: 'triggered and filled',
    kinds: orderKinds.filter(({ is }) => is === 'waiting'),
    bring: async (sandbox) => {
      await triggered(sandbox);
      sandbox.market(market).setPrice('63000');
    },
    found: { status: 'FILLED' },
  },
  {
    state: 'filled',
    kinds: orderKinds.filter(({ is }) => is === 'resting'),
    bring: (sandbox) => {
      sandbox.market(market).setPrice('45000');
      return Promise.resolve();
    },
    found: { status: 'FILLED' },
  },
];

describe.each(states)('an order that is $state', ({ kinds, bring, found }) => {
  it.each(kinds)('$name: is found after a restart, with and without the name of its endpoint', async (kind) => {
    const sandbox = createSandbox({ volatility: 0, separateConditionalOrders: true });
    const exchange = createExchange(sandbox.clientOptions());
    const { order_id } = await valueOf(kind.place(exchange, { amount: kind.amount, client_order_id: 'mine' }));
    await bring(sandbox, exchange);
    const restarted = createExchange(sandbox.clientOptions());
    const key = { market, client_order_id: 'mine' };
    expect(await valueOf(restarted.orders.find(key))).toMatchObject({ order_id, ...found });
    expect(await valueOf(restarted.orders.find({ ...key, endpoint: kind.endpoint }))).toMatchObject({ order_id });
  });

  it.each(kinds)('$name: is found when its response was lost', async (kind) => {
    const sandbox = createSandbox({ volatility: 0, separateConditionalOrders: true });
    const exchange = createExchange(sandbox.clientOptions());
    const other = createExchange(sandbox.clientOptions());
    sandbox.fault({ kind: 'hang', path: kind.path, executed: true });
    const placed = firstValueFrom(kind.place(exchange, { amount: kind.amount, client_order_id: 'mine' }));
    await vi.advanceTimersByTimeAsync(100);
    await bring(sandbox, other);
    await vi.advanceTimersByTimeAsync(60_000);
    const { order_id } = await placed;
    expect(sandbox.ledger.orders.filter((order) => order.client_order_id === 'mine')).toMatchObject([{ order_id }]);
  });
});

describe.each(orderKinds)('$name that was never placed', (kind) => {
  const { isLinked } = kind;
  const lost = async (arrange: (sandbox: Sandbox) => void = () => undefined) => {
    const sandbox = createSandbox({ volatility: 0, separateConditionalOrders: true });
    const exchange = createExchange(sandbox.clientOptions());
    await valueOf(kind.place(exchange, { amount: kind.amount, client_order_id: 'shows-identifiers' }));
    sandbox.fault({ kind: 'reset', path: kind.path, executed: false });
    arrange(sandbox);
    const failure = failureOf(kind.place(exchange, { amount: kind.amount, client_order_id: 'mine' }));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(sandbox.ledger.orders.filter((order) => order.client_order_id === 'mine')).toEqual([]);
    return { failure: await failure, sandbox };
  };

  it('is proven absent', async () => {
    const { failure, sandbox } = await lost();
    expect(failure).toMatchObject({ kind: 'not-placed', outcome: 'not-executed' });
    const reads = sandbox.ledger.requests.filter(({ path }) => path === conditionalOrders);
    expect(reads.length > 0).toBe(isLinked);
  });

  it('stays unknown where a list that it may be in cannot be read', async () => {
    const unreadable = (path: string) => (sandbox: Sandbox) => {
      sandbox.fault({ kind: 'status', path, times: 1000, executed: false });
    };
    const lists = ['/api/v4/orders', '/api/v4/trade-account/order/history', ...(isLinked ? [conditionalOrders] : [])];
    for (const path of lists) expect((await lost(unreadable(path))).failure).toMatchObject({ outcome: 'unknown' });
  });
});
