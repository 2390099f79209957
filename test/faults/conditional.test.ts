// An order with a stop loss that the exchange lists among the conditional orders only: it is found there, and never
// placed twice.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';

const path = '/api/v4/order/collateral/limit';
const order = {
  market: 'BTC_USDT',
  side: 'buy',
  amount: '0.01',
  price: '50000',
  stopLoss: '40000',
  client_order_id: 'mine',
} as const;

describe('an order with a stop loss that is not among the open orders', () => {
  it('is found when its response was lost, and after a restart', async () => {
    const sandbox = createSandbox({ volatility: 0, separateConditionalOrders: true });
    const exchange = createExchange(sandbox.clientOptions());
    sandbox.fault({ kind: 'reset', path, executed: true });
    const placed = await firstValueFrom(exchange.collateral.placeLimitOrder(order));
    expect(await firstValueFrom(exchange.orders.open({ market: 'BTC_USDT' }))).toEqual([]);
    const resumed = await firstValueFrom(
      createExchange(sandbox.clientOptions()).orders.find({ market: 'BTC_USDT', client_order_id: 'mine' }),
    );
    expect([placed.order_id, resumed.order_id]).toEqual([sandbox.ledger.orders[0]?.order_id, placed.order_id]);
    expect(sandbox.ledger.orders).toHaveLength(1);
  });
});
