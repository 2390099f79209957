// Modifying an order: the modified order has another order_id, and no order is modified twice.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom, type Observable } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers } from '../../support/fake-timers.js';
import { jsonAnswer, recordingFetch } from '../../support/recording-fetch.js';
import { watch } from '../../support/watch.js';

useFakeTimers();

const path = '/api/v4/order/modify';
const market = 'BTC_USDT';
const limit = { market, side: 'buy', amount: '0.01', price: '50000', client_order_id: 'mine' } as const;

async function withOpenOrder() {
  const sandbox = createSandbox({ volatility: 0 });
  const exchange = createExchange(sandbox.clientOptions());
  const { order_id } = await firstValueFrom(exchange.spot.placeLimitOrder(limit));
  const orders = () =>
    sandbox.ledger.orders.map(({ client_order_id, price, amount, status }) => [client_order_id, price, amount, status]);
  return { sandbox, exchange, order_id, orders };
}

describe('a modification', () => {
  it('emits the order under its new order_id, with its client_order_id', async () => {
    const { exchange, order_id, orders } = await withOpenOrder();
    const modified = await firstValueFrom(exchange.orders.modify({ market, order_id, price: '50100' }));
    expect(modified).toMatchObject({ client_order_id: 'mine', price: '50100', amount: '0.01' });
    expect(modified.order_id).toBeGreaterThan(order_id);
    expect(orders()).toEqual([
      ['mine', '50000', '0.01', 'CANCELED'],
      ['mine', '50100', '0.01', 'NEW'],
    ]);
  });

  it('changes the amount of a limit order, and the activation price of a stop order', async () => {
    const { exchange, order_id } = await withOpenOrder();
    const amount = await firstValueFrom(exchange.orders.modify({ market, order_id, amount: '0.02' }));
    expect(amount).toMatchObject({ amount: '0.02', price: '50000' });
    const order = { market, side: 'buy', amount: '0.01', price: '70000', activation_price: '69000' } as const;
    const stop = await firstValueFrom(exchange.spot.placeStopLimitOrder(order));
    const moved = await firstValueFrom(
      exchange.orders.modify({ market, order_id: stop.order_id, activation_price: '69500' }),
    );
    expect(moved).toMatchObject({ type: 'stop limit', activation_price: '69500', price: '70000' });
  });

  it('that breaks a rule of the market is rejected, and the order stands', async () => {
    const { exchange, order_id, orders } = await withOpenOrder();
    const results = watch(exchange.orders.modify({ market, order_id, price: '50100.001' }));
    await vi.advanceTimersByTimeAsync(100);
    expect(results).toMatchObject([{ kind: 'api', reason: 'step', outcome: 'rejected' }]);
    expect(orders()).toEqual([['mine', '50000', '0.01', 'NEW']]);
  });

  it('does not send client_order_id, by which the modified order is looked up', async () => {
    const order = { ...limit, order_id: 8, type: 'limit', status: 'OPEN' };
    const { fetch, sent } = recordingFetch(() => jsonAnswer([order]));
    const exchange = createExchange({
      baseUrl: 'https://exchange.example',
      credentials: { apiKey: 'key', apiSecret: 'secret' },
      fetch,
    });
    const params = { market, order_id: 7, client_order_id: 'mine', activation_price: '5' } as const;
    expect(await firstValueFrom(exchange.orders.modify(params))).toMatchObject({ order_id: 8 });
    const { nonce: _nonce, nonceWindow: _window, ...body } = JSON.parse(sent[0]?.body ?? '') as Record<string, unknown>;
    expect(body).toEqual({
      request: path,
      market,
      order_id: 7,
      orderId: 7,
      activation_price: '5',
      activationPrice: '5',
    });
  });

  it.each([
    [{ market, order_id: 7 }, 'amount'],
    [{ market, order_id: 7, amount: '1', total: '1' }, 'total'],
    [{ market, client_order_id: 'mine', price: '1' }, 'order_id'],
    [{ market, order_id: 7, price: '0' }, 'price'],
  ])('%j fails before it is sent, and names %s', (params, field) => {
    const exchange = createExchange(createSandbox().clientOptions());
    const modify = exchange.orders.modify as (given: unknown) => Observable<unknown>;
    expect(watch(modify(params))).toMatchObject([{ kind: 'request', outcome: 'not-executed', issues: [{ field }] }]);
  });
});

describe('a modification whose response was lost', () => {
  it('is found although the modified order was filled at once', async () => {
    const { sandbox, exchange, order_id } = await withOpenOrder();
    sandbox.fault({ kind: 'reset', path, executed: true });
    const results = watch(exchange.orders.modify({ market, order_id, client_order_id: 'mine', price: '90000' }));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(results).toMatchObject([{ client_order_id: 'mine', status: 'FILLED' }]);
  });
});
