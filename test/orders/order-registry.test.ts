// An identifier belongs to one order of a client: while it is in flight, while it is in doubt, and after it is placed.
import { createExchange, defineEndpoint, type ExchangeOptions, type Order } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import type { Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { orderFields } from '../../src/orders/order-fields.js';
import { OrderRegistry } from '../../src/orders/order-registry.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { useFakeTimers, within } from '../support/fake-timers.js';
import { collected, eventsOf, watch } from '../support/watch.js';

useFakeTimers();

const market = 'BTC_USDT';
const path = '/api/v4/order/stock_market';
const mine = { market, client_order_id: 'mine' };
const alreadyInUse = {
  kind: 'request',
  outcome: 'not-executed',
  client_order_id: 'mine',
  issues: [
    { field: 'client_order_id', message: '"mine" is already in use: an order of this client in BTC_USDT has it' },
  ],
};

function setup(options: Partial<ExchangeOptions> = {}) {
  const sandbox = createSandbox({ volatility: 0 });
  const exchange = createExchange({ ...sandbox.clientOptions(), ...options });
  const events = eventsOf(exchange, 'order');
  const undecided = collected(exchange.undecided$);
  return {
    sandbox,
    exchange,
    events,
    /** The last list of orders in doubt. */
    inDoubt: () => undecided.at(-1) ?? [],
    buy: (amount: string) => exchange.spot.placeStockMarketOrder({ ...mine, side: 'buy', amount }),
    bid: (amount: string, price: string) =>
      exchange.collateral.placeLimitOrder({ ...mine, side: 'buy', amount, price }),
    amounts: () => sandbox.ledger.orders.map(({ amount }) => amount),
    placing: () =>
      sandbox.ledger.requests.filter(
        (request) => request.path.includes('/order/') && !request.path.includes('history'),
      ),
  };
}

const soon = (source: Observable<unknown>) => within(1000, source);
const decided = (source: Observable<unknown>) => within(40_000, source);

/** Shows the client that the endpoint takes identifiers. */
async function showIdentifiers({ exchange }: Pick<ReturnType<typeof setup>, 'exchange'>): Promise<void> {
  expect(await soon(exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.001' }))).toHaveLength(1);
}

type Client = ReturnType<typeof setup>;
type Row = [state: string, bring: (client: Client) => unknown, options: Partial<ExchangeOptions>];
const oneAtATime = { limits: { 'spot.placeStockMarketOrder': { limit: 1, windowMs: 3000 } } };

describe('an identifier of an order of this client', () => {
  it.each<Row>([
    [
      'is in flight',
      ({ sandbox, buy }) => {
        sandbox.fault({ kind: 'hang', path });
        watch(buy('0.01'));
      },
      {},
    ],
    [
      'waits for its permit',
      async (client) => {
        await showIdentifiers(client);
        watch(client.buy('0.01'));
      },
      oneAtATime,
    ],
    [
      'is in doubt, without a subscriber',
      async ({ sandbox, buy }) => {
        sandbox.fault({ kind: 'reset', path, executed: true });
        expect(await soon(buy('0.01'))).toMatchObject([{ outcome: 'unknown' }]);
      },
      { lookupTimeoutMs: 0 },
    ],
    ['was placed', ({ buy }) => soon(buy('0.01')), {}],
    ['was placed by another endpoint of the market', ({ bid }) => soon(bid('0.01', '50000')), {}],
  ])('is refused for another order observable when the order %s', async (_, bring, options) => {
    const client = setup(options);
    await bring(client);
    await vi.advanceTimersByTimeAsync(100);
    const sent = client.placing().length;
    expect(await soon(client.buy('0.02'))).toMatchObject([alreadyInUse]);
    expect(client.placing()).toHaveLength(sent);
  });

  it.each<Row>([
    [
      'was rejected',
      async ({ sandbox, buy }) => {
        sandbox.market(market).setTradesEnabled(false);
        expect(await soon(buy('0.01'))).toMatchObject([{ outcome: 'rejected' }]);
        sandbox.market(market).setTradesEnabled(true);
      },
      {},
    ],
    [
      'was proven absent',
      async (client) => {
        await showIdentifiers(client);
        client.sandbox.fault({ kind: 'reset', path });
        expect(await decided(client.buy('0.01'))).toMatchObject([{ kind: 'not-placed' }]);
      },
      {},
    ],
    [
      'was unsubscribed before it was sent',
      async (client) => {
        await showIdentifiers(client);
        client.buy('0.01').subscribe().unsubscribe();
      },
      oneAtATime,
    ],
  ])('is accepted for another order observable after the order %s', async (_, bring, options) => {
    const client = setup(options);
    await bring(client);
    expect(await within(5000, client.buy('0.02'))).toMatchObject([{ amount: '0.02' }]);
    expect(client.amounts()).not.toContain('0.01');
  });

  it.each(['its own order', 'an order of the caller'])('is refused after %s was placed with it', async (first) => {
    const { exchange, amounts } = setup();
    const own$ = exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01' });
    const { client_order_id } = own$;
    const callers$ = exchange.spot.placeStockMarketOrder({ market, client_order_id, side: 'buy', amount: '0.02' });
    const [first$, second$] = first === 'its own order' ? [own$, callers$] : [callers$, own$];
    expect(await soon(first$)).toHaveLength(1);
    expect(await soon(second$)).toMatchObject([{ kind: 'request', client_order_id }]);
    expect(amounts()).toHaveLength(1);
  });

  it('is accepted for an order of another market', async () => {
    const { exchange, buy, amounts } = setup();
    await soon(buy('0.01'));
    expect(
      await soon(exchange.spot.placeStockMarketOrder({ ...mine, market: 'ETH_USDT', side: 'buy', amount: '0.5' })),
    ).toMatchObject([{ amount: '0.5' }]);
    expect(amounts()).toEqual(['0.01', '0.5']);
  });

  it('stays with its order observable, which is subscribed to as often as one likes', async () => {
    const { sandbox, buy, amounts } = setup({ lookupTimeoutMs: 100 });
    sandbox.randomFaults({ seed: 1, rate: 1, kinds: ['status'], paths: ['/api/v4/orders'] });
    sandbox.market(market).setTradesEnabled(false);
    const order$ = buy('0.01');
    expect(await soon(order$)).toMatchObject([{ outcome: 'rejected' }]);
    sandbox.market(market).setTradesEnabled(true);
    sandbox.fault({ kind: 'reset', path, executed: true });
    expect(await soon(order$)).toMatchObject([{ outcome: 'unknown' }]);
    expect(await soon(order$)).toMatchObject([{ outcome: 'unknown' }]);
    expect(amounts()).toEqual(['0.01']);
  });
});

describe('an order that is resumed while its observable exists', () => {
  it('is not proven absent while it waits to be sent', async () => {
    const client = setup({ limits: { 'spot.placeStockMarketOrder': { limit: 1, windowMs: 25_000 } } });
    await showIdentifiers(client);
    const queued = watch(
      client.exchange.spot.placeStockMarketOrder({ ...mine, side: 'buy', amount: '0.02' }, { validForMs: 60_000 }),
    );
    const resumed = await within(45_000, client.exchange.orders.find(mine));
    expect(queued).toMatchObject([{ amount: '0.02' }]);
    expect(resumed).toMatchObject([{ outcome: 'unknown' }]);
    expect(client.events).toContainEqual(
      expect.objectContaining({ progress: 'unknown', reason: 'an order of this client_order_id is in flight' }),
    );
  });

  it('is not proven absent when it was sent only after the lookups began, and left in flight', async () => {
    const client = setup();
    await showIdentifiers(client);
    const resumed = await within(18_000, client.exchange.orders.find(mine));
    expect(resumed).toEqual([]);
    client.sandbox.fault({ kind: 'late-arrival', path, delayMs: 2900 });
    const leaving = client.buy('0.01').subscribe();
    await vi.advanceTimersByTimeAsync(100);
    leaving.unsubscribe();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(client.amounts()).toEqual(['0.001', '0.01']);
    expect(resumed).toMatchObject([{ client_order_id: 'mine' }]);
    expect(resumed).not.toMatchObject([{ kind: 'not-placed' }]);
  });

  it('is proven absent after its last subscriber left, and its identifier is free', async () => {
    const client = setup();
    await showIdentifiers(client);
    client.sandbox.fault({ kind: 'hang', path });
    const leaving = client.buy('0.01').subscribe();
    await vi.advanceTimersByTimeAsync(500);
    leaving.unsubscribe();
    await vi.advanceTimersByTimeAsync(0);
    const endpoint = 'spot.placeStockMarketOrder';
    expect(client.inDoubt()).toMatchObject([{ ...mine, endpoint, side: 'buy', amount: '0.01' }]);
    const message =
      'orders.find: the order was not placed: no order has this client_order_id, and no request in flight can create one';
    expect(await decided(client.exchange.orders.find(mine))).toMatchObject([{ kind: 'not-placed', message }]);
    await vi.advanceTimersByTimeAsync(0);
    expect(client.inDoubt()).toEqual([]);
    expect(await soon(client.buy('0.02'))).toMatchObject([{ amount: '0.02' }]);
  });

  it('is found by both', async () => {
    const { sandbox, exchange, inDoubt } = setup();
    sandbox.fault({ kind: 'hang', path, executed: true });
    const order$ = exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01' });
    const leaving = order$.subscribe();
    await vi.advanceTimersByTimeAsync(100);
    leaving.unsubscribe();
    const [placed] = sandbox.ledger.orders;
    expect(await soon(exchange.orders.find({ market, client_order_id: order$.client_order_id }))).toMatchObject([
      { amount: '0.01', order_id: placed?.order_id },
    ]);
    expect(inDoubt()).toEqual([]);
    expect(await soon(order$)).toMatchObject([{ amount: '0.01', order_id: placed?.order_id }]);
    expect(inDoubt()).toEqual([]);
    expect(sandbox.ledger.orders).toHaveLength(1);
  });
});

it('undecided$ does not list an order that is proven absent and waits to be sent again', async () => {
  const client = setup();
  await showIdentifiers(client);
  client.sandbox.fault({ kind: 'status', path, times: 1, retryAfterSeconds: 22 });
  const call$ = client.exchange.spot.placeStockMarketOrder(
    { ...mine, side: 'buy', amount: '0.01' },
    { validForMs: 60_000 },
  );
  const seen = await within(20_000, call$);
  expect([seen, client.inDoubt(), client.events.at(-1)]).toMatchObject([[], [], { progress: 'absent' }]);
  expect(await soon(client.buy('0.02'))).toMatchObject([alreadyInUse]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(seen).toMatchObject([{ amount: '0.01' }]);
});

describe('an endpoint that was not seen to take identifiers', () => {
  it('proves nothing: its order is unknown after the lookups of a proof, and the event says why', async () => {
    const { sandbox, buy, events, placing } = setup();
    sandbox.fault({ kind: 'reset', path });
    expect(await decided(buy('0.01'))).toMatchObject([
      { kind: 'transport', outcome: 'unknown', client_order_id: 'mine' },
    ]);
    const about = { type: 'order', endpoint: 'spot.placeStockMarketOrder', client_order_id: 'mine', call: 1 };
    const reason = 'no order of spot.placeStockMarketOrder has shown yet that the exchange keeps client_order_id';
    expect(events).toEqual([
      { ...about, progress: 'looking-up' },
      { ...about, progress: 'unknown', reason },
    ]);
    expect(placing()).toHaveLength(1);
  });

  it('proves absence once a lookup has found one of its orders by the identifier', async () => {
    const { sandbox, exchange, buy } = setup();
    sandbox.fault({ kind: 'reset', path, executed: true });
    expect(await soon(exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.001' }))).toMatchObject([
      { amount: '0.001' },
    ]);
    sandbox.fault({ kind: 'reset', path });
    expect(await decided(buy('0.01'))).toMatchObject([{ kind: 'not-placed' }]);
  });

  it('proves absence for an order of a program that has ended, once an order of the same endpoint has shown its identifier', async () => {
    const client = setup();
    await showIdentifiers(client);
    const resumed = [{ endpoint: 'spot.placeStockMarketOrder' }, { endpoint: 'collateral.placeLimitOrder' }, {}].map(
      (sentTo) => watch(client.exchange.orders.find({ market, client_order_id: 'earlier', ...sentTo })),
    );
    await vi.advanceTimersByTimeAsync(40_000);
    expect(resumed).toMatchObject([
      [{ kind: 'not-placed', client_order_id: 'earlier' }],
      [{ outcome: 'unknown' }],
      [{ outcome: 'unknown' }],
    ]);
  });
});

it('an endpoint whose responses lack the identifier takes the proof from its own orders, resumed ones too, and not from the orders of other endpoints', async () => {
  const client = setup();
  await showIdentifiers(client);
  const request = v.object({ market: v.string(), side: v.string(), amount: v.string() });
  const own = defineEndpoint({ name: 'own', path, safety: 'order', request, response: v.looseObject({}) });
  await soon(client.exchange.call(own, { market, side: 'buy', amount: '0.02' }));
  client.sandbox.fault({ kind: 'reset', path });
  const seen = watch(client.buy('0.01'));
  const resumed = ['own', 'spot.placeStockMarketOrder'].map((endpoint) =>
    watch(client.exchange.orders.find({ market, client_order_id: 'earlier', endpoint })),
  );
  await vi.advanceTimersByTimeAsync(40_000);
  const proven = [{ kind: 'not-placed' }];
  expect([seen, ...resumed]).toMatchObject([proven, [{ outcome: 'unknown' }], proven]);
});

describe('the registry', () => {
  const order = (onPushed: () => unknown = () => undefined) => ({ ...mine, endpoint: 'place', fields: {}, onPushed });

  it('keeps no text in memory that an identifier was cut from', () => {
    const textOf = (line: number) => `${'x'.repeat(10_000)};identifier-of-order-${line}`;
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const remembered = Array.from({ length: 2000 }, (_, line) => {
      const [, client_order_id] = textOf(line).split(';');
      return orderFields('place', { market, client_order_id }).order.client_order_id;
    });
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
    expect(remembered[7]).toBe('identifier-of-order-7');
  });

  it('lists the orders in doubt in the order in which they were placed, whatever their markets', () => {
    const registry = new OrderRegistry();
    for (const [index, name] of ['A_B', 'C_D', 'A_B'].entries()) {
      const one = { ...order(), market: name, client_order_id: String(index) };
      registry.claim(one);
      registry.doubt(one, 1);
    }
    expect(watch(registry.undecided$)).toMatchObject([['0', '1', '2'].map((client_order_id) => ({ client_order_id }))]);
  });

  it('trusts no endpoint that has dropped an identifier, whatever it shows later', () => {
    const registry = new OrderRegistry();
    for (const shown of ['', 'two'])
      registry.place({ market, client_order_id: 'two' }, { client_order_id: shown }, 'place');
    expect(registry.whyNoProof(mine, 'place')).toBe('the exchange dropped the client_order_id of an order of place');
  });

  it('takes an order in doubt for one in flight at the times before it was sent', () => {
    const registry = new OrderRegistry();
    const one = order();
    registry.claim(one);
    registry.leave(one, 5);
    expect([4, 5].map((since) => registry.isInFlight(mine, since))).toEqual([true, false]);
  });

  it('keeps an order in doubt, and in flight, when its observable is subscribed to again', () => {
    const registry = new OrderRegistry();
    const [one, another] = [order(), order()];
    registry.claim(one);
    registry.leave(one, 5);
    expect([registry.claim(one), registry.isInFlight(mine, 6)]).toEqual([true, true]);
    expect(watch(registry.undecided$)).toMatchObject([[{ ...mine, since: 5 }]]);
    registry.leave(another, 7);
    expect([registry.claim(another), registry.isInFlight(mine, 6)]).toEqual([false, true]);
  });

  it('passes the push of an order on to its observable, also after its absence was proven, and not after it was placed', () => {
    const registry = new OrderRegistry();
    const pushedIn: string[] = [];
    let state = 'before';
    const one = order(() => pushedIn.push(state));
    const push = (next: string) => {
      state = next;
      registry.onPushed({ ...mine } as Order);
    };
    push('before');
    registry.claim(one);
    push('in flight');
    registry.free(one);
    push('absent');
    registry.place(one, mine);
    push('placed');
    expect(pushedIn).toEqual(['in flight', 'absent']);
  });

  it('proves nothing for an identifier whose endpoint the caller does not name', () => {
    expect(new OrderRegistry().whyNoProof(mine)).toMatch(/^the option endpoint is missing/);
  });

  it.each(['order_id', 'id'])(
    'knows an order by market and %s as that of the identifier it was reported for',
    (name) => {
      const registry = new OrderRegistry();
      const others = { market, client_order_id: 'others' };
      registry.place(order(), { [name]: 7 });
      const canBe = [mine, others, { ...others, market: 'ETH_USDT' }].map((of) => registry.canBe(of, { [name]: 7 }));
      expect([...canBe, registry.canBe(others, { [name]: '7' })]).toEqual([true, false, true, false]);
      const otherName = name === 'id' ? 'order_id' : 'id';
      for (const found of [{ [otherName]: 7 }, { [name]: 8 }, {}, { [name]: null }, undefined, null, 'text'])
        expect(registry.canBe(others, found)).toBe(true);
    },
  );

  it('takes an order that is older than its request for another one, unless it shows the identifier', () => {
    const shown = (client_order_id: string) => ({ order_id: 7, timestamp: 1_790_000_000, client_order_id });
    const canBe = (id: string, earliest: number) => new OrderRegistry().canBe(mine, shown(id), earliest);
    const placedMs = 1_790_000_000_000;
    expect([canBe('', placedMs + 1), canBe('', placedMs), canBe('mine', placedMs + 1)]).toEqual([false, true, true]);
  });

  it.each([
    ['the same time', 1_790_000_000.123456, 1_790_000_000.123456, false],
    ['the time to the second', 1_790_000_000.923456, 1_790_000_000, false],
    ['the time to the second, rounded up', 1_790_000_001, 1_790_000_000.923456, false],
    ['no time', 1_790_000_000.1, undefined, false],
    ['a time, which the first did not', undefined, 1_790_000_000.1, false],
    ['an invalid time', 1_790_000_000.1, 7, false],
    ['a text', 1_790_000_000.1, '1790000005', false],
    ['another time of the same second', 1_790_000_000.123456, 1_790_000_000.223456, true],
    ['a later second', 1_790_000_000, 1_790_000_002, true],
    ['an earlier one', 1_790_000_000.5, 1_789_000_000.5, true],
  ])(
    'takes an order of the same number for another one where both times are known and differ: %s',
    (_, first, second, isOther) => {
      const registry = new OrderRegistry();
      registry.place(order(), { order_id: 7, timestamp: first });
      const others = { market, client_order_id: 'others' };
      const again = { order_id: 7, timestamp: second };
      expect(registry.canBe(others, again)).toBe(isOther);
      if (!isOther) return;
      registry.place(others, again);
      expect([mine, others].map((of) => registry.canBe(of, again))).toEqual([false, true]);
    },
  );

  it.each([
    ['a later one of its side and identifier', { order_id: 9, side: 'buy', client_order_id: 'mine' }, true],
    ['a later one that shows neither', { order_id: 9 }, true],
    ['one that shows no number', { side: 'buy' }, true],
    ['itself', { order_id: 7, side: 'buy', client_order_id: 'mine' }, false],
    ['an earlier one', { order_id: 6 }, false],
    ['one of the other side', { order_id: 9, side: 'sell' }, false],
    ['one of another identifier', { order_id: 9, client_order_id: 'another' }, false],
    ['one that was reported for another identifier', { order_id: 8, timestamp: 1_790_000_000 }, false],
    ['one of that number, by an exchange that counts again', { order_id: 8, timestamp: 1_790_000_002 }, true],
  ])('lets a response to a modification be an order by what was reported: %s', (_, shown, canReplace) => {
    const registry = new OrderRegistry();
    registry.place(order(), { order_id: 7, side: 'buy' });
    registry.place({ market, client_order_id: 'others' }, { order_id: 8, timestamp: 1_790_000_000 });
    expect(registry.canReplace({ market, order_id: 7 }, shown)).toBe(canReplace);
  });

  it('lets it be any later order, if the one before was not reported, but none of another identifier', () => {
    const registry = new OrderRegistry();
    registry.place({ market, client_order_id: 'others' }, { order_id: 8 });
    const replaced = { market, order_id: 5 };
    const canBe = (client_order_id: string) => registry.canReplace({ ...replaced, client_order_id }, { order_id: 8 });
    expect([canBe('mine'), canBe('others')]).toEqual([false, true]);
    expect(registry.canReplace(replaced, { order_id: 9, side: 'sell' })).toBe(true);
  });

  it.each([
    ['the identifier that it shows', { order_id: 9, client_order_id: 'new' }, 7, 'new'],
    ['that of the order before', { order_id: 9 }, 7, 'mine'],
    ['none, where nothing is known of the order before', { order_id: 9 }, 5, ''],
  ])('knows a modified order by %s', (_, shown, order_id, client_order_id) => {
    const registry = new OrderRegistry();
    registry.place(order(), { order_id: 7 });
    registry.replace({ market, order_id }, shown);
    const canBe = ['new', 'mine', ''].filter((name) =>
      registry.canBe({ market, client_order_id: name }, { order_id: 9 }),
    );
    expect(canBe).toEqual([client_order_id]);
  });

  it('shows side, amount and price of an order in doubt, where they are texts', () => {
    const registry = new OrderRegistry();
    const fields = { side: 'buy', amount: '0.1', price: '5' };
    const one = { ...order(), fields: { ...fields, activation_price: '6' } };
    const two = { ...order(), client_order_id: 'two', fields: { ...fields, price: 5 } };
    for (const each of [one, two]) {
      registry.claim(each);
      registry.doubt(each, 5);
    }
    const undecided = { ...mine, endpoint: 'place', ...fields, since: 5 };
    const { price: _, ...withoutPrice } = { ...undecided, client_order_id: 'two' };
    expect(watch(registry.undecided$)).toEqual([[undecided, withoutPrice]]);
  });

  it('emits the orders in doubt at subscription and after the changes of a turn, and no more often', async () => {
    const registry = new OrderRegistry();
    const first = order();
    const seen = collected(registry.undecided$, (orders) => orders.map(({ since }) => since));
    registry.claim(first);
    registry.doubt(first, 5);
    registry.doubt(first, 7);
    await vi.advanceTimersByTimeAsync(0);
    registry.free(first);
    registry.free(first);
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toEqual([[], [5], []]);
  });
});
