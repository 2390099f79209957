import { asPromises, createExchange, type AsyncExchange, type Exchange, type Order } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { lastValueFrom } from 'rxjs';
import { expectTypeOf, describe, expect, it, vi } from 'vitest';
import { collected } from './support/watch.js';

function world() {
  const sandbox = createSandbox({ volatility: 0 });
  const exchange = createExchange(sandbox.clientOptions());
  return { sandbox, exchange, calls: asPromises(exchange) };
}

const anOrder = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;

describe('asPromises', () => {
  it('has every method of every group', () => {
    const { exchange, calls } = world();
    const groups = Object.keys(calls) as (keyof AsyncExchange & keyof Exchange)[];
    expect(groups).toHaveLength(12);
    for (const group of groups) expect(Object.keys(calls[group])).toEqual(Object.keys(exchange[group]));
  });

  it('resolves to the output', async () => {
    const { sandbox, calls } = world();
    const order = await calls.spot.placeStockMarketOrder(anOrder);
    expectTypeOf(order).toEqualTypeOf<Order>();
    expect(sandbox.ledger.orders.map(({ order_id }) => order_id)).toContain(order.order_id);
    expect(await calls.public.ping()).toEqual(['pong']);
  });

  it('sends a call at once, and once', async () => {
    const { sandbox, calls } = world();
    const order = calls.spot.placeStockMarketOrder(anOrder);
    await Promise.all([order, order]);
    expect(sandbox.ledger.orders).toHaveLength(1);
  });

  it('is rejected with the error of the call', async () => {
    const { calls } = world();
    const invalid = calls.spot.placeStockMarketOrder({ ...anOrder, amount: '-1' });
    await expect(invalid).rejects.toMatchObject({ kind: 'request', outcome: 'not-executed' });
    const rejected = calls.orders.cancel({ market: 'BTC_USDT', order_id: 1 });
    await expect(rejected).rejects.toMatchObject({ kind: 'api', outcome: 'rejected' });
  });

  it('resolves to the items of all pages of a list', async () => {
    const { exchange, calls } = world();
    const all = await calls.subAccounts.listAll();
    const seen: unknown[] = [];
    await exchange.subAccounts.listAll().forEach((one) => seen.push(one));
    expect(all).toEqual(seen);
    expect(all.length).toBeGreaterThan(1);
  });

  describe('with a signal', () => {
    it('sends nothing when the signal was aborted before the call', async () => {
      const { sandbox, calls } = world();
      const signal = AbortSignal.abort(new Error('enough'));
      await expect(calls.spot.placeStockMarketOrder(anOrder, { signal })).rejects.toMatchObject({
        kind: 'transport',
        outcome: 'not-executed',
        cause: { message: 'enough' },
      });
      expect(sandbox.ledger.orders).toHaveLength(0);
    });

    it('does not doubt an order that was rejected, when it is subscribed again after the signal was aborted', async () => {
      const { exchange } = world();
      const controller = new AbortController();
      const order$ = exchange.spot.placeStockMarketOrder(
        { market: 'BTC_USDT', side: 'sell', amount: '999999' },
        { signal: controller.signal },
      );
      await expect(lastValueFrom(order$)).rejects.toMatchObject({ outcome: 'rejected' });
      controller.abort();
      await expect(lastValueFrom(order$)).rejects.toMatchObject({ kind: 'transport', outcome: 'not-executed' });
    });

    it('listens to a signal once for all of its calls, and not any more when they have ended', async () => {
      const { calls } = world();
      const { signal } = new AbortController();
      const [listened, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
      await Promise.all(Array.from({ length: 20 }, () => calls.public.ping({ signal })));
      expect(listened).toHaveBeenCalledOnce();
      expect(removed).toHaveBeenCalledOnce();
    });

    it('reports an order in flight as unknown, with the identifier to resume from', async () => {
      const { sandbox, exchange, calls } = world();
      sandbox.fault({ kind: 'hang', path: '/api/v4/order/stock_market' });
      const controller = new AbortController();
      const mine = { client_order_id: 'mine' };
      const order = calls.spot.placeStockMarketOrder({ ...anOrder, ...mine }, { signal: controller.signal });
      const unknown = { outcome: 'unknown', ...mine, endpoint: 'spot.placeStockMarketOrder' };
      const aborted = expect(order).rejects.toMatchObject(unknown);
      const inDoubt = collected(exchange.undecided$, (orders) => orders.map(({ client_order_id }) => client_order_id));
      await vi.waitFor(() => {
        expect(sandbox.ledger.requests.length).toBeGreaterThan(0);
      });
      controller.abort();
      await aborted;
      expect(inDoubt.at(-1)).toEqual(['mine']);
    });

    it('resolves to the outcome of each of several orders in flight', async () => {
      const { sandbox, calls } = world();
      sandbox.fault({ kind: 'hang', path: '/api/v4/order/bulk' });
      const { side, amount, market } = anOrder;
      const orders = ['a', 'b'].map((client_order_id) => ({ side, amount, market, price: '1000', client_order_id }));
      const signal = AbortSignal.timeout(50);
      const listened = vi.spyOn(signal, 'addEventListener');
      const placed = calls.spot.placeLimitOrders({ orders }, { signal });
      // Node warns of many listeners.
      expect(listened).toHaveBeenCalledOnce();
      const aborted = { outcome: 'unknown', error: { kind: 'transport' } };
      await expect(placed).resolves.toMatchObject([
        { client_order_id: 'a', ...aborted },
        { client_order_id: 'b', ...aborted },
      ]);
    });

    it('reports an order that never left as not executed', async () => {
      const calls = asPromises(
        createExchange({
          ...createSandbox().clientOptions(),
          fetch: () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
          retry: { baseDelayMs: 2000, random: () => 1 },
        }),
      );
      const placed = calls.spot.placeStockMarketOrder(anOrder, { signal: AbortSignal.timeout(100) });
      await expect(placed).rejects.toMatchObject({
        outcome: 'not-executed',
        message: expect.stringContaining('aborted by its signal') as string,
      });
    });

    it('aborts a read', async () => {
      const { calls } = world();
      const controller = new AbortController();
      const read = calls.public.markets({ signal: controller.signal });
      controller.abort();
      await expect(read).rejects.toMatchObject({ outcome: 'not-executed', endpoint: 'public.markets' });
    });

    it('ends a call that its own listener aborts as it is sent', async () => {
      const { calls } = world();
      const controller = new AbortController();
      const onEvent = () => {
        controller.abort();
      };
      const order = calls.spot.placeStockMarketOrder(anOrder, { signal: controller.signal, onEvent });
      await expect(order).rejects.toThrow('aborted by its signal');
    });
  });

  it('rejects an invalid signal, and options before parameters that do not exist', async () => {
    const { calls } = world();
    const signal: never = JSON.parse('{}') as never;
    await expect(calls.public.ping({ signal })).rejects.toThrow('public.ping: signal must be an AbortSignal');
    const ping: (...args: readonly object[]) => Promise<unknown> = calls.public.ping;
    await expect(ping({}, {})).rejects.toThrow('options must be the only argument');
  });
});
