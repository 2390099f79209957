// ccxt reads the account on the served sandbox: balances, positions, funding, leverage and sub-accounts.
import { describe, expect, it } from 'vitest';
import { hasCcxt, serve, spot, swap } from '../support/ccxt.js';

const hourMs = 3_600_000;
const numbers = (balances: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(balances).map(([asset, amount]) => [asset, Number(amount)]));

describe.skipIf(!hasCcxt)('ccxt on the served sandbox', () => {
  it('fetchBalance: each wallet, and what open orders freeze', async () => {
    const { ccxt, call, sandbox } = await serve();
    await ccxt.createOrder(spot, 'limit', 'buy', 0.01, 50_000);
    await ccxt.createOrder(spot, 'market', 'buy', 0.01);
    const { main, trade, collateral } = sandbox.ledger.balances();
    const total = numbers(trade);
    expect(await call('fetchBalance')).toMatchObject({
      ...{ total, used: { USDT: 500.5, BTC: 0 } },
      free: { ...total, USDT: expect.closeTo(Number(trade['USDT']) - 500.5, 6) as number },
    });
    expect(await call('fetchBalance', { account: 'main' })).toMatchObject({ total: numbers(main) });
    expect(await call('fetchBalance', { type: 'swap' })).toMatchObject({ total: numbers(collateral) });
  });

  it('fetchPositions, fetchPosition, fetchBorrowInterest: the open position', async () => {
    const { ccxt, call, sandbox } = await serve();
    await ccxt.createOrder(swap, 'market', 'buy', 0.02);
    sandbox.market('BTC_PERP').setPrice('61000');
    const [fill] = sandbox.ledger.fills;
    const entryPrice = Number(fill?.price);
    const position = { symbol: swap, entryPrice, timestamp: fill?.at, info: { amount: '0.02', unrealizedPnl: '19.7' } };
    expect(await call('fetchPositions')).toMatchObject([position]);
    expect(await call('fetchPositions', [spot])).toEqual([]);
    expect(await call('fetchPosition', swap)).toMatchObject(position);
    expect(await call('fetchBorrowInterest')).toMatchObject([{ symbol: swap, amountBorrowed: 0.02 }]);
  });

  it('fetchPositionHistory: every change of a position, with its profit less its fee', async () => {
    const { ccxt, call, sandbox } = await serve();
    await ccxt.createOrder(swap, 'market', 'sell', 0.02);
    sandbox.market('BTC_PERP').setPrice('59000');
    await ccxt.createOrder(swap, 'market', 'buy', 0.02);
    const profit = sandbox.ledger.balanceChanges.find(({ reason }) => reason === 'profit');
    const closing = sandbox.ledger.fills.at(-1);
    expect(await call('fetchPositionHistory', swap)).toMatchObject([
      { symbol: swap, realizedPnl: expect.closeTo(Number(profit?.delta) - Number(closing?.fee), 6) as number },
      { symbol: swap, entryPrice: Number(sandbox.ledger.fills[0]?.price) },
    ]);
  });

  it('fetchFundingHistory: what a position paid', async () => {
    const { ccxt, call, sandbox } = await serve();
    await ccxt.createOrder(swap, 'market', 'buy', 0.02);
    sandbox.clock.advance(8 * hourMs);
    const paid = sandbox.ledger.balanceChanges.find(({ reason }) => reason === 'funding');
    expect(await call('fetchFundingHistory', swap)).toMatchObject([{ symbol: swap, amount: Number(paid?.delta) }]);
  });

  it('fetchAccounts: the first page of the sub-accounts', async () => {
    const { call } = await serve({ subAccountCount: 3 });
    expect(await call('fetchAccounts')).toMatchObject(
      [1, 2, 3].map((number) => ({ type: 'subaccount', name: `trading_bot_${number}` })),
    );
  });

  it('setLeverage: changes the margin of the next order', async () => {
    const { ccxt, call, sandbox } = await serve({
      accounts: [{ name: 'main', balances: { collateral: { USDT: '1000' } } }],
    });
    await expect(ccxt.createOrder(swap, 'limit', 'buy', 0.3, 50_000)).rejects.toMatchObject({
      name: 'InsufficientFunds',
    });
    expect(await call('setLeverage', 20)).toMatchObject({ leverage: 20 });
    await ccxt.createOrder(swap, 'limit', 'buy', 0.3, 50_000);
    expect(sandbox.ledger.orders).toMatchObject([{ status: 'NEW' }]);
  });

  it('throws AuthenticationError for a wrong secret', async () => {
    const { ccxt, sandbox } = await serve({}, { secret: 'wrong' });
    await expect(ccxt.fetchOpenOrders()).rejects.toMatchObject({ name: 'AuthenticationError' });
    expect(sandbox.ledger.requests.at(-1)).toMatchObject({ status: 401 });
  });

  it('throws DDoSProtection above a rate limit', async () => {
    const { ccxt } = await serve({ limits: { orders: { limit: 1, windowMs: 10_000 } } });
    await ccxt.fetchOpenOrders();
    await expect(ccxt.fetchOpenOrders()).rejects.toMatchObject({ name: 'DDoSProtection' });
  });
});
