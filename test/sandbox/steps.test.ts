// Price and amount steps of markets, as on the live exchange since September 2026: checked by value, with an error code
// of their own and the field as the key.
import { createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { sendRaw } from '../contract/setup.js';

const limitPath = '/api/v4/order/collateral/limit';
const accounts = [{ name: 'main', balances: { collateral: { USDT: '1000000' }, trade: { USDT: '1000000' } } }];
describe('a market with tickSize and stepSize', () => {
  const steps = { tickSize: '0.5', stepSize: '0.0025', minAmount: '0.0025' };
  const markets = [{ name: 'BTC_USDT', price: '60000', ...steps }];
  const sandbox = createSandbox({ volatility: 0, markets, accounts });
  const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '50000' } as const;

  it('lists its steps', async () => {
    const [market] = await firstValueFrom(createExchange(sandbox.clientOptions()).public.markets());
    expect(market).toMatchObject({ tickSize: '0.5', stepSize: '0.0025' });
  });

  it.each([
    ['amount', '0.011'],
    ['price', '50000.25'],
    ['stopLoss', '40000.1'],
    ['takeProfit', '70000.1'],
  ])('rejects a %s that is not a multiple of its step, with a code of its own', async (field, value) => {
    const rejection = await sendRaw({ sandbox }, limitPath, { ...order, [field]: value });
    expect(rejection).toMatchObject({ status: 422, body: { code: 1, errors: { [field]: [expect.any(String)] } } });
  });

  it('accepts multiples, and any amount of money for a market buy', async () => {
    const { spot, collateral } = createExchange({ ...sandbox.clientOptions(), checkOrders: true });
    const multiples = { amount: '0.0125', price: '50000.5', stopLoss: '40000.5' };
    await firstValueFrom(collateral.placeLimitOrder({ ...order, ...multiples }));
    const bought = await firstValueFrom(spot.placeMarketOrder({ market: 'BTC_USDT', side: 'buy', amount: '1000.01' }));
    expect(bought.deal_stock).toBe('0.015');
  });
});
