// A cancel of an OCO order whose response was lost: the caller learns how both of its orders ended.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers, within } from '../../support/fake-timers.js';

useFakeTimers();

const path = '/api/v4/order/oco-cancel';
const market = 'BTC_USDT';
const order = {
  ...({ market, side: 'buy', amount: '0.01', client_order_id: 'mine' } as const),
  ...{ price: '59000', activation_price: '61000', stop_limit_price: '61100' },
};

async function withOpenOco(historyLagMs = 0) {
  const sandbox = createSandbox({ volatility: 0, historyLagMs });
  const exchange = createExchange(sandbox.clientOptions());
  const { take_profit } = await firstValueFrom(exchange.collateral.placeOcoOrder(order));
  const cancel$ = exchange.orders.cancelOco({ market, client_order_id: 'mine' });
  return { sandbox, exchange, take_profit, cancel$ };
}

const notFound = { kind: 'api', reason: 'order-not-found' };

describe('a cancel of an OCO order whose response was lost', () => {
  it.each([
    ['filled', '58000', 'FILLED', 'CANCELED'],
    ['activated and filled', '61050', 'CANCELED', 'FILLED'],
  ])('emits one that was %s before the cancel reached the exchange', async (_, price, limit, stop) => {
    const { sandbox, cancel$ } = await withOpenOco();
    sandbox.fault({ kind: 'reset', path, executed: false });
    const results = await within(1, cancel$);
    sandbox.market(market).setPrice(price);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(results).toMatchObject([{ take_profit: { status: limit }, stop_loss: { status: stop } }]);
  });

  it('has the outcome unknown while one of its orders is still open', async () => {
    const { sandbox, cancel$, take_profit } = await withOpenOco();
    sandbox.market(market).setDepth({ levels: 1, step: 0.0005, size: '0.004' });
    sandbox.fault({ kind: 'reset', path, executed: false });
    const results = await within(1, cancel$);
    sandbox.market(market).setPrice('58000');
    const left = sandbox.ledger.orders.find(({ order_id }) => order_id === take_profit?.order_id);
    expect(left?.status).toBe('PARTIAL_FILLED');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(results).toMatchObject([{ ...notFound, outcome: 'unknown' }]);
  });

  it('does not take an earlier OCO order of the same identifier for it', async () => {
    const { sandbox, exchange, cancel$ } = await withOpenOco();
    await firstValueFrom(cancel$);
    await vi.advanceTimersByTimeAsync(10_000);
    const again = { ...order, amount: '0.02' };
    const restarted = createExchange(sandbox.clientOptions());
    await firstValueFrom(restarted.collateral.placeOcoOrder(again));
    sandbox.fault({ kind: 'reset', path, executed: true });
    const results = await within(20_000, exchange.orders.cancelOco({ market, client_order_id: 'mine' }));
    expect(results).toMatchObject([{ take_profit: { amount: '0.02' }, stop_loss: { amount: '0.02' } }]);
  });

  it('has the outcome unknown when the history does not show its orders', async () => {
    const { sandbox, cancel$ } = await withOpenOco(60_000);
    sandbox.fault({ kind: 'reset', path, executed: true });
    const results = await within(20_000, cancel$);
    expect(results).toMatchObject([{ ...notFound, outcome: 'unknown' }]);
  });
});
