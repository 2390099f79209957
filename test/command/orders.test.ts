// The verbs that list and change what the account has: orders, deals, positions, wallets, withdrawals; and market data as
// lists.
import { createExchange, type Exchange } from 'exchange-rx';
import { firstValueFrom } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { servedForTest, type Served } from '../support/served.js';
import { failed, interruptAgain, interrupted, linesOf, objectsOf } from './output.js';

let served: Served;
let exchange: Exchange;

beforeEach(async () => {
  served = await servedForTest({ volatility: 0 });
  exchange = createExchange(served.server.clientOptions());
});

const market = 'BTC_USDT';
const placeLimit = (client_order_id: string, price = '50000') =>
  firstValueFrom(exchange.spot.placeLimitOrder({ market, side: 'buy', amount: '0.01', price, client_order_id }));
const placeStopped = () =>
  firstValueFrom(
    exchange.collateral.placeLimitOrder({ market, side: 'buy', amount: '0.01', price: '50000', stopLoss: '45000' }),
  );
const openIds = () =>
  firstValueFrom(exchange.orders.open({})).then((orders) => orders.map((order) => order.client_order_id));
const openPosition = () =>
  firstValueFrom(exchange.collateral.placeMarketOrder({ market, side: 'buy', amount: '0.01' }));
const positions = () => firstValueFrom(exchange.collateral.openPositions({}));

describe('exchange-rx orders list', () => {
  it('lists open orders as a table, each once, with the number of a conditional order', async () => {
    await placeLimit('mine-1');
    const { order_id, oto } = await placeStopped();
    const { code, stdout, stderr } = await served.run('orders', 'list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [head, ...rows] = linesOf(stdout);
    expect(head).toMatch(
      /^age +market +order +price +amount +filled +average +client_order_id +order_id +conditional +/,
    );
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/BTC_USDT +buy limit +50000 +0\.01 +0 +– +mine-1 /);
    expect(rows[1]).toMatch(new RegExp(` ${order_id} +${oto?.otoId ?? 0}`));
  });

  it('prints a line of JSON for each order, and says that none is open', async () => {
    await placeLimit('mine-1');
    await placeLimit('mine-2');
    const { stdout } = await served.run('orders', 'list', '--market', market, '--json');
    expect(objectsOf(stdout)).toMatchObject([{ client_order_id: 'mine-2' }, { client_order_id: 'mine-1' }]);
    expect((await served.run('orders', 'list', '--market', 'ETH_USDT')).stdout).toBe('No order of ETH_USDT is open.\n');
  });
});

