// A cancel by the number of a conditional order, whose response was lost: no list shows whether it was executed.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers } from '../../support/fake-timers.js';
import { watch } from '../../support/watch.js';

useFakeTimers();

const market = 'BTC_USDT';
const paths = { cancelOto: '/api/v4/order/oto-cancel', cancelConditional: '/api/v4/order/conditional-cancel' } as const;
const notFound = { kind: 'api', reason: 'order-not-found' };

describe.each(['cancelOto', 'cancelConditional'] as const)('%s', (method) => {
  async function withOpenOto() {
    const sandbox = createSandbox({ volatility: 0 });
    const exchange = createExchange(sandbox.clientOptions());
    const order = { market, side: 'buy', amount: '0.01', price: '50000', stopLoss: '45000' } as const;
    const { oto } = await firstValueFrom(exchange.collateral.placeLimitOrder(order));
    const id = oto?.otoId ?? 0;
    const { orders } = exchange;
    const cancel$ =
      method === 'cancelOto' ? orders.cancelOto({ market, otoId: id }) : orders.cancelConditional({ market, id });
    return { sandbox, cancel$ };
  }

  it('has the outcome unknown when an earlier subscription may have canceled the order', async () => {
    const { sandbox, cancel$ } = await withOpenOto();
    sandbox.fault({ kind: 'hang', path: paths[method], executed: true });
    const subscription = cancel$.subscribe();
    await vi.advanceTimersByTimeAsync(100);
    subscription.unsubscribe();
    const results = watch(cancel$);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sandbox.ledger.orders).toMatchObject([{ status: 'CANCELED' }]);
    expect(results).toMatchObject([{ ...notFound, outcome: 'unknown' }]);
  });

  it('is rejected when the order was canceled by a request whose response arrived', async () => {
    const { cancel$ } = await withOpenOto();
    expect(await firstValueFrom(cancel$)).toEqual([]);
    const results = watch(cancel$);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(results).toMatchObject([{ ...notFound, outcome: 'rejected' }]);
  });
});
