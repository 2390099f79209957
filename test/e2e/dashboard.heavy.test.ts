// The dashboard as a user sees it: the command as a process and the page in a browser.
import { createExchange } from 'exchange-rx';
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { hasChromium, pageForEach, violations } from '../support/browser.js';
import { startRelay } from '../support/relay.js';
import { environmentOf, startCommand, type Environment, type RunningCommand } from '../support/command.js';

let sandbox: Sandbox;
let server: SandboxServer;
let command: RunningCommand;
let url: string;

beforeEach(async () => {
  sandbox = createSandbox();
  server = await sandbox.listen();
  ({ command, url } = await startDashboard(environmentOf(server), '--allow-trading'));
});

afterEach(async () => {
  command.interrupt();
  await command.ended;
  await server.close();
});

async function startDashboard(environment: Environment, ...words: readonly string[]) {
  const started = startCommand(['dashboard', '--json', '--port', '0', ...words], environment);
  const output = JSON.parse(await started.wrote(/^\{.*\}$/m)) as { readonly url: string };
  return { command: started, url: output.url };
}

describe.runIf(hasChromium)("the dashboard's page", { timeout: 120_000 }, () => {
  const { current, errors, see } = pageForEach();
  let page: Page;
  let requested: string[];

  beforeEach(async () => {
    page = current();
    requested = [];
    page.on('request', (made) => requested.push(made.url()));
    await page.goto(url);
    await see('#worst', 'Live');
    await see('#wallets', '25,000.75');
  });

  /** Opens the page of another dashboard. */
  async function openAnother(environment: Environment, ...words: readonly string[]): Promise<void> {
    const another = await startDashboard(environment, ...words);
    onTestFinished(async () => {
      another.command.interrupt();
      await another.command.ended;
    });
    await page.goto(another.url);
  }

  it('shows a live market and the account, loads nothing from elsewhere, and logs no error', async () => {
    await see('#last', /\d,\d{3}/);
    await see('#asks', /\d/);
    await see('#ohlc', /O \d/);
    await see('#limits', 'public');
    await see('#open-body', 'No open order.');
    expect(await page.title()).toContain('BTC_USDT');
    expect(await page.locator('[data-stale]').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(requested.filter((made) => !made.startsWith(url))).toEqual([]);
    expect(errors()).toEqual([]);
  });

  it('paints before its feed responds', async () => {
    await page.route('**/events*', () => new Promise(() => undefined));
    await page.reload();
    const paintedAt = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0";
    await expect.poll(() => page.evaluate(paintedAt), { timeout: 60_000 }).toBeGreaterThan(0);
    expect(await page.locator('#worst').textContent()).not.toContain('Live');
  });

  it('shows an order live, and cancels it after a confirmation that names it', async () => {
    const { baseUrl, credentials } = server.clientOptions();
    const { spot } = createExchange({ baseUrl, credentials });
    const order = { market: 'BTC_USDT', side: 'buy', amount: '0.01', price: '1000' } as const;
    await firstValueFrom(spot.placeLimitOrder({ ...order, client_order_id: 'resting-1' }));
    await see('#open-body', 'resting-1');
    await page.locator('#open-body button').first().click();
    await see('#confirm-steps', 'resting-1');
    await page.locator('#act', { hasText: 'Cancel 1 order' }).click();
    await see('#confirm-steps', 'done: canceled');
    await page.locator('#keep').click();
    await see('#open-body', 'No open order.');
    expect(errors()).toEqual([]);
  });

  it('marks everything as stale while the exchange is down, and as live when it is back', async () => {
    await see('#asks', /\d/);
    sandbox.setMaintenance(true);
    // Both connections: a book whose connection goes on is live, whatever requests get.
    sandbox.liveFault({ kind: 'cut', times: 2 });
    await see('#worst', 'Exchange down');
    await see('#banner', 'HTTP 503');
    await see('#book .age', 'stale');
    expect(await page.title()).toMatch(/^DOWN/);
    expect(await page.locator('#exchange[data-stale]').count()).toBe(0);
    sandbox.setMaintenance(false);
    await see('#worst', 'Live');
    await page.locator('#book:not([data-stale])').waitFor();
    expect(errors()).toEqual([]);
  });

  it('says that the exchange refuses the market', async () => {
    await openAnother(environmentOf(server), '--market', 'BTC_MARS');
    await see('#book .age', 'refused');
    await see('#last', '–');
    await see('#rights', 'read only');
  });

  it('reconnects after a lost connection, without a reload', async () => {
    const { port, pathname } = new URL(url);
    const relay = await startRelay(Number(port));
    await page.goto(`http://127.0.0.1:${relay.port}${pathname}`);
    await see('#worst', 'Live');
    requested = [];
    // Nothing listens on this port.
    relay.switchTo(1);
    await see('#worst', 'Page lost');
    await see('#account .age', 'stale');
    sandbox.account().deposit('XLM', '1000', 'main');
    relay.switchTo(Number(port));
    await see('#worst', 'Live');
    await see('#wallets', '1,036.48');
    expect(requested.filter((made) => !made.includes('/events'))).toEqual([]);
    expect(errors().filter((text) => !text.includes('net::ERR_'))).toEqual([]);
    await relay.close();
  });

  it('tells the user to open the new URL of a restarted dashboard', async () => {
    command.interrupt();
    await command.ended;
    await see('#worst', 'Page lost');
    ({ command } = await startDashboard(environmentOf(server), '--port', new URL(url).port));
    await see('#banner', 'open its new URL');
  });

  it('reports missing credentials', async () => {
    await openAnother({ EXCHANGE_BASE_URL: server.baseUrl });
    await see('#worst', 'Live');
    await see('#rights', 'no account');
    await see('#open-body', 'No account.');
    expect(errors()).toEqual([]);
  });

  it('opens on an embedded sandbox when no exchange is named: a market that moves, orders, positions', async () => {
    await openAnother({});
    await see('#about', 'sandbox · play money');
    await see('#open-body', 'BTC_USDT');
    await see('#positions-body', 'BTC_PERP');
    await see('#tape', /\d\d:\d\d:\d\d/);
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1500);
    expect(errors()).toEqual([]);
  });

  it.runIf(process.env['RECORD'] === 'true')(
    'is recorded for the README',
    async () => {
      await page.emulateMedia({ colorScheme: 'dark' });
      await openAnother({});
      await page.setViewportSize({ width: 1280, height: 800 });
      await sleep(75_000);
      await page.screenshot({ path: resolve(import.meta.dirname, '../../docs/dashboard.png') });
    },
    120_000,
  );
});
