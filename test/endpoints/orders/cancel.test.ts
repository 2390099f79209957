// A cancel whose response was lost: the caller learns how the order ended, and not that it cannot be found.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers, within } from '../../support/fake-timers.js';

useFakeTimers();

const path = '/api/v4/order/cancel';
const historyPath = '/api/v4/trade-account/order/history';
const market = 'BTC_USDT';

async function withOpenOrder(historyLagMs = 0) {
  const sandbox = createSandbox({ volatility: 0, historyLagMs });
  const exchange = createExchange(sandbox.clientOptions());
  const order = { market, side: 'buy', amount: '0.01', price: '50000', client_order_id: 'mine' } as const;
  const { order_id } = await firstValueFrom(exchange.spot.placeLimitOrder(order));
  const requests = (to: string) => sandbox.ledger.requests.filter((request) => request.path === to).length;
  return { sandbox, exchange, order_id, requests };
}

describe('a cancel whose response was lost', () => {
  it('emits an order that was filled before the cancel reached the exchange as filled', async () => {
    const { sandbox, exchange, order_id } = await withOpenOrder();
    sandbox.fault({ kind: 'reset', path, executed: false });
    const results = await within(1, exchange.orders.cancel({ market, order_id }));
    sandbox.market(market).setPrice('49000');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(results).toMatchObject([{ order_id, status: 'FILLED', left: '0' }]);
  });

  it('ends with its lookups at callTimeoutMs', async () => {
    const { sandbox, exchange, order_id, requests } = await withOpenOrder(60_000);
    sandbox.fault({ kind: 'reset', path, executed: true });
    const results = await within(2000, exchange.orders.cancel({ market, order_id }, { callTimeoutMs: 2000 }));
    expect(results).toMatchObject([{ kind: 'timeout', outcome: 'unknown' }]);
    const lookups = requests(historyPath);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(requests(historyPath)).toBe(lookups);
  });
});

it('a cancel that was not executed is rejected, although an earlier request was not sent', async () => {
  const { sandbox, exchange, requests } = await withOpenOrder();
  sandbox.fault({ kind: 'refuse', path });
  const results = await within(20_000, exchange.orders.cancel({ market, order_id: 1 }));
  expect(results).toMatchObject([{ kind: 'api', reason: 'order-not-found', outcome: 'rejected' }]);
  expect(requests(historyPath)).toBe(0);
});
