// Arguments, options and help of the command.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInProcess as run } from '../support/command-in-process.js';
import { failed } from './output.js';

const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string;
};
const verbs = [
  ...['ping', 'balance', 'markets', 'tickers', 'book', 'candles', 'order', 'orders', 'deals', 'positions', 'withdraw'],
  ...['transfer', 'deposit-address', 'history', 'completion'],
  ...['watch', 'monitor', 'dashboard', 'record', 'sandbox'],
];

describe('exchange-rx', () => {
  it.each([
    [['trade'], "unknown command 'trade'"],
    [['order', 'trailing'], "unknown command 'trailing'"],
    [['order', 'limit', 'BTC_USDT', 'buy', '1'], "required option '--price <price>' not specified"],
    [
      ['orders', 'cancel', 'BTC_USDT', '--sandbox'],
      'one of [order-id], --client-order-id and --conditional is required',
    ],
    [['orders', 'cancel', 'BTC_USDT', '1', '--conditional', '2', '--sandbox'], 'one of [order-id]'],
    [['orders', 'modify', 'BTC_USDT', 'mine', '--price', '1'], 'Must be an integer from 1'],
    [['orders', 'history', '--since', 'soon'], 'Must be a time, such as 2026-11-28'],
    [['positions', 'close', '--sandbox'], 'either a market or --all is required'],
    [['positions', 'close', 'BTC_PERP', '--all', '--sandbox'], 'either a market or --all is required'],
    [['balance', '--wallet', 'cold'], 'Must be one of main, spot, collateral, all.'],
    [['ping', '--loud'], "unknown option '--loud'"],
    [['ping', 'now'], 'too many arguments'],
    [['ping', '--interval', '0'], 'Must be a number of seconds above 0, at most 2147483.'],
    [['ping', '--interval', 'soon'], 'Must be a number of seconds above 0, at most 2147483.'],
    [['ping', '--interval', '2147484'], 'Must be a number of seconds above 0, at most 2147483.'],
    [['order', 'stock-market', 'BTC_USDT', 'hold', '1'], 'Must be one of buy, sell.'],
    [['order', 'stock-market', 'BTC_USDT', 'buy'], "missing required argument 'amount'"],
    [['order', 'collateral-limit', 'BTC_USDT', 'buy', '1', '--price', '2', '--stp', 'never'], 'Must be one of'],
    [['record', 'BTC_USDT'], "required option '--to <folder>' not specified"],
    [['record', 'BTC_USDT', '--to', 'x', '--channel', 'depth'], 'Must be one of orderBook'],
    [['sandbox', '--port', '70000'], 'Must be an integer from 0 to 65535.'],
    [['sandbox', '--allow-origin', 'localhost:5173'], 'Must be an origin, such as http://localhost:5173.'],
    [['dashboard', '--sandbox', '--port', '0', '--market', 'bitcoin'], '"bitcoin" must be a market'],
    [['ping', '--base-url', 'http://exchange.example'], 'https'],
    [['ping', '--base-url', 'nowhere'], 'baseUrl'],
    [['orders', 'history', '--since', '99999999999999999999'], 'Must be a time'],
    [['deals', 'BTC_USDT', '--since', '1969-12-31'], 'Must be a time'],
    [['deals', 'BTC_USDT', '--max', '0'], 'Must be an integer from 1'],
    [['history', 'gifts'], 'Must be one of all, deposits, withdrawals, transfers.'],
    [['transfer', 'USDT', '1', 'main', 'cold', '--yes'], 'Must be one of main, spot, collateral.'],
    [['watch', 'book'], "missing required argument 'market'"],
    [['watch', 'ticker'], "missing required argument 'markets'"],
    [['watch', 'book', 'BTC_USDT', '--levels', '25'], 'Must be one of 1, 5, 10, 20, 30, 50, 100.'],
    [['watch', 'trades', 'bitcoin', '--sandbox'], '"bitcoin" must be a market such as "BTC_USDT"'],
    [
      ['watch', 'book', 'BTC_USDT', '--base-url', 'http://127.0.0.1:9', '--live-url', 'ws://a.example/ws'],
      'wss://exchange.example/ws',
    ],
  ])('%j ends with 2 and names the problem', async (args, message) => {
    const stderr = await failed(run(args), 2, message);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('without a verb prints its help and ends with 2', async () => {
    await failed(run([]), 2, 'Usage: exchange-rx');
  });

  it('--help lists every verb, the sources of credentials and the exit codes', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    for (const word of [...verbs, 'Credentials', 'Exit codes', 'Examples']) expect(stdout).toContain(word);
  });

  it.each(verbs)('%s --help has an example, and lists the options of every verb', async (verb) => {
    const { code, stdout } = await run([verb, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(String.raw`Examples?:\n  \$ exchange-rx ${verb}`));
    for (const option of ['--json', '--sandbox', '--base-url']) expect(stdout).toContain(option);
  });

  it('--version prints the version of the package', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});
