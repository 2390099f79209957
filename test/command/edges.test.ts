// The edges of the verbs: what they refuse, and options beside the usual ones.
import { createExchange, type Exchange } from 'exchange-rx';
import { firstValueFrom, throwError } from 'rxjs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { statusOf } from '../../src/cli/commands/wallets.js';
import { estimate } from '../../src/cli/market/estimate.js';
import { placeLimitOrder, placeMarketOrder } from '../../src/endpoints/spot/index.js';
import { servedForFile } from '../support/served.js';
import { failed } from './output.js';

const market = 'BTC_USDT';
const { server, run, startOnTerminal } = await servedForFile({ volatility: 0 });
let exchange: Exchange;

beforeAll(async () => {
  exchange = createExchange(server.clientOptions());
  await firstValueFrom(exchange.account.transfer({ ticker: 'USDT', amount: '10', from: 'main', to: 'spot' }));
  // A transfer is listed once it is executed.
  const listed$ = exchange.account.listAllTransfers({ maxItems: 1 });
  await vi.waitFor(() => firstValueFrom(listed$), { timeout: 15_000, interval: 50 });
  await firstValueFrom(exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01' }));
  await firstValueFrom(exchange.collateral.placeMarketOrder({ market, side: 'sell', amount: '0.01' }));
});

describe('exchange-rx', () => {
  it.each([
    [['deals', market, '--since', '2020-01-01'], /BTC_USDT +buy +60015/],
    [['deals', '--since', '1577836800'], /BTC_USDT +buy +60015/],
    [['deals', market, '--since', '4000000000'], /^No deals\.\n$/],
    [
      ['candles', market, '--interval', '1m', '--limit', '2', '--since', '2020-01-01'],
      /^(time|BTC_USDT has no candle)/,
    ],
    [['positions', '--market', market], /BTC_USDT +short +-?0\.01/],
    [['positions', '--market', 'ETH_USDT'], /^No position is open\.\n$/],
    [['history', 'transfers'], /10 +USDT +main +spot/],
    [['history', 'deposits', '--asset', 'USDT'], /./],
    [['orders', 'cancel-all', '--type', 'spot', '--market', market, '--yes'], /^All open spot orders of BTC_USDT are/],
  ])('%j lists or changes what the options name', async (args, printed) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(printed);
  });

  it.each([
    [['markets', 'BTC_MARS'], 2, 'unknown market BTC_MARS: "exchange-rx markets" lists all markets'],
    [['positions', 'close', market, '--side', 'long', '--yes'], 4, 'no such position is open'],
    [['positions', 'close', 'ETH_USDT', '--yes'], 4, 'no such position is open'],
    [['orders', 'modify', market, '7', '--activation-price', '50000', '--yes'], 4, ''],
    [['candles', 'BTC_MARS'], 4, 'Market is not available'],
  ])('%j ends with %i and names the problem', async (args, exitCode, problem) => {
    await failed(run(...args), exitCode, problem);
  });

  it('cancel-all --type says that its count is of all kinds', async () => {
    const command = startOnTerminal('orders', 'cancel-all', '--type', 'margin');
    await command.wrote(/Cancel all open margin orders \(\d+ of any kind are open now\) on/);
    command.type('n');
    expect((await command.ended).code).toBe(1);
  });
});

describe('the estimate of an order', () => {
  const params = { market, side: 'sell', amount: '2', client_order_id: 'a' } as const;
  const limit = { endpoint: placeLimitOrder, params: { ...params, price: '50000' } };
  const estimated = async (plan: Parameters<typeof estimate>[1], fees: Exchange['spot']['fees']) => {
    const read: Exchange = { ...exchange, spot: { ...exchange.spot, fees } };
    const { lines, data } = await firstValueFrom(estimate(read, plan, undefined));
    return { lines: lines.map(({ value }) => value), data };
  };

  it('of a market that is not listed takes the asset of its name, and knows no fee', async () => {
    const withoutKey = createExchange({ baseUrl: server.baseUrl });
    expect(await estimated(limit, () => withoutKey.spot.fees())).toEqual({
      lines: ['Proceeds: 100000 USDT', 'Fee: unknown'],
      data: { asset: 'USDT', total: '100000' },
    });
  });

  it('does not hide a fault of the program behind the fees of the market', async () => {
    const fault = new Error('fault');
    const fees$ = throwError(() => fault);
    await expect(estimated({ endpoint: placeMarketOrder, params }, () => fees$)).rejects.toBe(fault);
  });
});

it.each([
  [1, 3, 'credited'],
  [1, 9, 'canceled'],
  [1, 22, 'not credited'],
  [1, 27, 'travel rule'],
  [2, 7, 'done'],
  [2, 13, 'pending'],
  [2, 18, 'partly done'],
  [2, 99, '99'],
  [3, 7, '7'],
  [undefined, 7, '7'],
  [1, undefined, undefined],
])('a transaction of method %s and status %s is %s', (method, status, words) => {
  expect(statusOf({ method, status })).toBe(words);
});
