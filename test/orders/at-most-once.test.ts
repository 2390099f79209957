// Promise 2: an order observable is one order.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { first, firstValueFrom, repeat, toArray } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from '../support/failure.js';

const path = '/api/v4/order/stock_market';
const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const;

function setup() {
  const sandbox = createSandbox({ volatility: 0 });
  return { sandbox, exchange: createExchange(sandbox.clientOptions()) };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('an order observable is one order', () => {
  it('concurrent and later subscribers, and a repeat, share one request and its order', async () => {
    const { sandbox, exchange } = setup();
    const order$ = exchange.spot.placeStockMarketOrder(order);
    const [first, second] = await Promise.all([firstValueFrom(order$), firstValueFrom(order$)]);
    const later = await firstValueFrom(order$.pipe(repeat(2), toArray()));
    expect([second, ...later]).toEqual([first, first, first]);
    expect(sandbox.ledger.requests).toHaveLength(1);
  });

  it('an order in doubt whose key is switched off meanwhile is not looked up in vain: its outcome is unknown, and the error says why', async () => {
    vi.useFakeTimers();
    const { sandbox, exchange } = setup();
    sandbox.fault({ kind: 'status', path, times: 1, executed: true });
    const order$ = exchange.spot.placeStockMarketOrder(order);
    exchange.events$.pipe(first(({ type }) => type === 'order')).subscribe(() => {
      sandbox.account().setKeyEnabled(false);
    });
    const failure = failureOf(order$);
    await vi.advanceTimersByTimeAsync(100);
    expect(await failure).toMatchObject({
      outcome: 'unknown',
      client_order_id: sandbox.ledger.orders[0]?.client_order_id,
      cause: { reason: 'key-disabled' },
    });

    sandbox.account().setKeyEnabled(true);
    const found = firstValueFrom(order$);
    await vi.advanceTimersByTimeAsync(100);
    expect(await found).toMatchObject({ order_id: sandbox.ledger.orders[0]?.order_id });
    expect(sandbox.ledger.orders).toHaveLength(1);
  });

  it('an order that another client placed with the same identifier long before is not mistaken for the order', async () => {
    vi.useFakeTimers();
    const { sandbox, exchange: ended } = setup();
    ended.spot.placeStockMarketOrder({ ...order, client_order_id: 'daily' }).subscribe();
    await vi.advanceTimersByTimeAsync(600_000);
    const exchange = createExchange(sandbox.clientOptions());
    exchange.spot.placeStockMarketOrder({ ...order, client_order_id: 'shows-identifiers' }).subscribe();
    await vi.advanceTimersByTimeAsync(100);
    sandbox.fault({ kind: 'reset', path });
    const events: string[] = [];
    exchange.events$.subscribe((event) => events.push(event.type === 'order' ? event.progress : event.type));
    const placed = firstValueFrom(
      exchange.spot.placeStockMarketOrder({ ...order, client_order_id: 'daily' }, { validForMs: 60_000 }),
    );
    await vi.advanceTimersByTimeAsync(20_000);
    const second = await placed;
    expect(sandbox.ledger.orders.map(({ order_id }) => order_id)).toEqual([
      expect.any(Number),
      expect.any(Number),
      second.order_id,
    ]);
    expect(events.filter((event) => event === 'absent')).toHaveLength(1);
    vi.useRealTimers();
  });

  it('with checkOrders, a bad order and an order that cannot be checked are not sent', async () => {
    const { sandbox } = setup();
    const exchange = createExchange({ ...sandbox.clientOptions(), checkOrders: true, retry: false });
    sandbox.fault({ kind: 'status', path: '/api/v4/public/markets', times: 1 });
    const order$ = exchange.spot.placeStockMarketOrder(order);
    expect(await failureOf(order$)).toMatchObject({
      kind: 'request',
      outcome: 'not-executed',
      cause: { kind: 'unavailable' },
    });
    expect(await failureOf(exchange.spot.placeStockMarketOrder({ ...order, amount: '0.0123456789' }))).toMatchObject({
      issues: [
        { field: 'amount', message: '"0.0123456789" is not a multiple of 0.000001, the amount step of BTC_USDT' },
      ],
    });
    expect(await failureOf(exchange.spot.placeStockMarketOrder({ ...order, market: 'NO_SUCH' }))).toMatchObject({
      outcome: 'not-executed',
    });
    expect(sandbox.ledger.requests.filter((request) => request.path === path)).toEqual([]);
    expect((await firstValueFrom(order$)).status).toBe('FILLED');
  });
});
