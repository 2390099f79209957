// `exchange-rx order` when the outcome stays unknown, which takes as long as the client looks the order up.
import { createSandbox } from 'exchange-rx/sandbox';
import { describe, expect, it, type TestContext } from 'vitest';
import { environmentOf } from '../support/command.js';
import { runInProcess as run } from '../support/command-in-process.js';
import { failed } from './output.js';

const buy = ['order', 'stock-market', 'BTC_USDT', 'buy', '0.01'];
const placePath = '/api/v4/order/stock_market';

async function setup({ onTestFinished }: TestContext) {
  const sandbox = createSandbox();
  const server = await sandbox.listen();
  onTestFinished(() => server.close());
  const placed = () => sandbox.ledger.orders.map(({ market, side, amount }) => `${side} ${amount} ${market}`);
  return { sandbox, environment: environmentOf(server), placed };
}

// The lookups take their time, side by side.
describe('exchange-rx order, when the outcome stays unknown', { concurrent: true, shuffle: false }, () => {
  it('ends with 5 and names the order when lookups fail, and find finds the order later', async (context) => {
    const { sandbox, environment, placed } = await setup(context);
    sandbox.fault({ kind: 'status', executed: true, path: placePath });
    sandbox.randomFaults({
      seed: 1,
      rate: 1,
      kinds: ['status'],
      paths: ['/api/v4/orders', '/api/v4/trade-account/order/history'],
    });
    const placing = run([...buy, '--yes', '--client-order-id', 'mine-8'], environment);
    await failed(placing, 5, 'Order mine-8: outcome unknown.');
    sandbox.randomFaults(undefined);
    const found = await run(['order', 'find', 'mine-8', 'BTC_USDT'], environment);
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('(mine-8)') as string });
    expect(placed()).toEqual(['buy 0.01 BTC_USDT']);
  });

  it('find ends with 5 when it finds no order, names the reason, and sends no order', async (context) => {
    const { environment, placed } = await setup(context);
    const finding = run(['order', 'find', 'never-placed', 'BTC_USDT'], environment);
    const message = await failed(finding, 5, 'no order was found, which does not prove that none exists');
    expect(message).toContain('never-placed');
    expect(placed()).toEqual([]);
  });
});
