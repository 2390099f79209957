// The verbs with responses that the sandbox does not send: fields that are absent, fees of another kind, hedged positions.
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { runInProcess } from '../support/command-in-process.js';
import { portOf } from '../support/raw-server.js';

/** Runs the command against an exchange that has these responses, by the end of their paths. */
async function run(responses: Readonly<Record<string, unknown>>, ...args: readonly string[]) {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname;
    const found = Object.entries(responses).find(([end]) => path.endsWith(end));
    response.setHeader('content-type', 'application/json');
    response.statusCode = found === undefined ? 404 : 200;
    response.end(JSON.stringify(found?.[1] ?? { code: 404, message: 'none' }));
  });
  return runInProcess(args, {
    EXCHANGE_BASE_URL: `http://127.0.0.1:${await portOf(server)}`,
    EXCHANGE_API_KEY: 'key-of-this-test',
    EXCHANGE_API_SECRET: 'secret-of-this-test',
  });
}

const rowsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));

describe('exchange-rx positions', () => {
  const open = [
    { positionId: 1, market: 'BTC_USDT', amount: '0.1' },
    { positionId: 2, market: 'BTC_USDT', amount: '-0.2', positionSide: 'BOTH', unrealizedPnl: '5' },
    { positionId: 3, market: 'ETH_PERP', amount: '0.3', positionSide: 'SHORT', unrealizedPnl: '-1', basePrice: '3000' },
  ];

  it('shows sides of one-way and hedged positions, and a dash for what is absent', async () => {
    const { stdout } = await run({ '/positions/open': open }, 'positions');
    expect(rowsOf(stdout).slice(1)).toEqual([
      ['–', 'BTC_USDT', 'long', '0.1', '–', '–', '–', '–', '–', '–', '1'],
      ['–', 'BTC_USDT', 'short', '-0.2', '–', '+5', '–', '–', '–', '–', '2'],
      ['–', 'ETH_PERP', 'short', '0.3', '3000', '-1', '–', '–', '–', '–', '3'],
    ]);
  });

  it('close --side closes the positions of that side only', async () => {
    const responses = { '/positions/open': open, '/position/close': { orderId: 7, status: 'FILLED' } };
    const { stdout } = await run(responses, 'positions', 'close', '--all', '--side', 'long', '--yes');
    expect(stdout).toBe('Closed long 0.1 BTC_USDT.\n');
  });

  it('close names the side of a hedged position', async () => {
    const responses = { '/positions/open': open.slice(2), '/position/close': { orderId: 7, status: 'FILLED' } };
    const { stdout } = await run(responses, 'positions', 'close', 'ETH_PERP', '--yes');
    expect(stdout).toBe('Closed short 0.3 ETH_PERP from 3000 (PnL -1).\n');
  });
});

const market = (name: string) => ({
  ...{ name, stock: 'BTC', money: 'USDT', stockPrec: '6', moneyPrec: '2', feePrec: '4', minAmount: '0.0001' },
  ...{ makerFee: '0.2', takerFee: '0.3', minTotal: '1', maxTotal: '10000000', tradesEnabled: true },
  ...{ isCollateral: true, type: name.endsWith('_PERP') ? 'futures' : 'spot' },
});
const asks = ['100', '110'].map((price) => [price, '1']);
const book = { ticker_id: 'BTC_USDT', timestamp: 1, asks, bids: [['90', '1']] };
const fees = { taker: '0.1', maker: '0.1', futures_taker: '0.055', futures_maker: '0.01' };
const responses = {
  '/public/markets': [market('BTC_USDT'), market('BTC_PERP')],
  '/orderbook/BTC_USDT': book,
  '/orderbook/BTC_PERP': { ...book, ticker_id: 'BTC_PERP' },
  '/market/fee': fees,
};

const custom = { ...fees, custom_fee: { BTC_USDT: { taker: '0.05', maker: '-0.01' } } };
const notRead = ', by the fees of the market: those of the account were not read';
/** Of 100 USDT, whose fees are as many USDT as percent. */
const both = (taker: string, maker: string) =>
  `${taker} USDT as taker (${taker} %), ${maker} USDT as maker (${maker} %)`;
it.each([
  ['stock-market BTC_USDT buy 1.5', fees, 'Cost: 155 USDT, by the order book now', '0.155 USDT as taker (0.1 %)'],
  ['stock-market BTC_USDT sell 0.5', fees, 'Proceeds: 45 USDT, by the order book now', '0.045 USDT as taker (0.1 %)'],
  ['collateral-limit BTC_PERP buy 1 --price 100', fees, 'Value: 100 USDT', both('0.055', '0.01')],
  ['limit BTC_USDT buy 1 --price 100', custom, 'Cost: 100 USDT', both('0.05', '-0.01')],
  ['limit BTC_USDT buy 1 --price 100', undefined, 'Cost: 100 USDT', `${both('0.3', '0.2')}${notRead}`],
])('exchange-rx order %s --dry-run shows what the order would cost', async (words, given, cost, fee) => {
  const { stdout } = await run({ ...responses, '/market/fee': given }, 'order', ...words.split(' '), '--dry-run');
  expect(stdout.trim().split('\n').slice(1)).toEqual([cost, `Fee: ${fee}`]);
});

