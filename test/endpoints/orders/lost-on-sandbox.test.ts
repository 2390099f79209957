// Cancels and modifications whose response was lost, on the sandbox: the caller learns how the order ended, and not that
// it cannot be found.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { useFakeTimers, within } from '../../support/fake-timers.js';
import { clientThatGets } from '../../support/recording-fetch.js';

useFakeTimers();

const historyPath = '/api/v4/trade-account/order/history';
const market = 'BTC_USDT';
const limit = { market, side: 'buy', amount: '0.01', price: '50000', client_order_id: 'mine' } as const;
const ocoOrder = { ...limit, price: '59000', activation_price: '61000', stop_limit_price: '61100' };

function world(historyLagMs = 0) {
  const sandbox = createSandbox({ volatility: 0, historyLagMs });
  return {
    sandbox,
    exchange: createExchange(sandbox.clientOptions()),
    lose: (change: string, executed: boolean) => {
      sandbox.fault({ kind: 'reset', path: `/api/v4/order/${change}`, executed });
    },
    lookups: () => sandbox.ledger.requests.filter(({ path }) => path === historyPath).length,
  };
}

async function withOpenOrder(historyLagMs?: number) {
  const { exchange, ...rest } = world(historyLagMs);
  const { order_id } = await firstValueFrom(exchange.spot.placeLimitOrder(limit));
  return { ...rest, exchange, order_id };
}

describe('a cancel whose response was lost', () => {
  it('emits an order that was filled before the cancel reached the exchange as filled', async () => {
    const { sandbox, exchange, order_id, lose } = await withOpenOrder();
    lose('cancel', false);
    const results = await within(1, exchange.orders.cancel({ market, order_id }));
    sandbox.market(market).setPrice('49000');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(results).toMatchObject([{ order_id, status: 'FILLED', left: '0' }]);
  });

  it('ends with its lookups at callTimeoutMs', async () => {
    const { exchange, order_id, lose, lookups } = await withOpenOrder(60_000);
    lose('cancel', true);
    const results = await within(2000, exchange.orders.cancel({ market, order_id }, { callTimeoutMs: 2000 }));
    expect(results).toMatchObject([{ kind: 'timeout', outcome: 'unknown' }]);
    const before = lookups();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(lookups()).toBe(before);
  });
});

it('a cancel that was not executed is rejected, although an earlier request was not sent', async () => {
  const { sandbox, exchange, lookups } = await withOpenOrder();
  sandbox.fault({ kind: 'refuse', path: '/api/v4/order/cancel' });
  const results = await within(20_000, exchange.orders.cancel({ market, order_id: 1 }));
  expect(results).toMatchObject([{ kind: 'api', reason: 'order-not-found', outcome: 'rejected' }]);
  expect(lookups()).toBe(0);
});

it.each([
  ['filled', '58000', 'FILLED', 'CANCELED'],
  ['activated and filled', '61050', 'CANCELED', 'FILLED'],
])(
  'a cancel of an OCO order whose response was lost emits one that was %s before the cancel reached the exchange',
  async (_, price, take_profit, stop_loss) => {
    const { sandbox, exchange, lose } = world();
    await firstValueFrom(exchange.collateral.placeOcoOrder(ocoOrder));
    lose('oco-cancel', false);
    const results = await within(1, exchange.orders.cancelOco({ market, client_order_id: 'mine' }));
    sandbox.market(market).setPrice(price);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(results).toMatchObject([{ take_profit: { status: take_profit }, stop_loss: { status: stop_loss } }]);
  },
);

it('a modification does not send client_order_id, by which the modified order is looked up', async () => {
  const { exchange, sent } = clientThatGets([[{ ...limit, order_id: 8, type: 'limit', status: 'OPEN' }]]);
  const params = { market, order_id: 7, client_order_id: 'mine', activation_price: '5' } as const;
  expect(await firstValueFrom(exchange.orders.modify(params))).toMatchObject({ order_id: 8 });
  const { nonce: _nonce, nonceWindow: _window, ...body } = JSON.parse(sent[0]?.body ?? '') as Record<string, unknown>;
  expect(body).toEqual({
    ...{ request: '/api/v4/order/modify', market },
    ...{ order_id: 7, orderId: 7, activation_price: '5', activationPrice: '5' },
  });
});
