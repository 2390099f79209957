// The dashboard's page in a browser, under messages that no server of ours sends: what can be drawn is drawn, and goes
// on being drawn.
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

describe.runIf(hasChromium)('the page', { timeout: 60_000 }, () => {
  let browser: Browser;
  let page: Page;
  let server: DashboardServer;
  let messages: Subject<Message>;
  let errors: string[];
  /** Connections of pages that hear the messages now. */
  let streams: { count: number };

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(() => browser.close());

  beforeEach(async () => {
    messages = new Subject();
    // Those of the test before may end after it.
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

  /** Tells the page anything; the server writes it as JSON. */
  function tell(message: unknown): void {
    messages.next(message as Message);
  }

  it('leaves out messages that are none, and goes on', async () => {
    const none = [
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
    for (const message of none) tell(message);
    tell({ type: 'problem', problem: { at: now, endpoint: 'public.ping', text: 'told after all' } });
    await see('#problems', 'told after all');
    await see('#state', 'up since');
    expect(await page.locator('#page-note').textContent()).toBe('');
  });

  /** Tells the page that it is in a hidden tab, as a browser does. */
  async function hide(isHidden: boolean): Promise<void> {
    await page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })`);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  }

  it('has no connection while nobody can see it, because a browser has six for all tabs, and the history when it is seen again', async () => {
    expect(streams.count).toBe(1);
    await hide(true);
    await vi.waitFor(() => {
      expect(streams.count).toBe(0);
    }, 10_000);
    await hide(false);
    await vi.waitFor(() => {
      expect(streams.count).toBe(1);
    }, 10_000);
    tell({ type: 'problem', problem: { at: now, endpoint: 'public.ping', text: 'told when seen again' } });
    await see('#problems', 'told when seen again');
    await see('#connection', 'live');
  });

  it('has one connection, however often it is hidden and seen', async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      await hide(turn % 2 === 0);
      await hide(false);
    }
    tell({ type: 'problem', problem: { at: now, endpoint: 'public.ping', text: 'told once' } });
    await vi.waitFor(() => {
      expect(streams.count).toBe(1);
    }, 10_000);
  });

  it('says which part could not be drawn, draws the others, and that part again with the next message', async () => {
    tell({ type: 'orders', orders: [null] });
    await see('#page-note', 'could not be drawn: orders');
    tell({
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
    tell({ type: 'orders', orders: [{ id: 1, ...noTime, at: now, market: 'BTC_USDT' }] });
    await see('#orders', 'BTC_USDT');
    expect(await page.locator('#page-note').textContent()).toBe('');
  });

  it('draws times that no calendar has as none, and those of another day with their date', async () => {
    const times = [1e300, -1e300, null, 'soon', -70_000_000_000_000, Date.UTC(2020, 0, 2, 3, 4, 5)];
    tell({ type: 'orders', orders: times.map((at, id) => ({ id, ...noTime, at, market: `M${id}` })) });
    await see('#orders', 'M5');
    const shown = await page.locator('#orders time').allTextContents();
    expect(shown).toEqual(['–', '–', '–', '–', '-000249-10-15 19:33:20Z', '2020-01-02 03:04:05Z']);
  });

  it('draws assets called as what every object has, amounts that are none, and markup, beside the others', async () => {
    const names = ['toString', '__proto__', 'constructor', 'hasOwnProperty', '<img src=x>', 'BTC'];
    const amounts = ['1', '2', '3', `9${'0'.repeat(63)}`, '81 characters: too long to show', '6'];
    const assets = names.map((asset, index) => ({ asset, amount: amounts[index], change: '', stale: false }));
    tell({ type: 'balance', balance: { at: now, assets, notShown: 0, notRead: 0, stale: false } });
    await see('#balances', 'hasOwnProperty');
    tell({
      type: 'balance',
      balance: {
        at: now + 3000,
        assets: [...assets.slice(0, 5), { asset: 'BTC', amount: null, change: '', stale: true }],
        notShown: 7,
        notRead: 1,
        stale: false,
      },
    });
    await see('#balances-note', 'not read in the last poll: 1 of the assets; not shown: 7 more assets');
    expect(await page.locator('#balances tr th').allTextContents()).toEqual(names);
    expect(await page.locator('#balances tr td:nth-child(2)').allTextContents()).toEqual([
      ...amounts.slice(0, 5),
      '– (not read in the last poll)',
    ]);
    expect(await page.locator('#balances canvas').count()).toBe(6);
    expect(await page.locator('img').count()).toBe(0);
  });

  it('has no more rows than the last balance, however many assets come and go', async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      const assets = Array.from({ length: 20 }, (_, index) => ({
        asset: `A${turn}-${index}`,
        amount: '1',
        change: '',
        stale: false,
      }));
      tell({ type: 'balance', balance: { at: now + turn, assets, notShown: 100, notRead: 0, stale: false } });
    }
    await see('#balances', 'A19-19');
    expect([await page.locator('#balances tr').count(), await page.locator('#balances canvas').count()]).toEqual([
      20, 20,
    ]);
  });

  it('draws limits of any number', async () => {
    const odd = [null, -1, 1e308, 'many'];
    tell({
      type: 'usage',
      usage: odd.map((value, index) => ({
        rateLimit: `g${index}`,
        limit: value,
        windowMs: value,
        used: value,
        queued: value,
        ratePerSecond: value,
        closedUntil: value,
      })),
    });
    await see('#limits', 'g3');
    expect(await page.locator('#limits meter').count()).toBe(4);
    expect(await page.locator('#page-note').textContent()).toBe('');
  });

  it('comes back when there is room for it', async () => {
    const others = await Promise.all(Array.from({ length: 15 }, () => fetch(new URL('events', server.url))));
    const late = await browser.newPage();
    await late.goto(server.url);
    await late.locator('#connection[data-connection="refused"]').waitFor();
    await others[0]?.body?.cancel();
    await late.locator('#connection[data-connection="live"]').waitFor();
    await late.close();
    for (const other of others.slice(1)) await other.body?.cancel();
  });
});
