// The verbs that read and set, as processes, against a sandbox on a port.
import { describe, expect, it } from 'vitest';
import { runInProcess as run, startInProcess as start } from '../support/command-in-process.js';
import { servedForFile } from '../support/served.js';
import { failed, interrupted, linesOf, objectsOf } from './output.js';

const { sandbox, environment } = await servedForFile({ subAccountCount: 130, miningAccountCount: 120 });

const { EXCHANGE_BASE_URL: baseUrl = '' } = environment;

describe('exchange-rx ping', () => {
  it.each([
    ['with credentials', environment, [], /^pong in \d+\.\d ms\n$/],
    ['without credentials, as JSON', {}, ['--json', '--base-url', baseUrl], /^\{"ok":true,"latencyMs":[\d.]+\}\n$/],
    ['of an embedded exchange', {}, ['--sandbox'], /^pong in /],
  ])('prints the latency %s', async (_, variables, options, printed) => {
    const { code, stdout, stderr } = await run(['ping', ...options], variables);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(printed);
  });

  it('ends with 1 when the exchange is unreachable or unavailable', async () => {
    sandbox.fault({ kind: 'status', path: '/api/v4/public/ping' });
    await failed(run(['ping', '--base-url', 'http://127.0.0.1:9'], environment), 1, 'could not connect');
    await failed(run(['ping'], environment), 1, '503');
  });

  it('--watch prints the health after each ping: up, degraded by a fault, up again', async () => {
    const command = start(['ping', '--watch', '--interval', '0.05', '--json'], environment);
    await command.wrote('"state":"up"');
    sandbox.fault({ kind: 'status', path: '/api/v4/public/ping', times: 2 });
    await command.wrote('"state":"degraded"');
    await command.wrote(/"degraded"[^]*"state":"up"/);
    const stdout = await interrupted(command);
    expect(objectsOf(stdout)).toContainEqual(expect.objectContaining({ state: 'degraded', reason: 'unavailable' }));
  });
});

describe('exchange-rx balance', () => {
  it('prints the balance of the main account as a table, and as JSON', async () => {
    const { code, stdout } = await run(['balance', '--sandbox']);
    expect(code).toBe(0);
    expect(stdout).toBe('asset  balance\nBTC    2.5\nUSDT   25000.75\nXLM    36.48\n');
    expect(objectsOf((await run(['balance', '--json', '--sandbox'])).stdout)).toEqual([
      { BTC: { main_balance: '2.5' }, USDT: { main_balance: '25000.75' }, XLM: { main_balance: '36.48' } },
    ]);
  });

  it('--watch prints changes, and reports a stale balance', async () => {
    const command = start(['balance', '--watch', '--interval', '0.05'], environment);
    await command.wrote('25000.75');
    sandbox.account().deposit('BTC', '0.5', 'main');
    await command.wrote('BTC 3 (+0.5)');
    sandbox.account().deposit('XLM', '-36.48', 'main');
    await command.wrote('XLM 0 (-36.48)');
    sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance' });
    await command.wrote(/stale: .*503/);
    await interrupted(command);
  });
});

describe('exchange-rx markets', () => {
  it('lists all markets, or those named, with their rules', async () => {
    const all = await run(['markets'], environment);
    expect(linesOf(all.stdout)).toHaveLength(4);
    const one = await run(['markets', 'BTC_USDT', '--json'], environment);
    expect(objectsOf(one.stdout)).toEqual([
      [expect.objectContaining({ name: 'BTC_USDT', minTotal: expect.any(String) as string })],
    ]);
  });

  it('marks a market whose trading is disabled', async () => {
    sandbox.market('BTC_USDT').setTradesEnabled(false);
    try {
      const { stdout } = await run(['markets', 'BTC_USDT'], environment);
      expect(stdout).toMatch(/BTC_USDT .* disabled$/m);
    } finally {
      sandbox.market('BTC_USDT').setTradesEnabled(true);
    }
  });
});

describe('exchange-rx monitor', () => {
  it('prints lines of health, balance and rate limits when stdout is not a terminal, and marks a stale balance', async () => {
    const command = start(['monitor'], environment);
    await command.wrote(/up, .*\|.*USDT.*\|.*public \d+ %/);
    sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance' });
    await command.wrote(/25000\.75 USDT.* \(stale: unavailable\)/);
    const stdout = await interrupted(command);
    expect(stdout).not.toContain('\u001b');
  });

  it('reports the reason when the key is not accepted', async () => {
    const command = start(['monitor'], { ...environment, EXCHANGE_API_KEY: 'nobody' });
    await command.wrote('not read yet (stale: auth)');
    await interrupted(command);
  });

  it('works without credentials, and prints JSON with --json', async () => {
    const command = start(['monitor', '--json', '--base-url', baseUrl]);
    await command.wrote('\n');
    const [sight] = objectsOf(await interrupted(command));
    expect(sight).toMatchObject({
      health: { state: 'up' },
      usage: expect.arrayContaining([expect.objectContaining({ rateLimit: 'public' })]) as unknown,
    });
    expect(sight).not.toHaveProperty('balance');
  });
});
