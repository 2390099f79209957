// The dashboard as a user sees it: the command as a process and the page in a browser.
import { createExchange } from 'exchange-rx';
import { createSandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { firstValueFrom } from 'rxjs';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { hasChromium, pageForEach, violations } from '../support/browser.js';
import { environmentOf, startCommand, type Environment } from '../support/command.js';

let server: SandboxServer;
let url: string;

beforeEach(async () => {
  server = await createSandbox().listen();
  onTestFinished(() => server.close());
  url = await startDashboard(environmentOf(server), '--allow-trading', '--market', 'ETH_USDT');
});

/** Resolves to the URL of a dashboard that runs until the test is over. */
async function startDashboard(environment: Environment, ...words: readonly string[]): Promise<string> {
  const command = startCommand(['dashboard', '--json', '--port', '0', ...words], environment);
  onTestFinished(async () => {
    command.interrupt();
    await command.ended;
  });
  const output = JSON.parse(await command.wrote(/^\{.*\}$/m)) as { readonly url: string };
  return output.url;
}

describe.runIf(hasChromium)("the dashboard's page", { timeout: 120_000 }, () => {
  const { current, see } = pageForEach();
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

  it('shows a live market and the account, loads nothing from elsewhere, and logs no error', async () => {
    await see('#last', /\d,\d{3}/);
    await see('#asks', /\d/);
    await see('#ohlc', /O \d/);
    await see('#limits', 'public');
    await see('#open-body', 'No open order.');
    await see('#about', '127.0.0.1');
    await page.locator('#stat-funding').waitFor({ state: 'hidden' });
    expect(await page.title()).toContain('ETH_USDT');
    expect(await page.locator('[data-stale]').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(requested.filter((made) => !made.startsWith(url))).toEqual([]);
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
    const order = { market: 'ETH_USDT', side: 'buy', amount: '0.01', price: '1000' } as const;
    await firstValueFrom(spot.placeLimitOrder({ ...order, client_order_id: 'resting-1' }));
    await see('#open-body', 'resting-1');
    await page.locator('#open-body button').first().click();
    await see('#confirm-steps', 'resting-1');
    await page.locator('#act', { hasText: 'Cancel 1 order' }).click();
    await see('#confirm-steps', 'done: canceled');
    await page.locator('#keep').click();
    await see('#open-body', 'No open order.');
  });

  it('opens on an embedded sandbox when no exchange is named: a market that moves, orders, positions', async () => {
    await page.goto(await startDashboard({}));
    await see('#about', 'sandbox · play money');
    await see('#open-body', 'BTC_USDT');
    await see('#positions-body', 'BTC_PERP');
    await see('#tape', /\d\d:\d\d:\d\d/);
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1500);
  });

  it.runIf(process.env['RECORD'] === 'true')('is recorded for the README', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(await startDashboard({}));
    await page.setViewportSize({ width: 1280, height: 800 });
    await sleep(75_000);
    await page.screenshot({ path: resolve(import.meta.dirname, '../../docs/dashboard.png') });
  });
});
