// The command as a process on a terminal and in a pipe: signals, a closed pipe, confirmation, colors.
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasProgram } from '../support/programs.js';
import {
  commandFile,
  emptyHome,
  environmentOf,
  startCommand,
  startOnTerminal,
  type Environment,
} from '../support/command.js';

const shell = promisify(execFile);

let sandbox: Sandbox;
let server: SandboxServer;
let environment: Environment;

beforeAll(async () => {
  sandbox = createSandbox();
  server = await sandbox.listen();
  environment = environmentOf(server);
});

afterAll(() => server.close());

describe('Ctrl-C', () => {
  it.each([['ping', '--watch'], ['balance', '--watch'], ['monitor'], ['sandbox'], ['dashboard', '--port', '0']])(
    'ends %s %s with 130 and no error message',
    async (...args) => {
      const command = startCommand(args, environment);
      await command.wrote('\n');
      command.interrupt();
      expect(await command.ended).toMatchObject({ code: 130, stderr: '' });
    },
  );

  it('cancels a request in flight', async () => {
    const reads = () => sandbox.ledger.requests.filter(({ path }) => path.endsWith('markets')).length;
    const before = reads();
    sandbox.fault({ kind: 'hang', path: '/api/v4/public/markets', executed: true });
    const command = startCommand(['markets'], environment);
    await expect.poll(reads).toBe(before + 1);
    command.interrupt();
    expect(await command.ended).toEqual({ code: 130, stdout: '', stderr: '' });
  });
});

describe('exchange-rx monitor', () => {
  it('marks a stale balance', async () => {
    const command = startCommand(['monitor'], environment);
    await command.wrote('25000.75 USDT');
    sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance' });
    await command.wrote(/25000\.75 USDT.* \(stale: unavailable\)/);
    command.interrupt();
    await command.ended;
  });
});

describe('a signal', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)('%s ends the command as Ctrl-C does', async (signal) => {
    const command = startCommand(['ping', '--watch'], environment);
    await command.wrote('\n');
    command.kill(signal);
    expect(await command.ended).toMatchObject({ code: 130, stderr: '' });
  });
});

describe('a closed pipe', () => {
  it.each([['ping', '--watch', '--interval', '0.02'], ['monitor'], ['monitor', '--json']])(
    'ends %j %s with 0 and no error message',
    async (...args) => {
      const command = startCommand(args, environment);
      await command.wrote('\n');
      command.closePipe();
      expect(await command.ended).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('of head ends the command with no error message', async () => {
    const line = `'${process.execPath}' '${commandFile}' ping --watch --interval 0.02 | head -n 2`;
    const { stdout, stderr } = await shell('sh', ['-c', line], {
      env: { PATH: process.env['PATH'], HOME: emptyHome, ...environment },
    });
    expect([stdout.split('\n').length, stderr]).toEqual([3, '']);
  });
});

// Escape sequences of a terminal: a color, and a move of the cursor up.
const color = new RegExp(String.raw`\x1b\[3\d`);
const redrawn = new RegExp(String.raw`main balance[^]*\x1b\[\d*A[^]*main balance`);

describe.runIf(hasProgram('script', { by: 'the tests of the command on a terminal', debianPackage: 'bsdutils' }))(
  'on a terminal',
  () => {
    const buy = ['order', 'stock-market', 'BTC_USDT', 'buy', '0.01'];

    it.each(['y', 'yes', 'Y'])('an order is placed when the confirmation is %s', async (answer) => {
      const before = sandbox.ledger.orders.length;
      const command = startOnTerminal(buy, environment);
      await command.wrote(`Place order: buy 0.01 BTC_USDT at market price on ${server.baseUrl}? [y/N]`);
      expect(sandbox.ledger.orders).toHaveLength(before);
      command.type(answer);
      expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('FILLED') as string });
      expect(sandbox.ledger.orders).toHaveLength(before + 1);
    });

    it.each([
      ['n', 1],
      ['', 1],
      ['buy', 1],
      ['\u0003', 130],
      ['\u0004', 1],
    ])('no order is placed when the confirmation is %j', async (answer, code) => {
      const before = sandbox.ledger.orders.length;
      const command = startOnTerminal(buy, environment);
      await command.wrote('[y/N]');
      command.type(answer);
      expect((await command.ended).code).toBe(code);
      expect(sandbox.ledger.orders).toHaveLength(before);
    });

    it('monitor redraws one screen in place, and wraps no row', async () => {
      const command = startOnTerminal(['monitor'], environment);
      await command.wrote('main balance');
      await command.wrote(redrawn);
      await command.wrote(/│ mainAccount +│ .* queued +│/);
      command.type('\u0003');
      expect((await command.ended).code).toBe(130);
    });

    it('monitor shows the rate limit that cools down after a 429', async () => {
      const command = startOnTerminal(['monitor'], environment);
      await command.wrote('main balance');
      sandbox.fault({ kind: 'status', status: 429, path: '/api/v4/public/ping' });
      await command.wrote('cooling down after a 429');
      command.type('\u0003');
      expect((await command.ended).code).toBe(130);
    });

    it('colors are on, and off with NO_COLOR and in a pipe', async () => {
      const watch = ['ping', '--watch', '--interval', '0.02'];
      const outputs = [
        startOnTerminal(watch, environment),
        startOnTerminal(watch, { ...environment, NO_COLOR: '1' }),
        startCommand(watch, environment),
      ].map(async (command) => {
        await command.wrote('success 100 %');
        command.type('\u0003');
        command.interrupt();
        return color.test((await command.ended).stdout);
      });
      expect(await Promise.all(outputs)).toEqual([true, false, false]);
    });
  },
);
