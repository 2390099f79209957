// The trading page in a browser, with malformed messages: it draws all that it can, as text, and goes on.
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasChromium, pageForEach } from '../support/browser.js';
import { startPageServer, type PageServer } from '../support/page-server.js';
import { pageState } from '../support/page-states.js';

const { parts: normal } = pageState('normal');
const markup = '<img src=x onerror="document.title=1">';

describe.runIf(hasChromium)("the trading page's messages", { timeout: 60_000 }, () => {
  const { current, errors, see } = pageForEach();
  let page: Page;
  let server: PageServer;

  beforeEach(async () => {
    server = await startPageServer();
    server.send({ now: Date.now(), parts: normal });
    page = current();
    await page.goto(server.url);
    await see('#worst', 'Live');
  });

  afterEach(async () => {
    await server.close();
    expect(errors().filter((text) => !text.includes('503') && !text.includes('net::ERR_'))).toEqual([]);
  });

  const note = () => page.locator('#page-note').textContent();
  const send = (parts: object) => {
    server.send({ now: Date.now(), parts });
  };

  it('names a part that could not be drawn, draws the others, and recovers with the next update', async () => {
    send({ orders: { ...normal.orders, open: [null] }, account: { ...normal.account, value: '7.25' } });
    await see('#page-note', 'not updated because of malformed data: ');
    await see('#equity', '7.25');
    send({ orders: normal.orders });
    await see('#open-body', 'swing-eth');
    await vi.waitFor(async () => {
      expect(await note()).toBe('');
    }, 5000);
  });

  it('shows every text of the exchange as text, wherever it stands', async () => {
    const { about, market, orders, executions, positions, account, exchange, strip, book } = normal;
    const doubt = { clientOrderId: markup, market: markup, endpoint: markup, sentAt: Date.now(), phase: 'unknown' };
    const asset = { asset: markup, amount: markup, inOrders: markup, borrowed: markup, value: markup, isStale: true };
    send({
      about: { ...about, exchange: markup, baseUrl: markup, sandbox: false, currencies: [markup] },
      market: { ...market, name: markup, last: markup, change: markup, high: markup },
      strip: { ...strip, list: [{ market: markup, last: markup, change: markup, isStale: false }] },
      book: { ...book, market: markup, asks: [[markup, markup, markup]], bids: [[markup, markup]] },
      orders: {
        ...orders,
        inDoubt: [doubt],
        open: orders.open.map((order) => ({ ...order, clientOrderId: markup, type: markup })),
      },
      executions: {
        ...executions,
        list: executions.list.map((row) => ({ ...row, market: markup, fee: markup, role: markup })),
      },
      positions: {
        ...positions,
        pnl: [{ currency: markup, amount: markup }],
        list: positions.list.map((row) => ({ ...row, warning: markup })),
      },
      account: {
        ...account,
        notValued: [markup],
        wallets: account.wallets.map((wallet) => ({ ...wallet, assets: [asset] })),
      },
      exchange: { ...exchange, events: [{ id: 1, at: 1e300, kind: 'error', text: markup }] },
    });
    await see('#events', markup);
    for (const place of ['#about', '#ladder', '#open-body', '#positions-body', '#wallets', '#market'])
      await see(place, '<img src=x');
    expect([await page.locator('img').count(), await note()]).toEqual([0, '']);
    expect(await page.title()).not.toBe('1');
  });

  it('draws assets named like properties of objects, and numbers that are none', async () => {
    const names = ['toString', '__proto__', 'constructor', 'hasOwnProperty'];
    const amounts = ['1', `9${'0'.repeat(63)}`, '(81 characters, not shown)', ''];
    const [spot] = normal.account.wallets;
    const assets = names.map((asset, index) => ({
      ...{ asset, amount: amounts[index], inOrders: '', borrowed: '', value: null, isStale: false },
    }));
    const limits = [null, -1, 1e308, 'many'].map((value, index) => ({
      ...{ rateLimit: `g${index}`, limit: value, windowMs: value, used: value, queued: value, coolDownUntil: value },
    }));
    send({
      account: { ...normal.account, wallets: [{ ...spot, assets }] },
      exchange: { ...normal.exchange, limits },
      candles: { ...normal.candles, points: [{ at: 'x', open: 'x', high: 'x', low: 'x', close: 'x', volume: 'x' }] },
    });
    await see('#wallets', 'hasOwnProperty');
    await see('#limits', 'g3');
    const shown = await page.locator('#wallets tr:not([data-head]) td:nth-child(2)').allTextContents();
    expect(shown).toEqual(['1', `9${',000'.repeat(21)}`, '(81 characters, not shown)', '–']);
    expect(await note()).toBe('');
  });

  it('draws what has no value yet as a dash, and cannot draw what it was not sent', async () => {
    const { about, market, strip, candles, account, exchange, executions, orders, positions } = normal;
    const none = { status: 'none', at: null, since: 0, paceMs: null };
    const { links: _links, latency: _latency, markets: _markets, ...others } = normal;
    server.send({ now: Date.now(), parts: others });
    send({
      about: { ...about, tradingAllowed: false, account: false, sandbox: false, exchange: 'x.example' },
      market: { ...market, rules: null, change: null, fundingAt: null, fundingRate: null, futuresState: none },
      strip: { ...strip, list: [{ market: 'A_B', last: null, change: null, isStale: true }] },
      candles: {
        ...candles,
        points: [],
        outages: [
          { from: 1, to: 2 },
          { from: 3, to: null },
        ],
      },
      account: { ...account, value: null, change: null, wallets: [] },
      exchange: { ...exchange, limits: [], counts: { ...exchange.counts, gaps: 0 } },
      executions: { ...executions, state: none, list: [] },
      orders: { ...orders, open: orders.open.map((order) => ({ ...order, fromLast: '', flags: [] })) },
      positions: {
        ...positions,
        pnl: [],
        list: positions.list.map((row) => ({ ...row, away: '', pnl: '', ofMargin: '' })),
      },
    });
    await see('#about', 'x.example');
    await see('#strip', '–');
    await page.locator('#stat-funding').waitFor({ state: 'hidden' });
    expect(await page.locator('#executions-body').textContent()).toContain('No account.');
    expect(await note()).toBe('');
  });

  it('has no more rows than it shows, however many come and go', async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      const list = Array.from({ length: 60 }, (_, index) => ({
        ...{ kind: 'trade', id: turn * 60 + index, at: Date.now(), price: '1', amount: '1', side: 'buy', isOwn: false },
      }));
      const events = list.map(({ id }) => ({ id, at: Date.now(), kind: 'note', text: `note ${id}` }));
      send({ trades: { ...normal.trades, list }, exchange: { ...normal.exchange, events } });
    }
    await see('#events', 'note 1140');
    expect(await page.locator('#events li').count()).toBeLessThanOrEqual(30);
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1500);
  });

  async function hide(isHidden: boolean): Promise<void> {
    await page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })`);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  }

  it('has no connection while its tab is hidden, and one when it is shown, however often', async () => {
    await hide(true);
    await vi.waitFor(() => {
      expect(server.feeds).toHaveLength(0);
    }, 10_000);
    expect(await page.title()).toMatch(/stale|lost/i);
    expect(await page.locator('#assertive').textContent()).toBe('');
    for (let turn = 0; turn < 10; turn += 1) {
      await hide(turn % 2 === 0);
      await hide(false);
    }
    await vi.waitFor(() => {
      expect(server.feeds).toHaveLength(1);
    }, 10_000);
    send(normal);
    await see('#worst', 'Live');
  });

  it('says that a server without a feed rejects it, and comes back by itself', async () => {
    server.reject(true);
    server.cut();
    await see('#worst', 'Page rejected');
    await see('#banner', 'open its new URL');
    server.reject(false);
    await page.locator('#banner button').click();
    await see('#worst', 'Live');
  });
});
