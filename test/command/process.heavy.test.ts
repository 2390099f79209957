// The command as a process, on a terminal and in a pipe: exit codes, streams, signals, open handles, a closed pipe,
// confirmation, colors. The other tests of the command run it in process.
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { folderOfTests } from '../support/folders.js';
import { hasProgram } from '../support/programs.js';
import {
  commandFile,
  follow,
  runCommand,
  startCommand,
  startOnTerminal,
  type Environment,
} from '../support/command.js';
import { servedForFile } from '../support/served.js';

const { sandbox, server, environment } = await servedForFile();

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
});

it.each([
  ['SIGINT', 'monitor', '\n'],
  ['SIGINT', 'sandbox', '\n'],
  ['SIGINT', 'watch book BTC_USDT', 'live'],
  ['SIGINT', 'dashboard --port 0 --json', '"sandbox":false'],
  ['SIGTERM', 'ping --watch', '\n'],
  ['SIGHUP', 'ping --watch', '\n'],
] as const)('%s ends %s with 130 and no error message, and leaves no open handle', async (signal, words, written) => {
  const command = startCommand(words.split(' '), environment);
  await command.wrote(written);
  command.kill(signal);
  expect(await command.ended).toMatchObject({ code: 130, stderr: '' });
});

describe('Ctrl-C', () => {
  it('leaves an order in flight to its end, although the reader of stderr is gone', async () => {
    const before = sandbox.ledger.orders.length;
    sandbox.fault({ kind: 'slow', path: '/api/v4/order/stock_market', delayMs: 1500 });
    const command = startCommand(['order', 'stock-market', 'BTC_USDT', 'buy', '0.01', '--yes'], environment);
    await expect.poll(() => sandbox.ledger.orders).toHaveLength(before + 1);
    command.closePipe('stderr');
    command.interrupt();
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('FILLED') as string });
  });

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

// Root can access every directory, so another user runs the command, who may not be able to read this checkout.
describe('the credentials of a user without rights', () => {
  const folder = folderOfTests();
  let file = commandFile;
  const isRoot = process.geteuid?.() === 0;

  beforeAll(async () => {
    if (!isRoot) return;
    file = join(folder, 'dist/cli/main.mjs');
    await chmod(folder, 0o755);
    await copyFile(resolve(commandFile, '../../../package.json'), join(folder, 'package.json'));
    const banner = {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    };
    await build({ entryPoints: [commandFile], outfile: file, bundle: true, platform: 'node', format: 'esm', banner });
  });

  function run(words: readonly string[], env: Environment = {}) {
    const options = { env: { PATH: process.env['PATH'], ...env }, ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}) };
    return follow(spawn(process.execPath, [file, ...words], options)).ended;
  }

  it('in a home directory without access count as missing, and public endpoints work', async () => {
    const closed = await mkdtemp(join(folder, 'home-'));
    await chmod(closed, 0);
    const exchange = ['--base-url', server.baseUrl];
    for (const HOME of [closed, join(closed, 'me')]) {
      expect(await run(['ping', ...exchange], { HOME })).toMatchObject({ code: 0, stderr: '' });
      expect(await run(['balance', ...exchange], { HOME })).toMatchObject({ code: 3 });
    }
    const named = join(closed, 'named.json');
    const stderr = `${named}: permission denied\n`;
    expect(await run(['ping', '--credentials-file', named])).toMatchObject({ code: 3, stderr });
  });

  it.runIf(isRoot)('in a file of another user are rejected, and the message names the remedy', async () => {
    const path = join(folder, 'of-root.json');
    await writeFile(path, '{}', { mode: 0o644 });
    const stderr = `${path}: owned by another user: change its owner with chown, or set EXCHANGE_API_KEY and EXCHANGE_API_SECRET instead\n`;
    expect(await run(['ping', '--credentials-file', path])).toMatchObject({ code: 3, stderr });
  });
});

it.each(['ping --watch --interval 0.02', 'monitor'])('a closed pipe ends %s with 0 and no error', async (words) => {
  const command = startCommand(words.split(' '), environment);
  await command.wrote('\n');
  command.closePipe();
  expect(await command.ended).toMatchObject({ code: 0, stderr: '' });
});

// Escape sequences of a terminal: a color, and a move of the cursor up.
const color = new RegExp(String.raw`\x1b\[3\d`);
const redrawn = new RegExp(String.raw`main balance[^]*\x1b\[\d*A[^]*main balance`);

describe.runIf(hasProgram('script', { by: 'the tests of the command on a terminal', debianPackage: 'bsdutils' }))(
  'on a terminal',
  () => {
    const buy = ['order', 'stock-market', 'BTC_USDT', 'buy', '0.01'];

    it.each([
      ['it is confirmed', 'yes', 0, 1],
      ['Ctrl-C', '\u0003', 130, 0],
      ['the end of the input', '\u0004', 1, 0],
    ])('after %s, the order is placed only if it was confirmed', async (_, answer, code, placed) => {
      const before = sandbox.ledger.orders.length;
      const command = startOnTerminal(buy, environment);
      await command.wrote(`Place order: buy 0.01 BTC_USDT at market price on ${server.baseUrl}? [y/N]`);
      expect(sandbox.ledger.orders).toHaveLength(before);
      command.type(answer);
      const ended = await command.ended;
      expect([ended.code, ended.stdout.includes('FILLED')]).toEqual([code, placed === 1]);
      expect(sandbox.ledger.orders).toHaveLength(before + placed);
    });

    it('monitor redraws one screen in place, wraps no row, and shows the rate limit that cools down after a 429', async () => {
      const command = startOnTerminal(['monitor'], environment);
      await command.wrote('main balance');
      await command.wrote(redrawn);
      await command.wrote(/mainAccount +\S.* queued/);
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
