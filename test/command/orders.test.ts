// The verbs that list and change what the account has: orders, deals, positions, wallets; and market data as lists.
import { createExchange, type Exchange } from 'exchange-rx';
import { type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { firstValueFrom } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Environment } from '../support/command.js';
import { runInProcess as run, startInProcess as start } from '../support/command-in-process.js';
import { servedForTest } from '../support/served.js';

let sandbox: Sandbox;
let server: SandboxServer;
let environment: Environment;
let exchange: Exchange;

beforeEach(async () => {
  ({ sandbox, server, environment } = await servedForTest({ volatility: 0 }));
  exchange = createExchange(server.clientOptions());
});

const market = 'BTC_USDT';
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
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
    const { code, stdout, stderr } = await run(['orders', 'list'], environment);
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
    const { stdout } = await run(['orders', 'list', '--market', market, '--json'], environment);
    expect(linesOf(stdout).map((line) => (JSON.parse(line) as { client_order_id: string }).client_order_id)).toEqual(
      expect.arrayContaining(['mine-1', 'mine-2']),
    );
    expect((await run(['orders', 'list', '--market', 'ETH_USDT'], environment)).stdout).toBe(
      'No order of ETH_USDT is open.\n',
    );
  });
});

describe('exchange-rx orders cancel', () => {
  it('names the order, and cancels it when that is confirmed', async () => {
    const { order_id } = await placeLimit('mine-1');
    const command = start(['orders', 'cancel', market, String(order_id)], environment, { isTerminal: true });
    await command.wrote(
      `Cancel order ${order_id} (mine-1): buy 0.01 BTC_USDT, limit at 50000 on ${server.baseUrl}? [y/N]`,
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
    const command = start(['orders', ...args], environment, { isTerminal: true });
    await command.wrote('[y/N]');
    command.type('n');
    expect(await command.ended).toMatchObject({ code: 1, stdout: '' });
    const unasked = await run(['orders', ...args], environment);
    expect(unasked).toMatchObject({ code: 2, stdout: '' });
    expect(unasked.stderr).toContain('stdin is not a terminal: pass --yes');
    expect(await openIds()).toEqual(['mine-1']);
  });

  it('cancels by client_order_id and by the number of a conditional order', async () => {
    await placeLimit('mine-1');
    const { oto } = await placeStopped();
    const byName = ['orders', 'cancel', market, '--client-order-id', 'mine-1', '--yes', '--json'];
    expect(JSON.parse((await run(byName, environment)).stdout)).toMatchObject({ client_order_id: 'mine-1' });
    const byNumber = ['orders', 'cancel', market, '--conditional', String(oto?.otoId ?? 0), '-y'];
    expect((await run(byNumber, environment)).code).toBe(0);
    expect(await openIds()).toEqual([]);
  });

  it('ends with 4 when no such order is open, and does not say that an order was not placed', async () => {
    const ended = await run(['orders', 'cancel', market, '--client-order-id', 'mine-9', '--yes'], environment);
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr).not.toContain('not placed');
  });

  it('ends with 5 when a lost response leaves open whether a conditional order was canceled', async () => {
    const { oto } = await placeStopped();
    sandbox.fault({ kind: 'status', path: '/api/v4/order/conditional-cancel', executed: true });
    const args = ['orders', 'cancel', market, '--conditional', String(oto?.otoId ?? 0), '--yes'];
    expect(await run(args, environment)).toMatchObject({ code: 5, stdout: '' });
  });

  it('cancel-all counts the orders in its question and cancels them', async () => {
    await placeLimit('mine-1');
    await placeLimit('mine-2');
    const command = start(['orders', 'cancel-all', '--market', market], environment, { isTerminal: true });
    await command.wrote(`Cancel all open orders of BTC_USDT (2 now) on ${server.baseUrl}?`);
    command.type('y');
    expect(await command.ended).toMatchObject({ code: 0, stdout: 'All open orders of BTC_USDT are canceled.\n' });
    expect(await openIds()).toEqual([]);
  });

  it('ends with 5 at the second Ctrl-C, because the order may be canceled or not', async () => {
    await placeLimit('mine-1');
    sandbox.fault({ kind: 'hang', path: '/api/v4/order/cancel/all', executed: true });
    const command = start(['orders', 'cancel-all', '--yes'], environment);
    await expect.poll(openIds).toEqual([]);
    command.interrupt();
    await command.wrote('The cancel is in flight. Waiting for its outcome; Ctrl-C again stops waiting.');
    await new Promise((resolve) => setTimeout(resolve, 600));
    command.interrupt();
    expect(await command.ended).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('some orders may be open. See "exchange-rx orders list".') as string,
    });
  });
});

