// The dashboard's page in a browser, with malformed messages: it draws all that it can, and goes on.
import { resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { concat, defer, finalize, of, Subject } from 'rxjs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { History, Message } from '../../src/cli/dashboard/messages.js';
import { serveDashboard, type DashboardServer } from '../../src/cli/dashboard/server.js';
import { hasChromium, measureBranches, startBrowser, writeBranches } from '../support/browser.js';
import { commandFile } from '../support/command.js';

const now = Date.now();
const history: History = {
  about: { baseUrl: 'https://exchange.example', sandbox: false, account: true },
  health: [{ at: now, state: 'up', since: now, latencyMs: 1, p50Ms: 1, p99Ms: 1, successRatio: 1 }],
  balances: [],
  usage: [],
  orders: [],
  problems: [],
};
const noTime = { at: 1e300, side: 'buy', type: 'limit', amount: '1', filled: '0', total: '0', status: 'OPEN' };

describe.runIf(hasChromium)("the dashboard's page", { timeout: 60_000 }, () => {
  let browser: Browser;
  let page: Page;
  let server: DashboardServer;
  let messages: Subject<Message>;
  let errors: string[];
  /** Connections of pages that receive the messages. */
  let streams: { count: number };

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(() => browser.close());

  beforeEach(async () => {
    messages = new Subject();
    // Streams of the previous test may close later.
    const ofThisTest = (streams = { count: 0 });
    const messages$ = defer(() => {
      ofThisTest.count += 1;
      return concat(of<Message>({ type: 'history', history }), messages).pipe(finalize(() => (ofThisTest.count -= 1)));
    });
    server = await serveDashboard({ messages$ }, 0);
    page = await browser.newPage();
    await measureBranches(page);
    errors = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.goto(server.url);
    await see('#state', 'up since');
  });

  afterEach(async () => {
    await writeBranches(page, resolve(commandFile, '../dashboard'));
    await page.close();
    await server.close();
    expect(errors).toEqual([]);
  });

  async function see(place: string, text: string | RegExp): Promise<void> {
    await page.locator(place, { hasText: text }).first().waitFor({ timeout: 20_000 });
  }

  /** Sends the page any value; the server writes it as JSON. */
  function send(message: unknown): void {
    messages.next(message as Message);
  }

  it('ignores malformed messages and goes on', async () => {
    const malformed = [
      null,
      7,
      'text',
      [],
      {},
      { type: 'toString' },
      { type: '__proto__' },
      { type: 'history' },
      { type: 'history', history: { about: {} } },
      { type: 'balance', balance: {} },
      { type: 'usage', usage: 1 },
    ];
    for (const message of malformed) send(message);
    send({ type: 'problem', problem: { at: now, endpoint: 'public.ping', text: 'sent afterwards' } });
    await see('#problems', 'sent afterwards');
    await see('#state', 'up since');
    expect(await page.locator('#page-note').textContent()).toBe('');
  });

  /** Hides or shows the tab, as a browser does. */
  async function hide(isHidden: boolean): Promise<void> {
    await page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })`);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  }

  it('has no connection while its tab is hidden, and receives the history when it is shown again', async () => {
    expect(streams.count).toBe(1);
    await hide(true);
    await vi.waitFor(() => {
      expect(streams.count).toBe(0);
    }, 10_000);
    await hide(false);
    await vi.waitFor(() => {
      expect(streams.count).toBe(1);
    }, 10_000);
    send({ type: 'problem', problem: { at: now, endpoint: 'public.ping', text: 'sent when shown again' } });
    await see('#problems', 'sent when shown again');
    await see('#connection', 'live');
  });

  it('has one connection, however often it is hidden and shown', async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      await hide(turn % 2 === 0);
      await hide(false);
    }
    send({ type: 'problem', problem: { at: now, endpoint: 'public.ping', text: 'sent once' } });
    await vi.waitFor(() => {
      expect(streams.count).toBe(1);
    }, 10_000);
  });

  it('names a part that could not be drawn, draws the others, and recovers with the next message', async () => {
    send({ type: 'orders', orders: [null] });
    await see('#page-note', 'not updated because of malformed data: orders');
    send({
      type: 'balance',
      balance: {
        at: now,
        assets: [{ asset: 'BTC', amount: '1.5', change: '', stale: false }],
        notShown: 0,
        notRead: 0,
        stale: false,
      },
    });
    await see('#balances', '1.5');
    send({ type: 'orders', orders: [{ id: 1, ...noTime, at: now, market: 'BTC_USDT' }] });
    await see('#orders', 'BTC_USDT');
    expect(await page.locator('#page-note').textContent()).toBe('');
  });

  it('shows a dash for an impossible time, and the date of another day', async () => {
    const times = [1e300, -1e300, null, 'soon', -70_000_000_000_000, Date.UTC(2020, 0, 2, 3, 4, 5)];
    send({ type: 'orders', orders: times.map((at, id) => ({ id, ...noTime, at, market: `M${id}` })) });
    await see('#orders', 'M5');
    const shown = await page.locator('#orders time').allTextContents();
    expect(shown).toEqual(['–', '–', '–', '–', '-000249-10-15 19:33:20Z', '2020-01-02 03:04:05Z']);
  });

  it('draws assets named like object properties or markup, and amounts that are not numbers', async () => {
    const names = ['toString', '__proto__', 'constructor', 'hasOwnProperty', '<img src=x>', 'BTC'];
    const amounts = ['1', '2', '3', `9${'0'.repeat(63)}`, '(81 characters, not shown)', '6'];
    const assets = names.map((asset, index) => ({ asset, amount: amounts[index], change: '', stale: false }));
    send({ type: 'balance', balance: { at: now, assets, notShown: 0, notRead: 0, stale: false } });
    await see('#balances', 'hasOwnProperty');
    send({
      type: 'balance',
      balance: {
        at: now + 3000,
        assets: [...assets.slice(0, 5), { asset: 'BTC', amount: null, change: '', stale: true }],
        notShown: 7,
        notRead: 1,
        stale: false,
      },
    });
    await see('#balances-note', 'assets that the last poll could not read: 1; more assets, not shown: 7');
    expect(await page.locator('#balances tr th').allTextContents()).toEqual(names);
    expect(await page.locator('#balances tr td:nth-child(2)').allTextContents()).toEqual([
      ...amounts.slice(0, 5),
      '– (stale)',
    ]);
    expect(await page.locator('#balances canvas').count()).toBe(6);
    expect(await page.locator('img').count()).toBe(0);
  });

  it('has as many rows as the last balance, however many assets come and go', async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      const assets = Array.from({ length: 20 }, (_, index) => ({
        asset: `A${turn}-${index}`,
        amount: '1',
        change: '',
        stale: false,
      }));
      send({ type: 'balance', balance: { at: now + turn, assets, notShown: 100, notRead: 0, stale: false } });
    }
    await see('#balances', 'A19-19');
    expect([await page.locator('#balances tr').count(), await page.locator('#balances canvas').count()]).toEqual([
      20, 20,
    ]);
  });

  it('draws rate limits with any numbers', async () => {
    const odd = [null, -1, 1e308, 'many'];
    send({
      type: 'usage',
      usage: odd.map((value, index) => ({
        rateLimit: `g${index}`,
        limit: value,
        windowMs: value,
        used: value,
        queued: value,
        coolDownUntil: value,
      })),
    });
    await see('#limits', 'g3');
    expect(await page.locator('#limits meter').count()).toBe(4);
    expect(await page.locator('#page-note').textContent()).toBe('');
  });

  it('reconnects when another page has closed', async () => {
    const others = await Promise.all(Array.from({ length: 15 }, () => fetch(new URL('events', server.url))));
    const late = await browser.newPage();
    await late.goto(server.url);
    await late.locator('#connection[data-connection="rejected"]').waitFor();
    await others[0]?.body?.cancel();
    await late.locator('#connection[data-connection="live"]').waitFor();
    await late.close();
    for (const other of others.slice(1)) await other.body?.cancel();
  });
});
