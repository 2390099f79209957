// The dashboard as a user sees it: the command as a process and the page in a browser.
import { createExchange } from 'exchange-rx';
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { firstValueFrom } from 'rxjs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, measureBranches, startBrowser, violations, writeBranches } from '../support/browser.js';
import { startRelay } from '../support/relay.js';
import { commandFile, environmentOf, startCommand, type Environment, type RunningCommand } from '../support/command.js';

let sandbox: Sandbox;
let server: SandboxServer;
let command: RunningCommand;
let url: string;

beforeEach(async () => {
  sandbox = createSandbox();
  server = await sandbox.listen();
  ({ command, url } = await startDashboard(environmentOf(server)));
});

afterEach(async () => {
  command.interrupt();
  await command.ended;
  await server.close();
});

async function startDashboard(
  environment: Environment,
  port = '0',
  words: readonly string[] = [],
): Promise<{ readonly command: RunningCommand; readonly url: string }> {
  const started = startCommand(['dashboard', '--json', '--port', port, ...words], environment);
  const output = JSON.parse(await started.wrote(/^\{.*\}$/m)) as { url: string };
  return { command: started, url: output.url };
}

describe.runIf(hasChromium)("the dashboard's page", { timeout: 60_000 }, () => {
  let browser: Browser;
  let page: Page;
  let consoleErrors: string[];
  let requested: string[];

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(() => browser.close());

  beforeEach(async () => {
    page = await browser.newPage();
    await measureBranches(page);
    consoleErrors = [];
    requested = [];
    page.on('console', (message) => {
      if (message.type() === 'error') consoleErrors.push(message.text());
    });
    page.on('pageerror', ({ message }) => consoleErrors.push(message));
    page.on('request', (made) => requested.push(made.url()));
    await page.goto(url);
    await see('#state', 'up since');
    await see('#balances', '25000.75');
  });

  afterEach(async () => {
    await writeBranches(page, resolve(commandFile, '../dashboard'));
    await page.close();
  });

  /** Resolves once the element contains the text. */
  async function see(place: string, text: string | RegExp): Promise<void> {
    await page.locator(place, { hasText: text }).waitFor({ timeout: 30_000 });
  }

  it('shows health, balances, rate limits and orders, loads nothing from elsewhere, and logs no error', async () => {
    await see('#about', server.baseUrl);
    await see('#connection', 'live');
    await see('#limits', 'public');
    await see('#orders-note', 'none yet');
    expect(await page.locator('#latency-last').textContent()).toMatch(/^\d+\.\d ms$/);
    expect(await page.locator('#latency-chart canvas').count()).toBe(1);
    expect(await page.locator('#balances canvas').count()).toBe(3);
    expect(requested.filter((made) => !made.startsWith(url))).toEqual([]);
    expect(consoleErrors).toEqual([]);
  });

  it('shows a deposit, an order and an error live', async () => {
    sandbox.account().deposit('BTC', '0.25', 'main');
    await see('#balances tr', '2.75');
    await see('#balances tr .gain', '+0.25');
    const { baseUrl, credentials } = server.clientOptions();
    const order = await firstValueFrom(
      createExchange({ baseUrl, credentials }).spot.placeStockMarketOrder({
        market: 'BTC_USDT',
        side: 'buy',
        amount: '0.01',
      }),
    );
    await see('#orders tr', order.deal_money ?? 'missing');
    sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance' });
    await see('#problems', 'HTTP 503');
    await see('#balances-note', 'stale: the last poll failed');
    await see('#limits', 'mainAccount');
    expect(consoleErrors).toEqual([]);
  });

  it('shows the exchange as degraded after a fault, and as up when it has recovered', async () => {
    sandbox.fault({ kind: 'status', path: '/api/v4/public/ping', times: 2 });
    await see('#state[data-state="degraded"]', 'degraded (unavailable)');
    await see('#state[data-state="up"]', 'up since');
    expect(consoleErrors).toEqual([]);
  }, 60_000);

  it('shows the rate limit that cools down after a 429', async () => {
    sandbox.fault({ kind: 'status', status: 429, path: '/api/v4/public/ping' });
    await see('#problems', '429: cooling down for');
    await see('#limits', 'cooling down after a 429 until');
    expect(consoleErrors).toEqual([]);
  });

  it('shows the best prices of the live order book, and why they are stale', async () => {
    await see('#book-title', 'Order book of BTC_USDT');
    await see('#book-status[data-book="live"]', 'live (connected)');
    await see('#book-bid', /^\d+(?:\.\d+)?$/);
    await see('#book-ask', /^\d+(?:\.\d+)?$/);
    sandbox.setMaintenance(true);
    sandbox.liveFault({ kind: 'cut' });
    await see('#book-status[data-book="stale"]', /connection refused \(HTTP 503\), next attempt in/);
    expect(await violations(page)).toEqual([]);
    expect(consoleErrors).toEqual([]);
  });

  it('shows that the exchange refuses the market', async () => {
    const open = await startDashboard(environmentOf(server), '0', ['--market', 'BTC_MARS']);
    await page.goto(open.url);
    await see('#book-status[data-book="refused"]', 'the exchange lists no such market');
    await see('#book-bid', '–');
    open.command.interrupt();
    await open.command.ended;
  });

  it('shows the trades and deposits of an embedded sandbox when no exchange is named', async () => {
    const open = await startDashboard({});
    await page.goto(open.url);
    await see('#about', 'embedded sandbox (play money)');
    await see('#orders tr:first-child', 'BTC_USDT');
    await see('#balances tr:first-child .gain', /^\+/);
    expect(consoleErrors).toEqual([]);
    open.command.interrupt();
    await open.command.ended;
  });

  it('reconnects after a lost connection, without a reload', async () => {
    const { port, pathname } = new URL(url);
    const relay = await startRelay(Number(port));
    await page.goto(`http://127.0.0.1:${relay.port}${pathname}`);
    await see('#connection[data-connection="live"]', 'live');
    requested = [];
    // Nothing listens on this port.
    relay.switchTo(1);
    await see('#connection[data-connection="lost"]', 'connection lost');
    sandbox.account().deposit('XLM', '1000', 'main');
    relay.switchTo(Number(port));
    await see('#connection[data-connection="live"]', 'live');
    await see('#balances tr', '1036.48');
    await see('#state', 'up since');
    expect(requested.filter((made) => !made.endsWith('/events'))).toEqual([]);
    expect(consoleErrors.filter((text) => !text.includes('net::ERR_'))).toEqual([]);
    await relay.close();
  });

  it('tells the user to open the new URL of a restarted dashboard', async () => {
    command.interrupt();
    await command.ended;
    await see('#connection[data-connection="lost"]', 'connection lost');
    ({ command } = await startDashboard(environmentOf(server), new URL(url).port));
    await see('#connection[data-connection="rejected"]', 'open its new URL');
  });

  it('has no accessibility violation and no horizontal scrolling, on a desktop and on a phone, light and dark', async () => {
    sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance' });
    await see('#problems', 'HTTP 503');
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await violations(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      }
      expect((await page.locator('#latency-chart canvas').boundingBox())?.width).toBeLessThan(width);
    }
  });

  it('is usable by keyboard: skip link, then every scrollable part', async () => {
    const press = async () => {
      await page.keyboard.press('Tab');
      const focused = page.locator(':focus');
      const name = (await focused.getAttribute('aria-labelledby')) ?? (await focused.textContent());
      return { name, isInSight: ((await focused.boundingBox())?.x ?? -1) >= 0 };
    };
    expect(await press()).toEqual({ name: expect.stringMatching(/skip/i) as string, isInSight: true });
    for (const name of ['balances-title', 'orders-title', 'problems-title'])
      expect(await press()).toEqual({ name, isInSight: true });
  });

  it('reports missing credentials', async () => {
    const open = await startDashboard({ EXCHANGE_BASE_URL: server.baseUrl });
    await page.goto(open.url);
    await see('#state', 'up since');
    await see('#balances-note', 'no credentials');
    expect(consoleErrors).toEqual([]);
    open.command.interrupt();
    await open.command.ended;
  });

  it.runIf(process.env['RECORD'] === 'true')(
    'is recorded for the README',
    async () => {
      const { command: alive, url: aliveUrl } = await startDashboard({});
      await page.goto(aliveUrl);
      await page.setViewportSize({ width: 1200, height: 1020 });
      await sleep(75_000);
      await page.screenshot({ path: resolve(import.meta.dirname, '../../docs/dashboard.png') });
      alive.interrupt();
      await alive.ended;
    },
    120_000,
  );
});