describe('exchange-rx orders cancel', () => {
  it('names the order, and cancels it when that is confirmed', async () => {
    const { order_id } = await placeLimit('mine-1');
    const command = served.startOnTerminal('orders', 'cancel', market, String(order_id));
    await command.wrote(
      `Cancel order ${order_id} (mine-1): buy 0.01 BTC_USDT, limit at 50000 on ${served.server.baseUrl}? [y/N]`,
    );
    expect(await openIds()).toEqual(['mine-1']);
    command.type('y');
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('CANCELED') as string });
    expect(await openIds()).toEqual([]);
  });

  it.each([
    ['cancel', market, '--client-order-id', 'mine-1'],
    ['cancel-all'],
    ['modify', market, '7', '--price', '50100'],
  ])('%s changes nothing when it is declined, or without --yes when stdin is not a terminal', async (...args) => {
    await placeLimit('mine-1');
    const command = served.startOnTerminal('orders', ...args);
    await command.wrote('[y/N]');
    command.type('n');
    expect(await command.ended).toMatchObject({ code: 1, stdout: '' });
    await failed(served.run('orders', ...args), 2, 'stdin is not a terminal: pass --yes');
    expect(await openIds()).toEqual(['mine-1']);
  });

  it('cancels by client_order_id and by the number of a conditional order', async () => {
    await placeLimit('mine-1');
    const { oto } = await placeStopped();
    const byName = ['orders', 'cancel', market, '--client-order-id', 'mine-1', '--yes', '--json'];
    expect(JSON.parse((await served.run(...byName)).stdout)).toMatchObject({ client_order_id: 'mine-1' });
    const byNumber = ['orders', 'cancel', market, '--conditional', String(oto?.otoId ?? 0), '-y'];
    expect((await served.run(...byNumber)).code).toBe(0);
    expect(await openIds()).toEqual([]);
  });

  it.each([
    [4, 'when no such order is open', 'orders cancel BTC_USDT --client-order-id mine-9'],
    [2, 'without a new value of an order', 'orders modify BTC_USDT 7'],
    [2, 'for a transfer to the same balance', 'transfer USDT 10 main main'],
    [2, 'for an unknown market', 'tickers BTC_MARS'],
  ])('ends with %i %s, and does not say that an order was not placed', async (code, _, words) => {
    const approval = words.startsWith('tickers') ? [] : ['--yes'];
    const ended = await served.run(...words.split(' '), ...approval);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).not.toContain('not placed');
  });

  it('ends with 5 when a lost response leaves open whether a conditional order was canceled', async () => {
    const { oto } = await placeStopped();
    served.sandbox.fault({ kind: 'status', path: '/api/v4/order/conditional-cancel', executed: true });
    const args = ['orders', 'cancel', market, '--conditional', String(oto?.otoId ?? 0), '--yes'];
    expect(await served.run(...args)).toMatchObject({ code: 5, stdout: '' });
  });

  it('cancel-all counts the orders in its question and cancels them', async () => {
    await placeLimit('mine-1');
    await placeLimit('mine-2');
    const command = served.startOnTerminal('orders', 'cancel-all', '--market', market);
    await command.wrote(`Cancel all open orders of BTC_USDT (2 now) on ${served.server.baseUrl}?`);
    command.type('y');
    expect(await command.ended).toMatchObject({ code: 0, stdout: 'All open orders of BTC_USDT are canceled.\n' });
    expect(await openIds()).toEqual([]);
  });

  it('ends with 5 at the second Ctrl-C, because the order may be canceled or not', async () => {
    await placeLimit('mine-1');
    served.sandbox.fault({ kind: 'hang', path: '/api/v4/order/cancel/all', executed: true });
    const command = served.start('orders', 'cancel-all', '--yes');
    await expect.poll(openIds).toEqual([]);
    command.interrupt();
    await command.wrote('The cancel is in flight. Waiting for its outcome; Ctrl-C again stops waiting.');
    await interruptAgain(command);
    await failed(command.ended, 5, 'some orders may be open. See "exchange-rx orders list".');
  });
});

it('exchange-rx orders modify names the order and its new values, and modifies it', async () => {
  const { order_id } = await placeLimit('mine-1');
  const args = ['orders', 'modify', market, String(order_id), '--price', '50100'];
  const command = served.startOnTerminal(...args);
  await command.wrote(`Modify order ${order_id} (mine-1): buy 0.01 BTC_USDT, limit at 50000: price 50100 on`);
  command.type('y');
  expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('at 50100') as string });
});

it('exchange-rx orders history and deals list ended orders and their trades, and say where the list was cut', async () => {
  for (const id of ['one', 'two'])
    await firstValueFrom(
      exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01', client_order_id: id }),
    );
  const history = await served.run('orders', 'history', '--max', '1');
  expect(history.stdout).toMatch(/BTC_USDT +buy stock market +.* two /);
  expect(history.stderr).toBe('Stopped at --max 1: the list may be longer.\n');
  for (const args of [['deals', market], ['deals']]) {
    const deals = await served.run(...args);
    expect(deals).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf(deals.stdout)).toHaveLength(3);
    expect(deals.stdout).toMatch(/BTC_USDT +buy +60015 +0\.01 +600\.15 +0\.60015 USDT +taker +two/);
  }
});

describe('exchange-rx positions', () => {
  it('close names the position, and closes it', async () => {
    await openPosition();
    const command = served.startOnTerminal('positions', 'close', market);
    await command.wrote(/Close at the market price: long 0\.01 BTC_USDT from 60015 \(PnL .*\) on http/);
    expect(await positions()).toHaveLength(1);
    command.type('y');
    expect((await command.ended).code).toBe(0);
    expect(await positions()).toEqual([]);
  });

  it('close --all --yes closes every position, and ends with 4 when none is open', async () => {
    await openPosition();
    const { code, stdout } = await served.run('positions', 'close', '--all', '--yes', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, market });
    expect(await served.run('positions', 'close', '--all', '--yes')).toMatchObject({ code: 4, stdout: '' });
  });
});

