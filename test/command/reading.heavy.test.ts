// The verbs that read and set, as processes, against a sandbox on a port.
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentOf, runCommand, startCommand, type Environment } from '../support/command.js';

let sandbox: Sandbox;
let server: SandboxServer;
let environment: Environment;

beforeAll(async () => {
  sandbox = createSandbox({ subAccounts: 130, miningAccounts: 120 });
  server = await sandbox.listen();
  environment = environmentOf(server);
});

afterAll(() => server.close());

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const objectsOf = (text: string): unknown[] => linesOf(text).map((line) => JSON.parse(line) as unknown);

describe('exchange-rx ping', () => {
  it('tells that the exchange answers, and how fast', async () => {
    const { code, stdout, stderr } = await runCommand(['ping'], environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^pong in \d+\.\d ms\n$/);
  });

  it('needs no credentials, and says it in JSON', async () => {
    const { code, stdout } = await runCommand(['ping', '--json', '--base-url', environment['EXCHANGE_BASE_URL'] ?? '']);
    expect(code).toBe(0);
    expect(objectsOf(stdout)).toEqual([{ ok: true, latencyMs: expect.any(Number) as number }]);
  });

  it('fails when nobody answers, and when the exchange is unavailable', async () => {
    const nobody = await runCommand(['ping', '--base-url', 'http://127.0.0.1:9']);
    expect(nobody).toMatchObject({ code: 1, stdout: '' });
    expect(nobody.stderr).toContain('could not connect');
    sandbox.fault({ kind: 'status', path: '/api/v4/public/ping' });
    const unavailable = await runCommand(['ping'], environment);
    expect(unavailable).toMatchObject({ code: 1, stdout: '' });
    expect(unavailable.stderr).toContain('503');
  });

  it('--watch tells the health after each ping: degraded by a fault, then up again', async () => {
    const command = startCommand(['ping', '--watch', '--every', '0.05', '--json'], environment);
    await command.wrote('"state":"up"');
    sandbox.fault({ kind: 'status', path: '/api/v4/public/ping', times: 2 });
    await command.wrote('"state":"degraded"');
    await command.wrote(/"degraded"[^]*"state":"up"/);
    command.interrupt();
    const { code, stdout } = await command.ended;
    expect(code).toBe(130);
    expect(objectsOf(stdout)).toContainEqual(
      expect.objectContaining({ state: 'degraded', reason: 'unavailable', consecutiveFailures: 2 }),
    );
  });

  it('--sandbox brings the exchange along', async () => {
    expect(await runCommand(['ping', '--sandbox'])).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('exchange-rx balance', () => {
  it('shows what the main account holds', async () => {
    const { code, stdout } = await runCommand(['balance', '--sandbox']);
    expect(code).toBe(0);
    expect(stdout).toBe('asset  balance\nBTC    2.5\nUSDT   25000.75\nXLM    36.48\n');
  });

  it('gives the same as JSON', async () => {
    const { stdout } = await runCommand(['balance', '--json', '--sandbox']);
    expect(objectsOf(stdout)).toEqual([
      { BTC: { main_balance: '2.5' }, USDT: { main_balance: '25000.75' }, XLM: { main_balance: '36.48' } },
    ]);
  });

  it('says so when it holds nothing', async () => {
    const empty = await createSandbox({ accounts: [{ name: 'empty', balances: {} }] }).listen();
    try {
      expect(await runCommand(['balance'], environmentOf(empty))).toEqual({
        code: 0,
        stdout: 'The main account holds nothing.\n',
        stderr: '',
      });
    } finally {
      await empty.close();
    }
  });

  it('--watch tells what changes, and what is stale', async () => {
    const command = startCommand(['balance', '--watch', '--every', '0.05'], environment);
    await command.wrote('25000.75');
    sandbox.account().deposit('BTC', '0.5', 'main');
    await command.wrote('BTC 3 (+0.5)');
    sandbox.account().deposit('XLM', '-36.48', 'main');
    await command.wrote('XLM 0 (-36.48)');
    sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance' });
    await command.wrote(/stale: .*503/);
    command.interrupt();
    expect(await command.ended).toMatchObject({ code: 130, stderr: '' });
  });
});

describe('exchange-rx markets', () => {
  it('lists them, or the named ones, with their rules', async () => {
    const all = await runCommand(['markets'], environment);
    expect(linesOf(all.stdout)).toHaveLength(4);
    const one = await runCommand(['markets', 'BTC_USDT', '--json'], environment);
    expect(objectsOf(one.stdout)).toEqual([
      [expect.objectContaining({ name: 'BTC_USDT', minTotal: expect.any(String) as string })],
    ]);
  });

  it('tells which are closed', async () => {
    sandbox.market('BTC_USDT').setTradesEnabled(false);
    try {
      const { stdout } = await runCommand(['markets', 'BTC_USDT'], environment);
      expect(stdout).toMatch(/BTC_USDT .* closed$/m);
    } finally {
      sandbox.market('BTC_USDT').setTradesEnabled(true);
    }
  });

  it('refuses the name of none', async () => {
    const { code, stdout, stderr } = await runCommand(['markets', 'BTC_MARS'], environment);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: 'the exchange has no market BTC_MARS\n' });
  });
});

describe('exchange-rx leverage', () => {
  it('sets it', async () => {
    expect(await runCommand(['leverage', '5'], environment)).toEqual({
      code: 0,
      stdout: 'The leverage is 5.\n',
      stderr: '',
    });
    expect(objectsOf((await runCommand(['leverage', '3', '--json'], environment)).stdout)).toEqual([{ leverage: 3 }]);
  });
});

describe('exchange-rx sub-accounts and mining-accounts', () => {
  it('list all there are, page after page', async () => {
    const subAccounts = await runCommand(['sub-accounts', '--json'], environment);
    expect(new Set(objectsOf(subAccounts.stdout).map((account) => (account as { id: string }).id)).size).toBe(130);
    const miningAccounts = await runCommand(['mining-accounts'], environment);
    expect(linesOf(miningAccounts.stdout)).toHaveLength(120);
  });

  it('read no more pages than were asked for', async () => {
    const before = sandbox.ledger.requests.length;
    const { code, stdout } = await runCommand(['mining-accounts', '--limit', '3'], environment);
    expect([code, linesOf(stdout).length, sandbox.ledger.requests.length - before]).toEqual([0, 3, 1]);
  });

  it('--search keeps to those that match', async () => {
    const { stdout } = await runCommand(['sub-accounts', '--json', '--limit', '1'], environment);
    const [first] = objectsOf(stdout) as { id: string; alias: string }[];
    const found = await runCommand(['sub-accounts', '--search', first?.alias ?? '', '--json'], environment);
    expect(objectsOf(found.stdout)).toContainEqual(first);
    expect(linesOf(found.stdout).length).toBeLessThan(130);
  });
});

describe('exchange-rx monitor', () => {
  it('tells health, balances and limits in lines where nothing can be drawn over', async () => {
    const command = startCommand(['monitor'], environment);
    await command.wrote(/up .*\|.*25000\.75 USDT.*\|.*public \d+ %/);
    command.interrupt();
    const { code, stdout } = await command.ended;
    expect(code).toBe(130);
    expect(stdout).not.toContain('\u001b');
  });

  it('tells when the balances are stale', async () => {
    const command = startCommand(['monitor'], environment);
    await command.wrote('25000.75 USDT');
    sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance' });
    await command.wrote(/25000\.75 USDT.* \(stale: unavailable\)/);
    command.interrupt();
    await command.ended;
  });

  it('tells why there are no balances when the key is refused', async () => {
    const command = startCommand(['monitor'], { ...environment, EXCHANGE_API_KEY: 'nobody' });
    await command.wrote('not read yet (stale: auth)');
    command.interrupt();
    await command.ended;
  });

  it('works without an account, and in JSON', async () => {
    const command = startCommand(['monitor', '--json', '--base-url', environment['EXCHANGE_BASE_URL'] ?? '']);
    await command.wrote('\n');
    command.interrupt();
    const [sight] = objectsOf((await command.ended).stdout);
    expect(sight).toMatchObject({
      health: { state: 'up' },
      usage: expect.arrayContaining([expect.objectContaining({ rateLimit: 'public' })]) as unknown,
    });
    expect(sight).not.toHaveProperty('balance');
  });
});
