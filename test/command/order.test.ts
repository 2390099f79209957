// `exchange-rx order` as a process: checked, agreed to, one order, and an exit code that says what became of it.
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environmentOf, runCommand, startCommand, type Environment } from '../support/command.js';

let sandbox: Sandbox;
let server: SandboxServer;
let environment: Environment;

beforeEach(async () => {
  sandbox = createSandbox();
  server = await sandbox.listen();
  environment = environmentOf(server);
});

afterEach(() => server.close());

const buy = ['order', 'stock-market', 'BTC_USDT', 'buy', '0.01'];
const placing = '/api/v4/order/stock_market';
/** What is said before an order is sent: its identifier, and where it goes. */
const told = expect.stringMatching(/^Placing order \S+ on http:\/\/127\.0\.0\.1:\d+\.\n$/) as string;
const placed = () => sandbox.ledger.orders.map(({ market, side, amount }) => `${side} ${amount} ${market}`);

describe('exchange-rx order', () => {
  it('places an order and says what became of it', async () => {
    const { code, stdout, stderr } = await runCommand([...buy, '--yes'], environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: told });
    expect(stdout).toMatch(
      /^Order \d+ \(.+\): buy 0\.01 BTC_USDT, stock market\. FILLED; filled 0\.01 for \d+\.\d+\.\n$/,
    );
    expect(placed()).toEqual(['buy 0.01 BTC_USDT']);
  });

  it('places market and limit orders, with their conditions and your identifier', async () => {
    const market = await runCommand(
      ['order', 'market', 'BTC_USDT', 'buy', '100', '-y', '--json', '--client-order-id', 'mine-7'],
      environment,
    );
    expect(JSON.parse(market.stdout)).toMatchObject({ client_order_id: 'mine-7', side: 'buy' });
    const conditions = ['--post-only', '--stop-loss', '45000', '--take-profit', '55000', '--stp', 'cancel_new'];
    const limit = await runCommand(
      ['order', 'limit', 'BTC_USDT', 'buy', '0.01', '50000', '--yes', '--json', ...conditions],
      environment,
    );
    expect({ code: limit.code, stderr: limit.stderr }).toEqual({ code: 0, stderr: told });
    expect(JSON.parse(limit.stdout)).toMatchObject({ price: '50000', postOnly: true });
    expect(sandbox.ledger.orders).toHaveLength(2);
  });

  it('--dry-run checks it and places nothing, with an identifier or without', async () => {
    const { code, stdout } = await runCommand([...buy, '--dry-run'], environment);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Nothing is wrong with it, and nothing was sent: buy 0.01 BTC_USDT at the market\n',
    });
    const json = await runCommand([...buy, '--dry-run', '--json'], environment);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: true, params: { market: 'BTC_USDT', amount: '0.01' } });
    expect(placed()).toEqual([]);
  });

  it.each([
    ['an amount that is none', ['order', 'stock-market', 'BTC_USDT', 'buy', 'much'], 'amount'],
    ['an amount below the least', ['order', 'stock-market', 'BTC_USDT', 'buy', '0.00000001'], 'amount'],
    ['a market that is not there', ['order', 'stock-market', 'BTC_MARS', 'buy', '1'], 'market'],
    [
      'conditions that exclude each other',
      ['order', 'limit', 'BTC_USDT', 'buy', '0.01', '50000', '--ioc', '--post-only'],
      'ioc',
    ],
  ])('refuses %s, names the field and places nothing, whether it is a rehearsal or not', async (_, words, field) => {
    for (const mode of ['--dry-run', '--yes']) {
      const { code, stdout, stderr } = await runCommand([...words, mode], environment);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(field);
    }
    expect(placed()).toEqual([]);
  });

  it('places nothing when there is nobody to ask', async () => {
    const { code, stderr } = await runCommand(buy, environment);
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'there is nobody to ask: give --yes to place the order\n' });
    expect(placed()).toEqual([]);
  });

  it('ends with 4 when the exchange refuses', async () => {
    const { code, stdout, stderr } = await runCommand(
      ['order', 'stock-market', 'BTC_USDT', 'sell', '99999', '--yes'],
      environment,
    );
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('it was not placed');
    expect(placed()).toEqual([]);
  });

  it.each([
    ['was lost after the order was placed', { kind: 'status', executed: true }],
    ['ends in the middle', { kind: 'cut' }],
  ] as const)('is one order when its answer %s', async (_, fault) => {
    sandbox.fault({ ...fault, path: placing });
    expect(await runCommand([...buy, '--yes'], environment)).toMatchObject({ code: 0, stderr: told });
    expect(placed()).toEqual(['buy 0.01 BTC_USDT']);
  });

  it.each([
    ['are not there', {}, 3],
    ['are not accepted', { EXCHANGE_API_KEY: 'a', EXCHANGE_API_SECRET: 'b' }, 3],
  ])('resume ends at once when credentials %s', async (_, credentials, code) => {
    const { EXCHANGE_BASE_URL = '' } = environment;
    const ended = await runCommand(['order', 'resume', 'mine-8', 'BTC_USDT'], { EXCHANGE_BASE_URL, ...credentials });
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).not.toContain('not placed');
  });

  it('resume ends at once when what it is asked for can be no order', async () => {
    expect(await runCommand(['order', 'resume', 'what is this?', 'BTC_USDT'], environment)).toMatchObject({
      code: 2,
      stdout: '',
    });
  });

  it('is followed to its end though nobody reads what is said of it', async () => {
    sandbox.fault({ kind: 'slow', path: placing, delayMs: 1500 });
    const command = startCommand([...buy, '--yes'], environment);
    await expect.poll(placed, { timeout: 15_000 }).toHaveLength(1);
    command.closePipe('stderr');
    command.interrupt();
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('FILLED') as string });
  });

  it('is not left by the first Ctrl-C: what becomes of it is found out', async () => {
    sandbox.fault({ kind: 'slow', path: placing, delayMs: 1500 });
    const command = startCommand([...buy, '--yes'], environment);
    await expect.poll(placed, { timeout: 15_000 }).toHaveLength(1);
    // npm passes on the Ctrl-C that the terminal has sent: that is one.
    command.interrupt();
    command.interrupt();
    await command.wrote('Ctrl-C again leaves that open');
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('FILLED') as string });
  });

  it('is left by the second, which says how to find out', async () => {
    sandbox.fault({ kind: 'hang', path: placing, executed: true });
    const command = startCommand([...buy, '--yes', '--client-order-id', 'mine-9'], environment);
    await expect.poll(placed, { timeout: 15_000 }).toHaveLength(1);
    command.interrupt();
    await command.wrote('Ctrl-C again');
    await sleep(600);
    command.interrupt();
    expect(await command.ended).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('exchange-rx order resume mine-9 BTC_USDT') as string,
    });
  });
});