describe('exchange-rx balance --wallet', () => {
  it('shows the spot wallet, the collateral wallet, or all of them', async () => {
    await placeLimit('mine-1');
    expect((await served.run('balance', '--wallet', 'spot')).stdout).toMatch(
      /^asset +available +in orders\n[^]*USDT +[\d.]+ +500/,
    );
    expect((await served.run('balance', '--wallet', 'collateral')).stdout).toMatch(/^asset +balance\n[^]*USDT/);
    const all = await served.run('balance', '--wallet', 'all');
    expect(all.stdout).toMatch(/^asset +main +spot available +spot in orders +collateral\n/);
    const { stdout } = await served.run('balance', '--wallet', 'all', '--json');
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(['main', 'spot', 'collateral']);
  });

  it('--watch names the wallet of each change', async () => {
    const command = served.start('balance', '--wallet', 'all', '--watch', '--interval', '0.05');
    await command.wrote('spot: asset');
    served.sandbox.account().deposit('BTC', '0.5', 'main');
    await command.wrote('main: BTC 3 (+0.5)');
    await interrupted(command);
  });
});

describe('exchange-rx transfer and deposit-address', () => {
  it('transfers nothing when it is declined', async () => {
    const command = served.startOnTerminal('transfer', 'USDT', '10', 'main', 'spot');
    await command.wrote(`Transfer 10 USDT from main to spot on ${served.server.baseUrl}? [y/N]`);
    command.type('n');
    await failed(command.ended, 1, 'Nothing transferred: you did not confirm it.');
  });

  it('shows the address of a deposit, and its minimum', async () => {
    const { code, stdout } = await served.run('deposit-address', 'BTC');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^address {2}\S+\n/);
  });
});

it('exchange-rx tickers, book and candles print tables, and JSON', async () => {
  expect((await served.run('tickers', market)).stdout).toMatch(/^market +last +24 h .*\nBTC_USDT +60000 /);
  expect((await served.run('book', market, '--levels', '1')).stdout).toMatch(/^ +price +amount\nask.*\nbid.*\n$/);
  const { stdout } = await served.run('candles', market, '--interval', '1m', '--limit', '2', '--json');
  for (const candle of objectsOf(stdout)) expect(candle).toHaveProperty('close');
});

const address = 'TQ1vNh5Eq2ys9sA2mJrGzRsbdHVnYs3kbb';
const withdrawal = ['withdraw', 'USDT', '120', address, '--network', 'TRC20', '--unique-id', 'w-1'];
const shown = ['amount   120 USDT, with the fee', 'fee      1 USDT', 'network  TRC20', `address  ${address}`].join(
  '\n',
);
const sent = () => served.sandbox.ledger.requests.filter(({ path }) => path === '/api/v4/main-account/withdraw').length;

describe('exchange-rx withdraw', () => {
  it('shows amount, fee, network and address, and refuses without --yes when stdin is not a terminal', async () => {
    const refusal = 'stdin is not a terminal: pass --yes to withdraw without confirmation';
    expect(await failed(served.run(...withdrawal), 2, refusal)).toBe(`${shown}\n${refusal}\n`);
    expect(sent()).toBe(0);
  });

  it('shows them with --yes, too, before it sends the withdrawal once', async () => {
    const { stderr } = await served.run(...withdrawal, '--yes');
    expect(stderr).toContain(`${shown}\nSending withdrawal w-1 to ${served.server.baseUrl}.\n`);
    expect(stderr).not.toContain('allowWithdrawals');
    expect(sent()).toBe(1);
  });

  it.each([
    ['y', 1],
    ['n', 0],
    ['', 0],
  ])('sends it for the confirmation %j %i times', async (answer, times) => {
    const started = served.startOnTerminal(...withdrawal);
    await started.wrote(`Withdraw on ${served.server.baseUrl}? [y/N]`);
    expect(sent()).toBe(0);
    started.type(answer);
    const { stderr } = await started.ended;
    expect(sent()).toBe(times);
    expect(stderr.includes('Not withdrawn: you did not confirm it.')).toBe(times === 0);
  });

  it.each([
    ['an amount that is not a number', ['withdraw', 'USDT', 'much', address, '--network', 'TRC20'], 'amount'],
    ['an unknown asset', ['withdraw', 'NONE', '120', address], 'no fee of NONE is published'],
    ['an unknown network', ['withdraw', 'USDT', '120', address, '--network', 'XRC'], 'pass --network'],
    ['no network of an asset with several', ['withdraw', 'USDT', '120', address], '--network'],
  ])('refuses %s, and sends nothing', async (_, args, text) => {
    await failed(served.run(...args, '--yes'), 2, text);
    expect(sent()).toBe(0);
  });
});
