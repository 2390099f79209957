// The dashboard as its users have it: the command as a process, the page in a browser, and an exchange that they do not
// see into.
import { createExchange } from 'exchange-rx';
import { createSandbox, type Sandbox, type SandboxServer } from 'exchange-rx/sandbox';
import { request } from 'node:http';
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
): Promise<{ readonly command: RunningCommand; readonly url: string }> {
  const started = startCommand(['dashboard', '--json', '--port', port], environment);
  const said = JSON.parse(await started.wrote(/^\{.*\}$/m)) as { url: string };
  return { command: started, url: said.url };
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

  /** Resolves once the text stands there. */
  async function see(place: string, text: string | RegExp): Promise<void> {
    await page.locator(place, { hasText: text }).waitFor({ timeout: 30_000 });
  }

  it('shows health, balances, limits and orders, from this machine alone, with no error', async () => {
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

  it('updates live: a deposit, an order, an error', async () => {
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
    await see('#balances-note', 'the last poll failed');
    await see('#limits', 'mainBalance');
    expect(consoleErrors).toEqual([]);
  });

  it('shows a fault of the exchange as degraded, and then that it has recovered', async () => {
    sandbox.fault({ kind: 'status', path: '/api/v4/public/ping', times: 2 });
    await see('#state[data-state="degraded"]', 'degraded (unavailable)');
    await see('#state[data-state="up"]', 'up since');
    expect(consoleErrors).toEqual([]);
  }, 60_000);

  it('shows which limit is closed after a 429', async () => {
    sandbox.fault({ kind: 'status', status: 429, path: '/api/v4/public/ping' });
    await see('#problems', '429: closed for');
    await see('#limits', 'closed after a 429 until');
    expect(consoleErrors).toEqual([]);
  });

  it('shows the life of a sandbox where there is no exchange: trades, and what comes and goes', async () => {
    const open = await startDashboard({});
    await page.goto(open.url);
    await see('#about', 'a sandbox: play money');
    await see('#orders tr:first-child', 'BTC_USDT');
    await see('#balances tr:first-child .gain', /^\+/);
    expect(consoleErrors).toEqual([]);
    open.command.interrupt();
    await open.command.ended;
  });

  it('goes on after the connection was lost, without being loaded again', async () => {
    const { port, pathname } = new URL(url);
    const relay = await startRelay(Number(port));
    await page.goto(`http://127.0.0.1:${relay.port}${pathname}`);
    await see('#connection[data-connection="live"]', 'live');
    requested = [];
    // Nothing listens there.
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

  it('says that a dashboard which was started again has another address', async () => {
    command.interrupt();
    await command.ended;
    await see('#connection[data-connection="lost"]', 'connection lost');
    ({ command } = await startDashboard(environmentOf(server), new URL(url).port));
    await see('#connection[data-connection="refused"]', 'another address');
  });

  it.each([
    ['in the light', 'light', 1280],
    ['in the dark', 'dark', 1280],
    ['on a phone', 'light', 375],
    ['on a phone in the dark', 'dark', 375],
  ] as const)('has no violation of accessibility %s, and nothing beside the screen', async (_, colorScheme, width) => {
    sandbox.fault({ kind: 'status', path: '/api/v4/main-account/balance' });
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await see('#problems', 'HTTP 503');
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect((await page.locator('#latency-chart canvas').boundingBox())?.width).toBeLessThan(width);
  });

  it('is used by keyboard: past the head to the content, and to all that scrolls', async () => {
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

  it('shows what the exchange says as text, never as markup', async () => {
    const name = '<img src="/x" onerror="document.title=1">';
    sandbox.account().deposit(name, '1', 'main');
    await see('#balances th', name);
    expect(await page.locator('img').count()).toBe(0);
    expect(consoleErrors).toEqual([]);
  });

  it.each(['toString', 'hasOwnProperty'])('shows an asset called %s as any other', async (name) => {
    sandbox.account().deposit(name, '1.5', 'main');
    await see('#balances tr', `${name}1.5`);
    sandbox.account().deposit(name, '-0.5', 'main');
    await see('#balances tr', `${name}1-0.5`);
    expect(await page.locator('#page-note').textContent()).toBe('');
    expect(consoleErrors).toEqual([]);
  });

  it('says so when there is no account to show', async () => {
    const open = await startDashboard({ EXCHANGE_BASE_URL: server.baseUrl });
    await page.goto(open.url);
    await see('#state', 'up since');
    await see('#balances-note', 'no credentials');
    expect(consoleErrors).toEqual([]);
    open.command.interrupt();
    await open.command.ended;
  });

  it.runIf(process.env['RECORD'] === 'true')(
    'is drawn for the README',
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

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/**
 * A request with any headers: a browser, and `fetch`, would not send a Host of their choice. Events are listened to
 * until all of these were heard.
 */
function ask(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
  until: readonly string[] = [],
): Promise<Answer> {
  return new Promise((answered, failed) => {
    const asked = request(new URL(path, url), { headers, method, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
        if (until.length > 0 && until.every((text) => body.includes(text))) response.destroy();
      });
      response.on('close', () => {
        answered({ status: response.statusCode, headers: response.headers, body });
      });
    });
    asked.on('error', failed);
    asked.end();
  });
}

describe("the dashboard's server", () => {
  it.each(['.', 'events', 'page/main.js'])('refuses a foreign Host and a foreign Origin at %s', async (path) => {
    const { port } = new URL(url);
    for (const headers of [
      { host: 'exchange.example' },
      { host: `evil.example:${port}` },
      { host: '127.0.0.1.evil.example' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      const { status, body } = await ask(path, headers);
      expect([headers, status, body]).toEqual([
        headers,
        403,
        expect.stringContaining('This dashboard is for the machine it runs on.'),
      ]);
    }
  });

  it("takes this machine's names, and its own Origin", async () => {
    const { port } = new URL(url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      expect((await ask('.', { host, origin: `http://${host}` })).status).toBe(200);
    }
  });

  it('changes nothing for anyone: there is nothing to send to', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await ask('.', {}, method)).status).toBe(405);
  });

  it('lets the page load nothing from elsewhere, and no page frame it', async () => {
    const { headers } = await ask('.');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('tells the page neither key nor secret, nor what is signed, whatever fails', async () => {
    const { baseUrl, credentials } = server.clientOptions();
    const order = await firstValueFrom(
      createExchange({ baseUrl, credentials }).spot.placeStockMarketOrder({
        market: 'BTC_USDT',
        side: 'buy',
        amount: '0.01',
      }),
    );
    for (const kind of ['status', 'reset', 'cut', 'corrupt'] as const) sandbox.fault({ kind, path: '/api/v4/orders' });
    const events = await ask('events', {}, 'GET', [
      '25000.75',
      '"type":"orders"',
      '"unavailable',
      '"transport',
      '"response',
      order.deal_money ?? 'missing',
    ]);
    const heard = [events, await ask('.'), await ask('page/main.js')]
      .map(({ headers, body }) => `${JSON.stringify(headers)}${body}`)
      .join('');
    for (const secret of [credentials.apiKey, credentials.apiSecret, 'X-TXC', 'signature', 'payload'])
      expect(heard.toLowerCase()).not.toContain(secret.toLowerCase());
  }, 60_000);
});
