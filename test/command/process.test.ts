// The command as a process: exit codes, streams, signals and open handles, which no test in process can show. The other
// tests of the command run it in process.
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
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

describe('the process exchange-rx', () => {
  it('reads credentials from its environment, writes the result to stdout and exits with 0', async () => {
    const { code, stdout, stderr } = await runCommand(['balance'], environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('25000.75');
  });

  it('writes errors to stderr, without a stack, and exits with the code of the error', async () => {
    const { code, stdout, stderr } = await runCommand(['markets', 'BTC_MARS'], environment);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe('unknown market BTC_MARS: "exchange-rx markets" lists all markets\n');
  });

  it('serves the dashboard of an embedded exchange and exits on Ctrl-C', async () => {
    const command = startCommand(['dashboard', '--port', '0', '--json']);
    const { url, sandbox: isSandbox } = JSON.parse(await command.wrote(/^\{.*\}$/m)) as {
      url: string;
      sandbox: boolean;
    };
    expect([isSandbox, new URL(url).hostname]).toEqual([true, '127.0.0.1']);
    expect(await (await fetch(url)).text()).toContain('<title>');
    expect((await fetch(new URL('/', url))).status).toBe(403);
    command.interrupt();
    expect(await command.ended).toMatchObject({ code: 130, stderr: '' });
  });

  it.each([
    ['book', 'BTC_USDT'],
    ['candles', 'BTC_USDT', '--interval', '1d'],
  ])('watches live data and leaves no open handle at Ctrl-C: %s', async (...words) => {
    const command = startCommand(['watch', ...words], environment);
    await command.wrote('live');
    command.interrupt();
    expect(await command.ended).toMatchObject({ code: 130, stderr: '' });
  });

  it('places an order to its end after Ctrl-C, although the reader of stderr is gone', async () => {
    sandbox.fault({ kind: 'slow', path: '/api/v4/order/stock_market', delayMs: 1500 });
    const command = startCommand(['order', 'stock-market', 'BTC_USDT', 'buy', '0.01', '--yes'], environment);
    await expect.poll(() => sandbox.ledger.orders).toHaveLength(1);
    command.closePipe('stderr');
    command.interrupt();
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('FILLED') as string });
  });
});
