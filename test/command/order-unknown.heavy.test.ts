// `exchange-rx order` when the outcome of an order stays unknown, which takes as long as the client looks it up.
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environmentOf, runCommand, type Environment } from '../support/command.js';

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
const placed = () => sandbox.ledger.orders.map(({ market, side, amount }) => `${side} ${amount} ${market}`);

describe('exchange-rx order, when the outcome stays unknown', () => {
  it('ends with 5 when the request was lost, for a new client has not seen that identifiers are taken: nothing is sent again', async () => {
    sandbox.fault({ kind: 'reset', executed: false, path: placing });
    const { code, stdout, stderr } = await runCommand([...buy, '--yes'], environment);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('whether it was placed is not known');
    expect(placed()).toEqual([]);
  });

  it('ends with 5 when it cannot be found out, names the order, and resume finds it later', async () => {
    sandbox.fault({ kind: 'status', executed: true, path: placing });
    sandbox.randomFaults({
      seed: 1,
      rate: 1,
      kinds: ['status'],
      paths: ['/api/v4/orders', '/api/v4/trade-account/order/history'],
    });
    const { code, stdout, stderr } = await runCommand([...buy, '--yes', '--client-order-id', 'mine-8'], environment);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('Order mine-8: whether it was placed is not known.');
    sandbox.randomFaults(undefined);
    const resumed = await runCommand(['order', 'resume', 'mine-8', 'BTC_USDT'], environment);
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('(mine-8)') as string });
    expect(placed()).toEqual(['buy 0.01 BTC_USDT']);
  });

  it('a lost answer stays unknown when the key may not look for orders, which is no bad key: the order may be placed', async () => {
    sandbox.account().restrictKey([placing]);
    sandbox.unavailable({ path: placing, times: 1, executed: true });
    const { code, stderr } = await runCommand([...buy, '--yes', '--client-order-id', 'unseen-9'], environment);
    sandbox.account().restrictKey(undefined);
    expect({ code, placed: placed() }).toEqual({ code: 5, placed: ['buy 0.01 BTC_USDT'] });
    expect(stderr).toContain('unseen-9');
  });

  it('resume ends with 5 when no order is found, which is no proof, and says why; it sends none', async () => {
    const { code, stdout, stderr } = await runCommand(['order', 'resume', 'never-placed', 'BTC_USDT'], environment);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('no order was found, which is no proof that there is none');
    expect(stderr).toContain('never-placed');
    expect(placed()).toEqual([]);
  });
});
