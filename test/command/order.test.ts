// `exchange-rx order`: check, confirmation, one order, and an exit code for its outcome.
import { beforeEach, describe, expect, it } from 'vitest';
import { runInProcess as run } from '../support/command-in-process.js';
import { servedForTest, type Served } from '../support/served.js';
import { failed, interruptAgain } from './output.js';

let served: Served;

beforeEach(async () => {
  served = await servedForTest({ volatility: 0 });
});

const buy = ['order', 'stock-market', 'BTC_USDT', 'buy', '0.01'];
/** The arguments of an order, in words: its kind, side and amount, then options. */
function argsOf(words: string): readonly string[] {
  const [kind = '', ...rest] = words.split(' ');
  return ['order', kind, 'BTC_USDT', ...rest];
}
const oco = 'oco buy 0.01 --price 50000 --activation-price 70000 --stop-limit-price 70100';
const placePath = '/api/v4/order/stock_market';
/** Logged before an order is sent: its client_order_id and the exchange. */
const placingLine = expect.stringMatching(/^Placing order \S+ on http:\/\/127\.0\.0\.1:\d+\.\n$/) as string;
const placed = () => served.sandbox.ledger.orders.map(({ market, side, amount }) => `${side} ${amount} ${market}`);

describe('exchange-rx order', () => {
  it('places an order and prints its result', async () => {
    const { code, stdout, stderr } = await served.run(...buy, '--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: placingLine });
    expect(stdout).toMatch(
      /^Order \d+ \(.+\): buy 0\.01 BTC_USDT, stock market\. FILLED; filled 0\.01 for \d+\.\d+\.\n$/,
    );
    expect(placed()).toEqual(['buy 0.01 BTC_USDT']);
  });

  it.each([
    ['stock-market buy 0.01', 'at market price', 'Cost: 600.15 USDT, by the order book now', '0.60015'],
    ['stock-market sell 99', 'at market price', 'Proceeds: unknown, the order book is too thin', undefined],
    ['market buy 100', 'at market price', 'Cost: 100 USDT', '0.1'],
    ['limit buy 0.01 --price 50000', 'at 50000', 'Cost: 500 USDT', '0.5'],
    ['stop sell 0.01 --activation-price 45000', 'at market price, activated at 45000', 'Proceeds: 450 USDT', '0.45'],
    [oco, 'at 50000, activated at 70000 with limit 70100', 'Value: 500 USDT', '0.5'],
  ])('order %s --dry-run checks the order, shows cost and fee and sends none', async (words, price, cost, fee) => {
    const args = [...argsOf(words), '--dry-run'];
    const { code, stdout } = await served.run(...args);
    expect(code).toBe(0);
    const [, side, amount] = words.split(' ');
    expect(stdout).toContain(`Valid. Not sent (--dry-run): ${side} ${amount} BTC_USDT ${price}\n${cost}`);
    if (fee !== undefined) expect(stdout).toContain(`Fee: ${fee} USDT as taker (0.1 %)`);
    const json = await served.run(...args, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: true,
      params: { market: 'BTC_USDT' },
      estimate: fee === undefined ? {} : { takerFee: fee },
    });
    expect(placed()).toEqual([]);
  });

  it('--dry-run shows the fee of the market without credentials', async () => {
    const { EXCHANGE_BASE_URL = '' } = served.environment;
    const { code, stdout } = await run([...buy, '--dry-run'], { EXCHANGE_BASE_URL });
    expect(code).toBe(0);
    expect(stdout).toContain('Fee: 0.60015 USDT as taker (0.1 %), by the fees of the market');
  });

  it.each([
    ['limit buy 0.01 --price 50000 --post-only', { price: '50000', postOnly: true }],
    ['stop sell 0.01 --activation-price 45000', { activation_price: '45000' }],
    ['stop sell 0.01 --activation-price 45000 --price 44900', { activation_price: '45000', price: '44900' }],
    ['market buy 100 --client-order-id mine-7', { client_order_id: 'mine-7', side: 'buy' }],
    [
      'collateral-limit buy 0.01 --price 50000 --post-only --stop-loss 45000 --take-profit 55000 --stp cancel_new',
      { price: '50000', postOnly: true },
    ],
    ['collateral-market buy 0.01', { side: 'buy' }],
    ['collateral-stop buy 0.01 --activation-price 70000', { activation_price: '70000' }],
    ['collateral-stop buy 0.01 --activation-price 70000 --price 70100', { price: '70100' }],
    [oco, { take_profit: { price: '50000' } }],
  ])('places order %s', async (words, order) => {
    const { code, stdout, stderr } = await served.run(...argsOf(words), '--yes', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: placingLine });
    expect(JSON.parse(stdout)).toMatchObject(order);
    expect(placed()).not.toEqual([]);
  });

  it.each([
    ['an amount that is not a number', argsOf('stock-market buy much'), 'amount'],
    ['an amount below the minimum', argsOf('stock-market buy 0.00000001'), 'amount'],
    ['an unknown market', ['order', 'stock-market', 'BTC_MARS', 'buy', '1'], 'market'],
    ['conditions that exclude each other', argsOf('collateral-limit buy 1 --price 50000 --ioc --post-only'), 'ioc'],
  ])('rejects %s, names the field and sends no order, with --dry-run and --yes', async (_, args, field) => {
    for (const mode of ['--dry-run', '--yes']) await failed(served.run(...args, mode), 2, field);
    expect(placed()).toEqual([]);
  });

  it('sends no order without --yes when stdin is not a terminal', async () => {
    const problem = /^stdin is not a terminal: pass --yes to place the order without confirmation\n$/;
    await failed(served.run(...buy), 2, problem);
    expect(placed()).toEqual([]);
  });

  it('ends with 4 when the exchange rejects the order', async () => {
    const args = argsOf('stock-market sell 99999');
    await failed(served.run(...args, '--yes'), 4, /\nOrder \S+: not placed\.\n$/);
    expect(placed()).toEqual([]);
  });

  it.each([
    ['is lost after the order was placed', { kind: 'status', executed: true }],
    ['is truncated', { kind: 'truncated' }],
  ] as const)('places one order when the response %s', async (_, fault) => {
    served.sandbox.fault({ ...fault, path: placePath });
    expect(await served.run(...buy, '--yes')).toMatchObject({ code: 0, stderr: placingLine });
    expect(placed()).toEqual(['buy 0.01 BTC_USDT']);
  });

  it.each([
    [3, 'without credentials', 'mine-8', {}],
    [3, 'with credentials that are not accepted', 'mine-8', { EXCHANGE_API_KEY: 'a', EXCHANGE_API_SECRET: 'b' }],
    [2, 'for an impossible client_order_id', 'what is this?', {}],
  ])('find ends with %i at once %s', async (code, _, id, credentials) => {
    const { EXCHANGE_BASE_URL = '' } = served.environment;
    const ended = await run(['order', 'find', id, 'BTC_USDT'], { EXCHANGE_BASE_URL, ...credentials });
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).not.toContain('not placed');
  });

  it.each(['y', 'yes', 'Y'])('places the order when the confirmation is %s', async (answer) => {
    const command = served.startOnTerminal(...buy);
    await command.wrote(`Place order: buy 0.01 BTC_USDT at market price on ${served.server.baseUrl}? [y/N]`);
    expect(placed()).toEqual([]);
    command.type(answer);
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('FILLED') as string });
    expect(placed()).toEqual(['buy 0.01 BTC_USDT']);
  });

  it.each(['n', '', 'buy'])('sends no order when the confirmation is %j', async (answer) => {
    const command = served.startOnTerminal(...buy);
    await command.wrote('[y/N]');
    command.type(answer);
    await failed(command.ended, 1, 'Order not placed: you did not confirm it.');
    expect(placed()).toEqual([]);
  });

  it('waits for the outcome of an order in flight after the first Ctrl-C', async () => {
    served.sandbox.fault({ kind: 'slow', path: placePath, delayMs: 1000 });
    const command = served.start(...buy, '--yes');
    await expect.poll(placed).toHaveLength(1);
    // npm forwards the Ctrl-C that the terminal has already sent: both count as one.
    command.interrupt();
    command.interrupt();
    await command.wrote('The order is in flight. Waiting for its outcome; Ctrl-C again stops waiting.');
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('FILLED') as string });
  });

  it('stops waiting after the second Ctrl-C, ends with 5 and prints the command that looks the order up', async () => {
    served.sandbox.fault({ kind: 'hang', path: placePath, executed: true });
    const command = served.start(...buy, '--yes', '--client-order-id', 'mine-9');
    await expect.poll(placed).toHaveLength(1);
    command.interrupt();
    await command.wrote('Ctrl-C again');
    await interruptAgain(command);
    await failed(command.ended, 5, 'exchange-rx order find mine-9 BTC_USDT');
  });
});
