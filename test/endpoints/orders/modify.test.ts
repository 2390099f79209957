// Modifying an order: the modified order has another order_id, and no order is modified twice.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { useFakeTimers, within } from '../../support/fake-timers.js';
import { jsonAnswer, recordingFetch } from '../../support/recording-fetch.js';

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
});

describe('a modification whose response was lost', () => {
  it('is found although the modified order was filled at once', async () => {
    const { sandbox, exchange, order_id } = await withOpenOrder();
    sandbox.fault({ kind: 'reset', path, executed: true });
    const call$ = exchange.orders.modify({ market, order_id, client_order_id: 'mine', price: '90000' });
    const results = await within(20_000, call$);
    expect(results).toMatchObject([{ client_order_id: 'mine', status: 'FILLED' }]);
  });
});
