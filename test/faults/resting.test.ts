// A limit order whose answer is lost rests in the book, and ends at any moment while it is looked for. The history
// shows it late.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const path = '/api/v4/order/collateral/limit';
const resting = { market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '59000', client_order_id: 'rests' } as const;
/** All moments from before the first lookup to after a proof. */
const endings = Array.from({ length: 41 }, (_, step) => step * 500);

describe('a resting order that ends during its lookup', () => {
  it.each(
    endings.flatMap((endsAtMs) => (['filled', 'cancelled'] as const).map((ending) => [ending, endsAtMs] as const)),
  )('%s after %i ms: is found, and not placed again', async (ending, endsAtMs) => {
    const sandbox = createSandbox({ volatility: 0, historyLagMs: 2000 });
    const exchange = createExchange(sandbox.clientOptions());
    await firstValueFrom(
      exchange.collateral.placeLimitOrder({ ...resting, amount: '0.02', client_order_id: 'shows-identifiers' }),
    );
    sandbox.fault({ kind: 'hang', path, executed: true });
    const found = firstValueFrom(exchange.collateral.placeLimitOrder(resting));
    await vi.advanceTimersByTimeAsync(endsAtMs);
    if (ending === 'filled') sandbox.market('BTC_USDT').setPrice('50000');
    else exchange.orders.cancel({ market: 'BTC_USDT', client_order_id: 'rests' }).subscribe();
    await vi.advanceTimersByTimeAsync(30_000);
    const { order_id } = await found;
    expect(sandbox.ledger.orders.filter(({ amount }) => amount === '0.01').map((order) => order.order_id)).toEqual([
      order_id,
    ]);
  });
});
