// An OCO order whose response is lost is found while it is open, and when one of its orders has ended it. The history
// shows its orders late.
import { createExchange, ocoLookup } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const path = '/api/v4/order/collateral/oco';
const market = 'BTC_USDT';
const order = {
  ...({ market, side: 'buy', amount: '0.01', client_order_id: 'mine' } as const),
  ...{ price: '59000', activation_price: '61000', stop_limit_price: '61100' },
};
const first = { ...order, amount: '0.02', client_order_id: 'shows-identifiers' };

/** All moments from before the first lookup to after a proof. */
const moments = Array.from({ length: 21 }, (_, step) => step * 1000);
const endings = ['filled', 'activated', 'canceled'] as const;

describe.each([false, true])(
  'an OCO order, listed among the conditional orders only: %s',
  (separateConditionalOrders) => {
    it.each(endings.flatMap((ending) => moments.map((endsAtMs) => [ending, endsAtMs] as const)))(
      '%s %i ms after its response was lost is found, and not placed again',
      async (ending, endsAtMs) => {
        const sandbox = createSandbox({ volatility: 0, historyLagMs: 2000, separateConditionalOrders });
        const exchange = createExchange(sandbox.clientOptions());
        await firstValueFrom(exchange.collateral.placeOcoOrder(first));
        sandbox.fault({ kind: 'hang', path, executed: true });
        const found = firstValueFrom(exchange.collateral.placeOcoOrder(order));
        await vi.advanceTimersByTimeAsync(endsAtMs);
        if (ending === 'filled') sandbox.market(market).setPrice('58000');
        else if (ending === 'activated') sandbox.market(market).setPrice('61500');
        else exchange.orders.cancelOco({ market, client_order_id: 'mine' }).subscribe();
        await vi.advanceTimersByTimeAsync(30_000);
        const { client_order_id, take_profit, stop_loss } = await found;
        const placed = sandbox.ledger.orders.filter(({ amount }) => amount === '0.01');
        expect(client_order_id).toBe('mine');
        expect([placed.length, new Set(placed.map(({ ocoId }) => ocoId)).size]).toEqual([2, 1]);
        const reported = [take_profit, stop_loss].flatMap((leg) => leg?.order_id ?? []);
        expect(reported.length).toBeGreaterThan(0);
        for (const order_id of reported) expect(placed.map((leg) => leg.order_id)).toContain(order_id);
        if (take_profit !== undefined) expect(take_profit.price).toBe('59000');
        if (stop_loss !== undefined) expect(stop_loss.price).toBe('61100');
      },
    );
  },
);

describe('an OCO order after a restart', () => {
  it.each([
    ['open', undefined, 'NEW', 'NEW'],
    ['filled', '58000', 'FILLED', 'CANCELED'],
    ['activated', '61000', 'CANCELED', 'FILLED'],
  ] as const)('that is %s is found by its identifier, with both of its orders', async (_, price, limit, stop) => {
    const sandbox = createSandbox({ volatility: 0, dialect: 'spec' });
    await firstValueFrom(createExchange(sandbox.clientOptions()).collateral.placeOcoOrder(order));
    if (price !== undefined) sandbox.market(market).setPrice(price);
    const restarted = createExchange(sandbox.clientOptions());
    const found = await firstValueFrom(restarted.findOrder(ocoLookup, { market, client_order_id: 'mine' }));
    expect(found).toMatchObject({
      client_order_id: 'mine',
      take_profit: { status: limit, price: '59000' },
      stop_loss: { status: stop, price: '61100' },
    });
    expect(found.id === undefined).toBe(price !== undefined);
    const leg = await firstValueFrom(restarted.orders.find({ market, client_order_id: 'mine' }));
    expect([found.take_profit?.order_id, found.stop_loss?.order_id]).toContain(leg.order_id);
  });
});
