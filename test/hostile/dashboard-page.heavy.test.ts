// The trading page in a browser, with malformed messages: it draws all that it can, as text, and goes on.
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, pageForEach } from '../support/browser.js';
import { startPageServer, type PageServer } from '../support/page-server.js';
import { pageState } from '../support/page-states.js';

const { parts: normal } = pageState('normal');
const markup = '<img src=x onerror="document.title=1">';

describe.runIf(hasChromium)("the trading page's messages", { timeout: 60_000 }, () => {
  const { current, expectErrors, see } = pageForEach();
  let page: Page;
  let server: PageServer;

  beforeEach(async () => {
    server = await startPageServer();
    server.send({ now: Date.now(), parts: normal });
    page = current();
    await page.goto(server.url);
    await see('#worst', 'Live');
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
    await expect.poll(note).toBe('');
  });

  it('shows every text of the exchange as text, wherever it stands', async () => {
    const { about, market, orders, executions, positions, account, exchange, strip, book, candles } = normal;
    const doubt = { clientOrderId: markup, market: markup, endpoint: markup, sentAt: Date.now(), phase: 'unknown' };
    const amounts = { amount: markup, inOrders: markup, borrowed: markup, value: markup };
    const names = [markup, 'toString', '__proto__', 'constructor', 'hasOwnProperty'];
    const assets = names.map((asset) => ({ ...amounts, asset, isStale: true }));
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
        wallets: account.wallets.map((wallet) => ({ ...wallet, assets })),
      },
      candles: { ...candles, points: [{ ...candles.points[0], open: markup, volume: markup }] },
      exchange: { ...exchange, events: [{ id: 1, at: 1e300, kind: 'error', text: markup }] },
    });
    await see('#events', markup);
    for (const name of names) await see('#wallets', name);
    for (const place of ['#about', '#ladder', '#open-body', '#positions-body', '#wallets', '#market'])
      await see(place, '<img src=x');
    expect([await page.locator('img').count(), await note()]).toEqual([0, '']);
    expect(await page.title()).not.toBe('1');
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
    await expect.poll(() => server.feeds).toHaveLength(0);
    expect(await page.title()).toMatch(/stale|lost/i);
    expect(await page.locator('#assertive').textContent()).toBe('');
    for (let turn = 0; turn < 10; turn += 1) {
      await hide(turn % 2 === 0);
      await hide(false);
    }
    await expect.poll(() => server.feeds).toHaveLength(1);
    send(normal);
    await see('#worst', 'Live');
  });

  it('comes back by itself, without a reload, when its connection is cut, silent or rejected', async () => {
    expectErrors(/503|net::ERR_/);
    await page.evaluate('window.isSame = true');
    const reconnected = page.waitForRequest('**/events*');
    server.cut();
    await reconnected;
    await see('#worst', 'Live');
    const reopened = page.waitForRequest('**/events*');
    server.beSilent();
    await reopened;
    await see('#worst', 'Live');
    server.reject(true);
    server.cut();
    await see('#worst', 'Page rejected');
    await see('#banner', 'open its new URL');
    server.reject(false);
    await page.locator('#banner button').click();
    await see('#worst', 'Live');
    expect(await page.evaluate('window.isSame')).toBe(true);
  });
});
