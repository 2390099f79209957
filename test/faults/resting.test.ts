// An order whose answer is lost rests in the book, or waits for its trigger, and ends at any moment while it is looked
// for. The history shows it late.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { orderKinds } from '../support/order-kinds.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const market = 'BTC_USDT';
const kinds = orderKinds.filter(({ endpoint, is, isLinked }) => {
  const isFilledByOneMove = is === 'resting' || endpoint.endsWith('MarketOrder');
  return is !== 'filled' && !isLinked && isFilledByOneMove;
});
/** All moments from before the first lookup to after a proof. */
const endings = Array.from({ length: 41 }, (_, step) => step * 500);

describe.each(kinds)('$name that ends during its lookup', ({ place, path, amount, is }) => {
  it.each(
    endings.flatMap((endsAtMs) => (['filled', 'cancelled'] as const).map((ending) => [ending, endsAtMs] as const)),
  )('%s after %i ms: is found, and not placed again', async (ending, endsAtMs) => {
    const sandbox = createSandbox({ volatility: 0, historyLagMs: 2000 });
    const exchange = createExchange(sandbox.clientOptions());
    await firstValueFrom(place(exchange, { amount: String(2 * Number(amount)), client_order_id: 'shows-identifiers' }));
    sandbox.fault({ kind: 'hang', path, executed: true });
    const found = firstValueFrom(place(exchange, { amount, client_order_id: 'mine' }));
    await vi.advanceTimersByTimeAsync(endsAtMs);
    if (ending === 'filled') sandbox.market(market).setPrice(is === 'waiting' ? '65000' : '50000');
    else exchange.orders.cancel({ market, client_order_id: 'mine' }).subscribe();
    await vi.advanceTimersByTimeAsync(30_000);
    const { order_id } = await found;
    expect(sandbox.ledger.orders.filter((order) => order.amount === amount).map((order) => order.order_id)).toEqual([
      order_id,
    ]);
  });
});