describe('exchange-rx orders modify', () => {
  it('names the order and its new values, and modifies it', async () => {
    const { order_id } = await placeLimit('mine-1');
    const args = ['orders', 'modify', market, String(order_id), '--price', '50100'];
    const command = start(args, environment, { isTerminal: true });
    await command.wrote(`Modify order ${order_id} (mine-1): buy 0.01 BTC_USDT, limit at 50000: price 50100 on`);
    command.type('y');
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('at 50100') as string });
  });

  it('ends with 2 without a new value', async () => {
    expect(await run(['orders', 'modify', market, '7', '--yes'], environment)).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('exchange-rx orders history and deals', () => {
  it('list ended orders and their trades, and say where the list was cut', async () => {
    for (const id of ['one', 'two'])
      await firstValueFrom(
        exchange.spot.placeStockMarketOrder({ market, side: 'buy', amount: '0.01', client_order_id: id }),
      );
    const history = await run(['orders', 'history', '--max', '1'], environment);
    expect(history.stdout).toMatch(/BTC_USDT +buy stock market +.* two /);
    expect(history.stderr).toBe('Stopped at --max 1: the list may be longer.\n');
    for (const args of [['deals', market], ['deals']]) {
      const deals = await run(args, environment);
      expect(deals).toMatchObject({ code: 0, stderr: '' });
      expect(linesOf(deals.stdout)).toHaveLength(3);
      expect(deals.stdout).toMatch(/BTC_USDT +buy +60015 +0\.01 +600\.15 +0\.60015 USDT +taker +two/);
    }
  });
});

describe('exchange-rx positions', () => {
  it('lists the open positions', async () => {
    expect((await run(['positions'], environment)).stdout).toBe('No position is open.\n');
    await openPosition();
    const { stdout } = await run(['positions'], environment);
    expect(stdout).toMatch(/BTC_USDT +long +0\.01 +60015 /);
  });

  it('close names the position, and closes it', async () => {
    await openPosition();
    const command = start(['positions', 'close', market], environment, { isTerminal: true });
    await command.wrote(/Close at the market price: long 0\.01 BTC_USDT from 60015 \(PnL .*\) on http/);
    expect(await positions()).toHaveLength(1);
    command.type('y');
    expect((await command.ended).code).toBe(0);
    expect(await positions()).toEqual([]);
  });

  it('close --all --yes closes every position, and ends with 4 when none is open', async () => {
    await openPosition();
    const { code, stdout } = await run(['positions', 'close', '--all', '--yes', '--json'], environment);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, market });
    expect(await run(['positions', 'close', '--all', '--yes'], environment)).toMatchObject({ code: 4, stdout: '' });
  });
});

describe('exchange-rx balance --wallet', () => {
  it('shows the spot wallet, the collateral wallet, or all of them', async () => {
    await placeLimit('mine-1');
    expect((await run(['balance', '--wallet', 'spot'], environment)).stdout).toMatch(
      /^asset +available +in orders\n[^]*USDT +[\d.]+ +500/,
    );
    expect((await run(['balance', '--wallet', 'collateral'], environment)).stdout).toMatch(/^asset +balance\n[^]*USDT/);
    const all = await run(['balance', '--wallet', 'all'], environment);
    expect(all.stdout).toMatch(/^asset +main +spot available +spot in orders +collateral\n/);
    const { stdout } = await run(['balance', '--wallet', 'all', '--json'], environment);
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(['main', 'spot', 'collateral']);
  });

  it('--watch names the wallet of each change', async () => {
    const command = start(['balance', '--wallet', 'all', '--watch', '--interval', '0.05'], environment);
    await command.wrote('spot: asset');
    sandbox.account().deposit('BTC', '0.5', 'main');
    await command.wrote('main: BTC 3 (+0.5)');
    command.interrupt();
    expect((await command.ended).code).toBe(130);
  });
});

describe('exchange-rx transfer and deposit-address', () => {
  it('transfers nothing when it is declined', async () => {
    const command = start(['transfer', 'USDT', '10', 'main', 'spot'], environment, { isTerminal: true });
    await command.wrote(`Transfer 10 USDT from main to spot on ${server.baseUrl}? [y/N]`);
    command.type('n');
    expect(await command.ended).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringContaining('Nothing transferred: you did not confirm it.') as string,
    });
  });

  it('ends with 2 for a transfer to the same balance', async () => {
    const ended = await run(['transfer', 'USDT', '10', 'main', 'main', '--yes'], environment);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
  });

  it('shows the address of a deposit, and its minimum', async () => {
    const { code, stdout } = await run(['deposit-address', 'BTC'], environment);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^address {2}\S+\n/);
  });
});

describe('exchange-rx tickers, book and candles', () => {
  it('print tables, and JSON', async () => {
    expect((await run(['tickers', market], environment)).stdout).toMatch(/^market +last +24 h .*\nBTC_USDT +60000 /);
    expect((await run(['book', market, '--levels', '1'], environment)).stdout).toMatch(
      /^ +price +amount\nask.*\nbid.*\n$/,
    );
    const { stdout } = await run(['candles', market, '--interval', '1m', '--limit', '2', '--json'], environment);
    for (const line of linesOf(stdout)) expect(JSON.parse(line)).toHaveProperty('close');
  });

  it('tickers ends with 2 for an unknown market', async () => {
    expect(await run(['tickers', 'BTC_MARS'], environment)).toMatchObject({ code: 2, stdout: '' });
  });
});
