// The sandbox responds to private requests in the published shape; the responses to placed orders are in
// test/sandbox/published-interface.test.ts.
import { createExchange } from 'exchange-rx';
import { firstValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { differencesOf, publishedDescription } from '../support/published-shape.js';
import { sendRaw, setup } from './setup.js';

const market = 'BTC_USDT';
const perpetual = 'BTC_PERP';
const oco = { market, side: 'buy', amount: '0.01', price: '50000', activation_price: '70000' } as const;
const ofOco = { ...oco, stop_limit_price: '70100' };
const mine = { market, clientOrderId: 'mine' };

/** An account with orders, positions, an OCO order, a kill switch and a funding payment, at no whole second. */
async function world() {
  const markets = [market, perpetual].map((name) => ({ name, price: '60000' }));
  const { sandbox } = setup({ clock: 'manual', markets });
  const exchange = createExchange({ ...sandbox.clientOptions(), now: () => sandbox.clock.now(), retry: false });
  const { collateral, orders, spot } = exchange;
  await firstValueFrom(spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01' }));
  const taking = { side: 'buy', amount: '0.1', price: '61000', ioc: true } as const;
  await firstValueFrom(collateral.placeLimitOrder({ market, ...taking, stopLoss: '50000' }));
  await firstValueFrom(collateral.placeLimitOrder({ market: perpetual, ...taking }));
  sandbox.clock.advance(8 * 3_600_000 + 500.25);
  await firstValueFrom(
    collateral.placeLimitOrder({ market: perpetual, ...taking, side: 'sell', amount: '0.2', price: '59000' }),
  );
  const bid = { market, side: 'buy', amount: '0.01', price: '50000' } as const;
  await firstValueFrom(collateral.placeLimitOrder({ ...bid, client_order_id: 'mine' }));
  await firstValueFrom(collateral.placeOcoOrder({ ...ofOco, client_order_id: 'oco' }));
  await firstValueFrom(orders.setKillSwitch({ market, timeout: 60, types: ['margin'] }));
  return { sandbox };
}

/** Not published, but seen: the ratio, and the status of an order that rests. */
const seen = /^response\.maintenanceMarginFraction is not published$|is "OPEN"$/;

it.each([
  ['collateral-account/positions/open', {}],
  ['collateral-account/positions/history', {}],
  ['collateral-account/positions/closed-pnl', {}],
  ['collateral-account/funding-history', { market: perpetual }],
  ['collateral-account/adl-quantile', {}],
  ['collateral-account/hedge-mode', {}],
  ['collateral-account/balance-summary', {}],
  ['collateral-account/summary', {}],
  ['trade-account/balance', {}],
  ['trade-account/balance', { ticker: 'BTC' }],
  ['trade-account/executed-history', { market }],
  ['trade-account/executed-history', {}],
  ['trade-account/order', { orderId: 4_180_000_000 }],
  ['trade-account/order/history/query', {}],
  ['market/fee', {}],
  ['order/cancel/all', {}],
  ['order/cancel/bulk', { orders: [mine, { market, orderId: 1 }] }],
  ['order/kill-switch/status', {}],
  ['order/collateral/oco', { ...ofOco, clientOrderId: 'another' }],
  ['order/oco-cancel', { market, clientOrderId: 'oco' }],
  ['oco-orders', {}],
  ['conditional-orders', {}],
])('the sandbox responds to %s with %j in the published shape', async (end, fields) => {
  const one = await world();
  const path = `/api/v4/${end}`;
  if (end.endsWith('query')) one.sandbox.market(market).delist();
  const { status, body } = await sendRaw(one, path, fields);
  const published = publishedDescription.find((endpoint) => endpoint.path === path);
  const isBare = end === 'trade-account/balance' && 'ticker' in fields;
  const differences = differencesOf(isBare ? { BTC: body } : body, published?.response ?? {});
  expect([status, differences.filter((difference) => !seen.test(difference))]).toEqual([200, []]);
  // All orders are canceled without a word.
  if (end !== 'order/cancel/all') expect(JSON.stringify(body).length).toBeGreaterThan(5);
});