describe('exchange-rx withdraw and deposit-address', () => {
  const fee = (ticker: string, withdraw: unknown) => ({
    ...{ ticker, name: ticker, providers: [], deposit: {}, withdraw },
    ...{ is_depositable: true, is_withdrawal: true, is_api_withdrawal: true, is_api_depositable: true },
  });

  it.each([
    ['a fixed fee', { fixed: '1', flex: null }, '1 XLM'],
    ['a fee in percent', { fixed: null, flex: { percent: '2', min_fee: '0', max_fee: '0' } }, '2 %'],
    ['both', { fixed: '1', flex: { percent: '2', min_fee: '0', max_fee: '0' } }, '1 XLM and 2 %'],
    ['no fee', { fixed: null, flex: null }, 'not published'],
    ['nothing of withdrawals', undefined, 'not published'],
  ])('shows %s, the memo, and the only network of an asset', async (_, withdraw, written) => {
    const fees = { '/public/fee': { XLM: fee('XLM', withdraw) } };
    const { stderr } = await run(fees, 'withdraw', 'XLM', '40', 'GDTSOI56XNVAKJNJ', '--memo', '778');
    expect(stderr).toContain(
      `amount   40 XLM, with the fee\nfee      ${written}\nnetwork  the only one of the asset\naddress  GDTSOI56XNVAKJNJ, memo 778`,
    );
  });

  it('shows the memo of an address, and the bounds of a deposit', async () => {
    const deposit = {
      account: { address: 'GDTSOI56', memo: '485' },
      required: { fixedFee: '0', flexFee: null, maxAmount: '500', minAmount: '1' },
    };
    const { stdout } = await run({ '/main-account/address': deposit }, 'deposit-address', 'XLM');
    expect(stdout).toBe(
      'address  GDTSOI56\nmemo     485 (a deposit without it is not credited)\nminimum  1 XLM (a smaller deposit is lost)\nmaximum  500 XLM\n',
    );
  });

  it('shows an address about which nothing else is known', async () => {
    const { stdout } = await run({ '/main-account/address': { account: { address: 'a' } } }, 'deposit-address', 'BTC');
    expect(stdout).toBe('address  a\n');
  });
});

describe('exchange-rx history and balance', () => {
  const list = (records: readonly object[]) => ({
    '/main-account/history': { limit: 100, offset: 0, total: 2, records },
  });

  it.each([['all'], ['deposits'], ['withdrawals']])('history %s lists an asset in words', async (kind) => {
    const { stdout } = await run(
      list([
        { method: 1, amount: '5', ticker: 'XLM', status: 3 },
        { amount: '6', ticker: 'XLM', status: 3, createdAt: 1795824000 },
      ]),
      ...['history', kind, '--asset', 'XLM'],
    );
    expect(rowsOf(stdout).slice(1)).toEqual([
      ['unknown time', 'deposit', '5', 'XLM', '–', 'credited', '–', '–', '–'],
      ['2026-11-28T00:00:00Z', '–', '6', 'XLM', '–', '3', '–', '–', '–'],
    ]);
  });

  it('balance says that the account is empty', async () => {
    const empty = { '/main-account/balance': {}, '/trade-account/balance': {}, '/collateral-account/balance': {} };
    expect((await run(empty, 'balance', '--wallet', 'all')).stdout).toBe('The account is empty.\n');
    expect((await run(empty, 'balance', '--wallet', 'spot')).stdout).toBe('The spot account is empty.\n');
    expect(await run(empty, 'balance')).toEqual({ code: 0, stdout: 'The main account is empty.\n', stderr: '' });
  });

  it('tickers and deals show a dash for what is absent', async () => {
    const ticker = {
      BTC_USDT: { last_price: '1', base_volume: '2', isFrozen: false },
      ETH_USDT: { last_price: '3', change: '-2' },
    };
    expect((await run({ '/public/ticker': ticker }, 'tickers')).stdout).toMatch(
      /BTC_USDT +1 +– +2 +–\nETH_USDT +3 +-2 % +– +–/,
    );
    const deal = { id: 1, time: 1795824000, side: 'buy', price: '2', amount: '3', deal: '6', fee: '0.1' };
    const { stdout } = await run({ '/executed-history': { BTC_USDT: [deal] } }, 'deals');
    expect(rowsOf(stdout)[1]).toEqual(['2026-11-28T00:00:00Z', 'BTC_USDT', 'buy', '2', '3', '6', '0.1', '–']);
  });
});

it('exchange-rx orders modify names an order that has no client_order_id and no type', async () => {
  const order = { orderId: 7, clientOrderId: '', market: 'BTC_USDT', side: 'buy', timestamp: 1, price: '5' };
  const { stdout } = await run(
    { '/api/v4/orders': [order], '/order/modify': { ...order, orderId: 8, price: '6' } },
    ...['orders', 'modify', 'BTC_USDT', '7', '--price', '6', '--yes'],
  );
  expect(stdout).toBe('Order 8 (): buy BTC_USDT, order at 6. Placed.\n');
});
