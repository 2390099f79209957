// Price and amount steps of markets, as on the live exchange since September 2026: checked by value, with an error code
// of their own and the field as the key.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';

const steps = { tickSize: '0.5', stepSize: '0.0025' };
const markets = [{ name: 'BTC_USDT', price: '60000', minAmount: '0.0025', ...steps }];
const sandbox = createSandbox({ volatility: 0, markets });
const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '50000' } as const;

it.each([
  ['amount', '0.011'],
  ['price', '50000.25'],
  ['stopLoss', '40000.1'],
  ['takeProfit', '70000.1'],
])('a %s that is not a multiple of its step is rejected, with a code of its own', async (field, value) => {
  const rejection = await sendRaw({ sandbox }, '/api/v4/order/collateral/limit', { ...order, [field]: value });
  expect(rejection).toMatchObject({ status: 422, body: { code: 1, errors: { [field]: [expect.any(String)] } } });
});

it('multiples of the listed steps are accepted, and any amount of money for a market buy', async () => {
  const exchange = createExchange({ ...sandbox.clientOptions(), checkOrders: true });
  expect(await firstValueFrom(exchange.public.markets())).toMatchObject([steps]);
  const multiples = { amount: '0.0125', price: '50000.5', stopLoss: '40000.5' };
  await firstValueFrom(exchange.collateral.placeLimitOrder({ ...order, ...multiples }));
  const bought = await firstValueFrom(
    exchange.spot.placeMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '1000.01' }),
  );
  expect(bought.deal_stock).toBe('0.015');
});
