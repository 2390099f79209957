// An order whose response is lost ends at any moment while it is looked up: it is found, and not placed again. The
// history shows its end late.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { expect, it, vi } from 'vitest';
import { orderKinds, ocoOrderKind } from '../../support/order-kinds.js';
import { useFakeTime } from './setup.js';

useFakeTime();

const market = 'BTC_USDT';
/** From before the first lookup to after a proof. */
const moments = Array.from({ length: 11 }, (_, step) => step * 2000);
/** The lookups of all kinds follow one clock; kinds.test.ts has each kind in each state. */
const kinds = [...orderKinds.filter(({ endpoint }) => endpoint === 'spot.placeLimitOrder'), ocoOrderKind];
const cases = kinds.flatMap((kind) =>
  [true, false].flatMap((isFilled) => moments.map((endsAtMs) => ({ ...kind, isFilled, endsAtMs }))),
);

it.each(cases)(
  'an order that ends during its lookup is found: $name, filled: $isFilled, after $endsAtMs ms',
  async (one) => {
    const { place, path, amount, isFilled, endsAtMs } = one;
    const sandbox = createSandbox({ volatility: 0, historyLagMs: 2000, unkindSeed: 0 });
    const exchange = createExchange(sandbox.clientOptions());
    const first$ = place(exchange, { amount: String(2 * Number(amount)), client_order_id: 'shows-identifiers' });
    await firstValueFrom(first$);
    sandbox.fault({ kind: 'hang', path, executed: true });
    const found = firstValueFrom(place(exchange, { amount, client_order_id: 'mine' }));
    await vi.advanceTimersByTimeAsync(endsAtMs);
    if (isFilled) sandbox.market(market).setPrice('50000');
    else if (path.endsWith('/oco')) exchange.orders.cancelOco({ market, client_order_id: 'mine' }).subscribe();
    else exchange.orders.cancel({ market, client_order_id: 'mine' }).subscribe();
    await vi.advanceTimersByTimeAsync(30_000);
    const { order_id } = await found;
    const placed = sandbox.ledger.orders.filter((order) => order.amount === amount);
    expect(new Set(placed.map((order) => order.ocoId ?? order.order_id)).size).toBe(1);
    expect(placed.map((order) => order.order_id)).toContain(order_id);
  },
);

const oco = {
  ...({ market, side: 'buy', amount: '0.01', client_order_id: 'mine' } as const),
  ...{ price: '59000', activation_price: '61000', stop_limit_price: '61100' },
};

it.each([
  ['open', undefined, 'OPEN', 'OPEN'],
  ['filled', '58000', 'FILLED', 'CANCELED'],
  ['activated', '61000', 'CANCELED', 'FILLED'],
] as const)('an OCO order that is %s is found after a restart, with both orders', async (_, price, limit, stop) => {
  const sandbox = createSandbox({ volatility: 0 });
  await firstValueFrom(createExchange(sandbox.clientOptions()).collateral.placeOcoOrder(oco));
  if (price !== undefined) sandbox.market(market).setPrice(price);
  const restarted = createExchange(sandbox.clientOptions());
  const found = await firstValueFrom(restarted.orders.findOco({ market, client_order_id: 'mine' }));
  expect(found).toMatchObject({
    client_order_id: 'mine',
    take_profit: { status: limit, price: '59000' },
    stop_loss: { status: stop, price: '61100' },
  });
  expect(found.id === undefined).toBe(price !== undefined);
  const leg = await firstValueFrom(restarted.orders.find({ market, client_order_id: 'mine' }));
  expect([found.take_profit?.order_id, found.stop_loss?.order_id]).toContain(leg.order_id);
});
