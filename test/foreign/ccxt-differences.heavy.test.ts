// Where ccxt and the served sandbox disagree, and why: each of these is how the exchange publishes it. And which methods
// of ccxt the tests do not call.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasCcxt, serve, spot, swap, whitebit } from '../support/ccxt.js';

const stop = { triggerPrice: 61_000 };

describe.skipIf(!hasCcxt)('ccxt disagrees with the published interface', () => {
  it('sends stop limit orders of perpetuals to the endpoint of spot orders, which has no perpetuals', async () => {
    const { ccxt, sandbox } = await serve();
    await expect(ccxt.createOrder(swap, 'limit', 'buy', 0.01, 61_000, stop)).rejects.toThrow(
      'Market is not available.',
    );
    expect(sandbox.ledger.requests.at(-1)).toMatchObject({ path: '/api/v4/order/stop_limit', status: 422 });
  });

  it('places stop limit orders with a margin mode on spot', async () => {
    const { ccxt, ledgerOrder } = await serve();
    const { id } = await ccxt.createOrder(spot, 'limit', 'buy', 0.01, 61_000, { ...stop, marginMode: 'cross' });
    expect(ledgerOrder(id)).toMatchObject({ type: 'stop limit', collateral: false });
  });

  it('modifies by the number of the order as a text, which is published as an integer', async () => {
    const { ccxt, ledgerOrder } = await serve();
    const { id } = await ccxt.createOrder(spot, 'limit', 'buy', 0.01, 50_000);
    await expect(ccxt.editOrder(id, spot, 'limit', 'buy', 0.02, 50_000)).rejects.toThrow('field should be an integer');
    expect(ledgerOrder(id).status).toBe('NEW');
  });

  it('removes a kill switch with the text "null", where null is published', async () => {
    const { ccxt, call } = await serve();
    await ccxt.cancelAllOrdersAfter(10_000, { symbol: spot });
    await expect(ccxt.cancelAllOrdersAfter(0, { symbol: spot })).rejects.toThrow('Timeout should be at most 600.');
    expect(await call('v4PrivatePostOrderKillSwitch', { market: 'BTC_USDT', timeout: null })).toEqual([]);
  });

  it('shows every order of the history as closed, a canceled one, too', async () => {
    const { ccxt, ledgerOrder } = await serve();
    const { id } = await ccxt.createOrder(spot, 'limit', 'buy', 0.01, 50_000);
    await ccxt.cancelOrder(id, spot);
    expect(await ccxt.fetchClosedOrders(spot)).toMatchObject([{ id, status: 'closed' }]);
    expect(ledgerOrder(id).status).toBe('CANCELED');
  });

  it('does not know the type of a stop order on collateral', async () => {
    const { ccxt } = await serve();
    const { type } = await ccxt.createOrder(swap, 'market', 'buy', 0.01, undefined, stop);
    expect(type).toBe('trigger margin market');
  });

  it('reads the profit of a position from pnl, which is the unrealized profit of the position', async () => {
    const { ccxt } = await serve();
    await ccxt.createOrder(swap, 'market', 'buy', 0.01);
    const [position] = await ccxt.fetchPositions();
    expect(position).toMatchObject({ unrealizedPnl: -0.15, info: { pnl: '-0.15' } });
  });

  it('requests the position of a symbol with a parameter that the exchange does not have, and takes the first of all positions', async () => {
    const { ccxt, call } = await serve();
    await ccxt.createOrder(spot, 'market', 'buy', 0.01, undefined, { marginMode: 'cross' });
    await ccxt.createOrder(swap, 'market', 'buy', 0.02);
    const [first, second] = await ccxt.fetchPositions();
    expect([first, second]).toMatchObject([{ symbol: spot }, { symbol: swap }]);
    expect(await call('fetchPosition', swap)).toMatchObject({ symbol: spot });
  });

  it('reads the time of a funding payment as milliseconds, where seconds are published', async () => {
    const { ccxt, call, sandbox } = await serve();
    await ccxt.createOrder(swap, 'market', 'buy', 0.01);
    sandbox.clock.advance(8 * 3_600_000);
    expect(await call('fetchFundingHistory', swap)).toMatchObject([{ timestamp: sandbox.clock.now() / 1000 }]);
  });

  it('lists the limits of a market only when it has a maximum price, which no market has', async () => {
    const { call } = await serve();
    expect(await call('fetchTradingLimits')).toEqual({});
  });
});

/** Deposits, withdrawals, transfers and conversions: neither this package nor the sandbox has their endpoints. */
const withoutEndpoint: Readonly<Record<string, readonly unknown[]>> = {
  createConvertTrade: ['quote', 'USDT', 'BTC'],
  createDepositAddress: ['BTC'],
  fetchConvertQuote: ['USDT', 'BTC', 100],
  fetchConvertTradeHistory: [],
  fetchDeposit: ['id', 'BTC'],
  fetchDepositAddress: ['BTC'],
  fetchDeposits: [],
  fetchDepositsWithdrawals: [],
  fetchTransactions: [],
  fetchWithdrawals: [],
  transfer: ['USDT', 1, 'main', 'spot'],
  withdraw: ['BTC', 1, 'an address'],
};
/** What `has` names beside the methods of its REST class. */
const notRest = ['publicAPI', 'privateAPI', 'spot', 'margin', 'swap', 'createMarketOrderWs', 'fetchCurrenciesWs'];

const files = ['market-data', 'orders', 'account', 'differences'];
const tests = files
  .map((name) => readFileSync(join(import.meta.dirname, `ccxt-${name}.heavy.test.ts`), 'utf8'))
  .join('');

describe.skipIf(!hasCcxt)('the tests with ccxt', () => {
  const has = whitebit === undefined ? {} : new whitebit({}).has;
  const methods = Object.keys(has).filter((name) => has[name] === true || has[name] === 'emulated');
  const leftOut = [...Object.keys(withoutEndpoint), ...notRest];

  it.each(methods.filter((name) => !leftOut.includes(name)))('call %s', (method) => {
    expect(tests).toMatch(new RegExp(`ccxt\\.${method}\\(|'${method}'`));
  });

  it.each(Object.entries(withoutEndpoint))(
    'leave out %s, which has no endpoint in the sandbox',
    async (method, parameters) => {
      const { call, sandbox } = await serve();
      await expect(call(method, ...parameters)).rejects.toThrow('endpoint not found');
      expect(sandbox.ledger.requests.at(-1)).toMatchObject({ status: 404 });
    },
  );
});
