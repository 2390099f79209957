// Perpetual markets: their list, their index and funding rate, and the steps in which they trade on collateral.
import { createSandbox, type Sandbox } from 'exchange-rx/sandbox';
import { describe, expect, it } from 'vitest';
import { read, sendRaw } from '../contract/setup.js';

const hourMs = 3_600_000;
const limit = '/api/v4/order/collateral/limit';

const open = (options = {}) =>
  createSandbox({
    clock: 'manual',
    markets: [
      { name: 'BTC_USDT', price: '60000' },
      { name: 'BTC_PERP', price: '60030', stockPrec: 3, minAmount: '0.001', maxLeverage: 20 },
      { name: 'PEPE_PERP', price: '0.00001', moneyPrec: 8, stockPrec: -6, minAmount: '1000000' },
    ],
    ...options,
  });

const futuresOf = async (sandbox: Sandbox) =>
  (await read<{ result: Record<string, unknown>[] }>(sandbox, '/api/v4/public/futures')).result;

describe('a perpetual', () => {
  it('is listed with the prices of its book and trades, its index and its funding rate', async () => {
    const sandbox = open({ volatility: 0 });
    const [bitcoin, pepe, ...others] = await futuresOf(sandbox);
    expect(others).toEqual([]);
    expect(bitcoin).toMatchObject({
      ...{ ticker_id: 'BTC_PERP', stock_currency: 'BTC', money_currency: 'USDT', open_interest: '0', max_leverage: 20 },
      ...{ last_price: '60030', bid: '60014.99', ask: '60045.01', high: '60030', low: '60030' },
      ...{ mark_price: '60030', index_price: '60000', brackets: { 1: 50_000_000, 20: 2_500_000 } },
      // The premium of 0.05 %, and interest of 0.01 %.
      funding_rate: '0.0006',
      next_funding_rate_timestamp: String(sandbox.clock.now() + 8 * hourMs),
    });
    expect(pepe).toMatchObject({ ticker_id: 'PEPE_PERP', index_price: '0.00001', funding_rate: '0.0001' });
    expect(await read(sandbox, '/api/v4/public/collateral/markets')).toMatchObject({
      result: ['BTC_USDT', 'BTC_PERP', 'PEPE_PERP'],
    });
  });

  it('moves as its index does', () => {
    const sandbox = open();
    sandbox.clock.advance(hourMs);
    const ratio = Number(sandbox.market('BTC_PERP').price()) / Number(sandbox.market('BTC_USDT').price());
    expect(sandbox.market('BTC_USDT').price()).not.toBe('60000');
    expect(ratio).toBeCloseTo(60_030 / 60_000, 4);
  });

  it('trades on collateral in its own steps, in USDT', async () => {
    const sandbox = open({ volatility: 0 });
    const order = { market: 'PEPE_PERP', side: 'buy', price: '0.000011' };
    const errors = { amount: ['The amount must be a multiple of 1000000.'] };
    const refused = await sendRaw({ sandbox }, limit, { ...order, amount: '1500000' });
    expect(refused).toMatchObject({ status: 422, body: { code: 1, errors } });
    const placed = await sendRaw({ sandbox }, limit, { ...order, amount: '2000000' });
    expect(placed).toMatchObject({ status: 200, body: { status: 'FILLED', feeAsset: 'USDT' } });
    expect((await futuresOf(sandbox))[1]).toMatchObject({ open_interest: '2000000' });
  });
});

const history = (sandbox: Sandbox, query = '') =>
  read<unknown[]>(sandbox, `/api/v4/public/funding-history/BTC_PERP${query}`);

it('the funding history has a settlement every 8 hours, newest first, page by page and by date', async () => {
  const sandbox = open({ volatility: 0 });
  const start = sandbox.clock.now() / 1000;
  expect(await history(sandbox)).toEqual([]);
  sandbox.clock.advance(8 * hourMs);
  sandbox.market('BTC_PERP').setPrice('70000');
  sandbox.clock.advance(17 * hourMs);
  const at = (count: number) => String(start + (count * 8 * hourMs) / 1000);
  const settlement = (count: number, fundingRate: string, settlementPrice: string) => {
    const rateCalculatedTime = String(Number(at(count)) - 60);
    return { fundingTime: at(count), fundingRate, market: 'BTC_PERP', settlementPrice, rateCalculatedTime };
  };
  const all = await history(sandbox);
  // The premium of the later two is above the cap.
  expect(all).toEqual([
    ...[3, 2].map((count) => settlement(count, '0.0075', '70000')),
    settlement(1, '0.0006', '60030'),
  ]);
  expect(await history(sandbox, '?limit=1&offset=1')).toEqual(all.slice(1, 2));
  expect(await history(sandbox, `?startDate=${at(2)}`)).toEqual(all.slice(0, 2));
  expect(await history(sandbox, `?startDate=${at(1)}&endDate=${at(2)}`)).toEqual(all.slice(1));
});
