// The trading page in each of its states, at each width, light and dark: what is true everywhere.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PartValues } from '../../src/cli/dashboard/messages.js';
import { hasChromium, pageForEach, violations } from '../support/browser.js';
import { commandFile } from '../support/command.js';
import { sum } from '../support/figures.js';
import { startPageServer, type PageServer } from '../support/page-server.js';
import { pageState, type PageStateName } from '../support/page-states.js';

const widths = [375, 768, 1280, 1920, 2560];
const states: readonly PageStateName[] = ['normal', 'down', 'reconnecting', 'doubt', 'empty', 'trading', 'waiting'];
/** A plan that cancels these orders. */
const cancelPlan = (...ids: number[]) => ({
  ...{ id: `plan ${ids.length}`, action: { kind: 'cancel-all' }, at: Date.now(), expiresAt: Date.now() + 30_000 },
  cancel: ids.map((orderId) => ({
    ...{ orderId, clientOrderId: `o-${orderId}`, market: 'BTC_USDT', side: 'buy', type: 'limit', flags: [] },
    ...{ price: '1', left: '1' },
  })),
  ...{ close: [], totals: [], pricesAt: null },
});
const resultOf = (id: number, outcome: string, text = '') => ({
  ...{ step: 'cancel', market: 'BTC_USDT', id, clientOrderId: `o-${id}`, outcome, text },
});
const actOf = (id: number, endedAt: number | null, ...results: readonly object[]) => ({
  ...{ id, action: { kind: 'cancel-all' }, at: 1, endedAt, results },
});
const pageFolder = resolve(commandFile, '../dashboard/page');

describe.runIf(hasChromium)('the trading page', { timeout: 120_000 }, () => {
  const { current, another, expectErrors, see } = pageForEach();
  let page: Page;
  let server: PageServer;

  beforeEach(async () => {
    server = await startPageServer();
    page = current();
  });

  async function open(name: PageStateName): Promise<void> {
    server.send(pageState(name));
    await page.goto(server.url);
    await see('#about', 'sandbox · play money');
  }

  /** Sends a state with these parts instead of its own. */
  function change(name: PageStateName, make: (parts: PartValues) => object): void {
    const { now, parts } = pageState(name);
    server.send({ now, parts: { ...parts, ...make(parts) } });
  }

  /** Resolves once the page has these feeds: market, interval and currency. */
  const feeds = (query: string) => expect.poll(() => server.feeds).toEqual([query]);

  /** What a copy of this place, or of its content, has as plain text. */
  const copied = (selector: string) =>
    page.evaluate(`(() => {
      const place = document.querySelector('${selector}');
      if (place === null) getSelection().removeAllRanges();
      else getSelection().selectAllChildren(place);
      const clipboardData = new DataTransfer();
      document.dispatchEvent(new ClipboardEvent('copy', { clipboardData }));
      return clipboardData.getData('text/plain');
    })()`);

  const count = (selector: string) => page.locator(selector).count();
  const text = (selector: string) => page.locator(selector).first().textContent();
  const isVisible = (selector: string) => page.locator(selector).isVisible();
  /** How wide the cut-off content of each of these elements is. */
  const hiddenPixels = (selector: string) =>
    page.evaluate(
      `[...document.querySelectorAll('${selector}')].map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)`,
    );
  const loseConnection = () => {
    server.reject(true);
    server.cut();
  };

  it.each(states)('fits every width and passes axe, light and dark: %s', async (name) => {
    await open(name);
    for (const width of widths) {
      await page.setViewportSize({ width, height: width < 600 ? 812 : 900 });
      // An amount that is cut off would look like another one, and play money like money. Charts are a frame late.
      const pixels = () => hiddenPixels('html, #account-body, #about');
      await expect.poll(pixels, { message: `at a width of ${width}` }).toEqual([0, 0, 0]);
      expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1500);
    }
    // Each state in both color schemes, and half of the states in each of them at a width.
    for (const colorScheme of ['light', 'dark'] as const) {
      const isNarrow = (states.indexOf(name) % 2 === 0) === (colorScheme === 'light');
      await page.setViewportSize({ width: isNarrow ? 375 : 1280, height: 812 });
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    // Every part was drawn, also of what has no value yet.
    expect(await text('#page-note')).toBe('');
  });

  it.each([
    ['normal', 'Live', '', 0],
    ['down', 'Exchange down 1:1', 'Exchange down for 1:1', 8],
    ['reconnecting', 'Reconnecting', 'Live connection lost', 6],
    ['doubt', '1 in doubt', '1 order in doubt:', 0],
  ] as const)('marks what is stale, and nothing else: %s', async (name, bar, banner, stale) => {
    await open(name);
    await see('#worst', bar);
    if (banner === '') expect(await isVisible('#banner')).toBe(false);
    else await see('#banner', banner);
    // Panels and the head of the market; requests still read orders and account, and the exchange is the witness.
    expect(await count('[data-stale]:is(.panel, #market)')).toBe(stale);
    expect(await count('#exchange[data-stale]')).toBe(0);
    expect(await count('#tab-open:has-text("when last seen")')).toBe(name === 'down' ? 1 : 0);
    expect(await text('#last [aria-hidden]')).toBe(stale > 0 ? '' : '↑');
    expect(await page.title()).toMatch(
      { normal: /↑ BTC/, down: /^DOWN/, reconnecting: /^stale/, doubt: /^1 in d/ }[name],
    );
  });

  it("lists orders in doubt first, counts them in, and copies the exchange's own figures", async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open('doubt');
    await page.locator('#banner button').click();
    await see('#polite', 'copied');
    expect(await text('#tab-open small')).toBe('8');
    expect(await text('#open-body tbody tr')).toContain('unknown');
    const shares =
      "[...document.querySelectorAll('#open-body .track')].map(({ style }) => style.getPropertyValue('--share'))";
    expect((await page.evaluate<string[]>(shares)).slice(1, 5)).toEqual(['0.0%', '60.0%', '0.0%', '45.0%']);
    const figures = [await copied('#none'), await copied('#last b'), await copied('#bids .amount')];
    expect(figures).toEqual(['', '60012.4', '0.1705']);
    expect(await copied('#open-body tbody tr:nth-child(2)')).toMatch(
      /^\d+ s\tBTC_USDT\tbuy limit post\t.*\t60005\t.*\t0\.04\t0\t\tmm-7f3a-b-0412/,
    );
    // Changes have the minus of the exchange, whole or in a row.
    expect(await copied('#positions-body tbody tr:nth-child(2) [data-sign]')).toBe('-44.38');
    expect(await copied('#positions-body tbody tr:nth-child(2)')).toMatch(/^ETH_PERP\tshort 3\.2\t.*\t-44\.38\t/);
    expect(await copied('#strip li:nth-child(4) div')).toContain('-2.07 %');
  });

  it('is used by keys: panels, rows, tables, summary, hold, list', async () => {
    await open('normal');
    await page.keyboard.press('Tab');
    expect(await text(':focus')).toBe('Skip to content');
    await page.keyboard.press('5');
    expect(await page.locator(':focus').getAttribute('id')).toBe('orders');
    await page.locator('#open-body tr[tabindex="0"]').focus();
    await page.keyboard.press('ArrowDown');
    expect(await text(':focus')).toContain('mm-7f3a-s-0412');
    await page.keyboard.press('s');
    await see('#polite', 'BTC_USDT 60,012.40, up 1.24 %. 2 positions, plus 172.65. Live.');
    await page.keyboard.press('t');
    await see('#chart-table', 'volume');
    await page.keyboard.press('t');
    await page.locator('#main').focus();
    await page.keyboard.press(' ');
    await see('#polite', 'held');
    change('normal', ({ trades }) => ({ trades: { ...trades, list: [] } }));
    expect(await count('#tape .trade')).toBeGreaterThan(5);
    await page.keyboard.press(' ');
    await expect.poll(() => count('#tape .trade')).toBe(0);
    await page.keyboard.press('?');
    await see('#help', 'TradingView');
    await page.keyboard.press('Escape');
    await page.keyboard.press(']');
    await feeds('interval=5m');
  });

  it('copies, cancels and chooses by keys, unless single keys are off', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open('trading');
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = () => page.locator(':focus').getAttribute('id');
    await press('m');
    expect(await focused()).toBe('market-choice');
    await page.locator('#main').focus();
    // No shorter interval, no row, no such key, and keys of the browser.
    await press('[', 'c', 'q', 'ArrowDown', 'Control+5');
    expect([await focused(), server.feeds]).toEqual(['main', ['']]);
    await page.locator('#open-body tr[tabindex="0"]').focus();
    await press('ArrowUp', 'c');
    await see('#polite', 'copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('mm-7f3a-b-0412');
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())');
    await press('c');
    await see('#polite', 'the browser refused to copy');
    await press('x', '5');
    await see('#confirm-reason', 'no plan');
    await press('Escape');
    await page.locator('#bar .help').click();
    await page.locator('#single-keys').uncheck();
    await page.locator('#help-close').click();
    await page.locator('#main').focus();
    await press('5', 's');
    expect(await focused()).toBe('main');
    expect(await page.evaluate("localStorage.getItem('exchange-rx single keys')")).toBe('off');
  });

  it('shows open, executed and ended orders behind tabs, each with its age', async () => {
    await open('normal');
    change('normal', ({ orders, executions }) => {
      const [first, second] = orders.open;
      const ended = [
        { ...first, clientOrderId: '', orderId: 7, status: 'filled', filled: '0.04', average: '60001' },
        { ...second, at: null, activationPrice: '5', price: '', fromLast: '', status: 'canceled' },
      ];
      const list = [{ ...executions.list[0], clientOrderId: '', orderId: 9, id: 9 }];
      const today = { count: 100, isAtLeast: true };
      return { orders: { ...orders, ended }, executions: { ...executions, list, today } };
    });
    await page.locator('#tab-executions').click();
    await see('#executions-body', '#9');
    expect(await text('#executions-count')).toBe('today 100 or more');
    await page.keyboard.press('ArrowRight');
    await see('#ended-body', '#7');
    expect(await text('#orders .age')).toMatch(/^\d\.\d s$/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('x');
    expect(await page.locator('#tab-open').getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('ArrowLeft');
    expect(await isVisible('#open-body')).toBe(false);
  });

  it('follows the choice of colors, intervals, prices, markets and currencies', async () => {
    await open('normal');
    const theme = () => page.locator('html').getAttribute('data-theme');
    const before = await theme();
    await page.locator('#theme').click();
    expect([before, await theme()].toSorted()).toEqual(['dark', 'light']);
    await page.locator('#theme').click();
    expect(await theme()).toBe(before);
    await page.locator('#grouping').selectOption({ index: 2 });
    await see('#asks', '60,013');
    const newest = await text('#ohlc');
    await page.locator('#chart').hover({ position: { x: 120, y: 80 } });
    await expect.poll(() => text('#ohlc')).not.toBe(newest);
    await page.locator('#intervals button', { hasText: '1h' }).click();
    await page.locator('#strip button', { hasText: 'ETH_PERP' }).click();
    await page.locator('#currency').selectOption('BTC');
    await feeds('interval=1h&market=ETH_PERP&currency=BTC');
  });

  it('marks the book, the price and the arrows as they change, and nothing where motion is unwelcome', async () => {
    await open('normal');
    const flashes = () => count('[data-flash]');
    const trade = (amount: string, direction: 'up' | 'down' | 'same', last: string) => {
      change('normal', ({ book, market, trades }) => ({
        book: { ...book, bids: [['60012.2', amount], ...book.bids.slice(1)], asks: [] },
        market: { ...market, direction, last },
        trades: { ...trades, list: trades.list.map((row) => ({ ...row, side: 'unknown' })) },
      }));
    };
    trade('9', 'down', '60000');
    await expect.poll(() => flashes()).toBeGreaterThan(0);
    await see('#middle', '↓');
    await see('#middle', 'spread –');
    await expect.poll(() => flashes()).toBe(0);
    trade('0.1', 'same', '60000');
    await expect.poll(() => text('#middle [aria-hidden]')).toBe('');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    trade('5', 'up', '60001');
    await see('#middle', '↑');
    expect(await flashes()).toBe(0);
  });

  it('shows one part at a time on a phone, a figure of each below its tab, and another market when it is chosen', async () => {
    await page.setViewportSize({ width: 375, height: 812 });
    await open('normal');
    for (const [tab, panel, panels] of [
      ['orders', '#positions', 2],
      ['account', '#account', 1],
      ['exchange', '#exchange', 1],
      ['market', '#book', 3],
    ] as const) {
      await page.locator(`#tabs [data-tab="${tab}"]`).click();
      expect([await isVisible(panel), await count('.panel:visible')]).toEqual([true, panels]);
    }
    await page.locator('#market-choice').selectOption('ETH_USDT');
    await feeds('market=ETH_USDT');
    server.send(pageState('down'));
    await see('#tabs [data-tab="orders"] small[data-stale]', '7 were open');
  });

  it('keeps rows where they are while a reader points at one', async () => {
    await open('normal');
    const ids = () => page.locator('#open-body tbody .id').allTextContents();
    const before = await ids();
    await page.locator('#open-body tbody tr').nth(2).hover();
    const reverse = () => {
      change('normal', ({ orders }) => ({ orders: { ...orders, open: orders.open.slice(1).toReversed() } }));
    };
    reverse();
    await see('#tab-open', '6');
    expect(await ids()).toEqual(before);
    await page.mouse.move(0, 0);
    reverse();
    await expect.poll(() => ids()).toEqual(before.slice(1).toReversed());
  });

  it('confirms an act by its name, rests when facts change, and shows what runs, what was done and what is left', async () => {
    expectErrors(/503|net::ERR_/);
    await open('trading');
    server.respond('plan', { kind: 'plan', plan: cancelPlan(1, 2) });
    server.respond('act', { kind: 'changed', plan: cancelPlan(1, 2, 3), reason: 'Another order is open.' });
    await page.locator('#cancel-all').click();
    expect(await text(':focus')).toBe('Keep everything');
    await see('#act', 'Cancel 2 orders');
    server.respond('plan', { kind: 'plan', plan: cancelPlan(1, 2, 3) });
    // It rests for a second.
    await Promise.all([see('#act:disabled', 'Cancel 3 orders'), page.locator('#act').click()]);
    await see('#confirm-reason', 'Not done: Another order is open.');
    server.respond('act', { kind: 'started', actId: 4 });
    await page.locator('#act').click();
    await see('#confirm-text', 'Sent: waiting for the results.');
    const show = (endedAt: number | null, ...outcomes: string[]) => {
      const results = outcomes.map((outcome, index) => resultOf(index, outcome, 'see the open orders'));
      change('trading', () => ({ acts: [{ ...actOf(4, endedAt, ...results), note: 'Also open.' }] }));
    };
    show(2, 'done', 'done');
    await see('#confirm-text', 'Ended: 2 steps done, 0 not done or unknown.');
    await see('#confirm-reason', 'Also open.');
    show(2, 'done', 'unknown');
    await see('#confirm-text', 'Ended: 1 step done, 1 not done or unknown.');
    await see('#confirm-steps', 'unknown: see the open orders');
    show(null, 'done', 'running');
    await see('#confirm-text', 'Running: 1 of 2 have ended.');
    loseConnection();
    await see('#confirm-reason', 'The page has no connection');
    expect(await isVisible('#act')).toBe(false);
    expect(server.posted.filter((body) => body.startsWith('act'))).toEqual([
      'act {"planId":"plan 2"}',
      'act {"planId":"plan 3"}',
    ]);
    await page.locator('#keep', { hasText: 'Close' }).click();
    expect(await isVisible('#confirm')).toBe(false);
  });

  it.each<[string, unknown]>([
    ['started', { kind: 'started', actId: 4 }],
    ['changed', { kind: 'changed', plan: cancelPlan(7, 8, 9), reason: 'Other orders are open now.' }],
    ['refused', { kind: 'refused', reason: 'This plan was confirmed before.' }],
  ])('leaves another confirmation alone when a late response is %s', async (_, late) => {
    await open('trading');
    change('trading', () => ({ acts: [actOf(4, 2, resultOf(1, 'done'))] }));
    server.respond('plan', { kind: 'plan', plan: cancelPlan(1, 2) });
    let respond = (): void => undefined;
    const isLate = new Promise<void>((resolved) => (respond = resolved));
    await page.route('**/act', async (route) => {
      await isLate;
      await route.fulfill({ json: late });
    });
    await page.locator('#cancel-all').click();
    await page.locator('#act', { hasText: 'Cancel 2 orders' }).click();
    await see('#confirm-text', 'Sent: waiting for the results.');
    await page.locator('#keep').click();
    server.respond('plan', { kind: 'plan', plan: cancelPlan(1) });
    await page.locator('#open-body button').first().click();
    await see('#act', 'Cancel 1 order');
    const arrived = page.waitForResponse('**/act');
    respond();
    await arrived;
    await sleep(200);
    expect(await page.locator('#act:enabled:visible', { hasText: 'Cancel 1 order' }).count()).toBe(1);
    expect(await text('#confirm')).not.toMatch(/Ended|Not done|confirmed before/);
  });

  it.each([
    ['respond', { status: 500 }, 'The dashboard did not respond: it may be done or not.'],
    ['accept the plan', { json: { kind: 'refused', reason: 'This plan was confirmed before.' } }, 'confirmed before'],
    ['respond with JSON', { body: 'x' }, 'The dashboard did not respond'],
  ])('says so when the server does not %s', async (_, response, words) => {
    expectErrors(/500/);
    await open('trading');
    const close = [{ positionId: 1, market: 'BTC_PERP', side: 'long', amount: '1', price: '', pnl: '', fee: '' }];
    server.respond('plan', { kind: 'plan', plan: { ...cancelPlan(), close, warning: 'Not all is estimated.' } });
    await page.route('**/act', (route) => route.fulfill(response));
    await page.locator('#positions-body button').first().click();
    await see('#confirm-reason', 'Not all is estimated.');
    await page.route('**/plan', (route) => route.fulfill({ status: 500 }));
    await page.locator('#act', { hasText: 'Close 1 position' }).click();
    await see('#confirm', words);
    expect(await isVisible('#act')).toBe(false);
  });

  it('has units in the heads of columns, pale flags, and the leverage beside the margin', async () => {
    await page.setViewportSize({ width: 2560, height: 1440 });
    await open('normal');
    const heads = (of: string) => page.locator(`${of} th`).allTextContents();
    expect(await heads('#positions')).toEqual(expect.arrayContaining(['value USDT', 'PnL USDT']));
    expect(await heads('#open-body')).toEqual(expect.arrayContaining(['price USDT', 'amount']));
    expect(await heads('#executions')).toEqual(
      expect.arrayContaining(['price USDT', 'amount BTC', 'value USDT', 'fee USDT']),
    );
    const looks = (element: string) =>
      page.evaluate(
        `(({ color, fontStyle }) => [color, fontStyle])(getComputedStyle(document.querySelector('${element}')))`,
      );
    expect(await text('#open-body tr:nth-child(1) td:nth-child(4)')).toBe('limit post');
    const pale = await looks('#open-body td.pale');
    expect(await looks('#open-body tr:nth-child(1) td:nth-child(4) i')).toEqual(pale);
    expect(await looks('#open-body tr:nth-child(1) td:nth-child(4) span')).not.toEqual(pale);
    expect(await text('#positions-body tbody tr')).toContain('1,500.20 10×');
    change('normal', ({ executions, positions }) => {
      const [first, second, ...others] = executions.list;
      const list = [{ ...first, feeAsset: 'BTC' }, { ...second, market: 'ETH_USDT' }, ...others];
      const unlevered = positions.list.map((position) => ({ ...position, leverage: '' }));
      return { executions: { ...executions, list }, positions: { ...positions, list: unlevered } };
    });
    // What the rows do not share is in the rows.
    await see('#executions th', /^fee$/);
    expect(await heads('#executions')).toEqual(expect.arrayContaining(['price USDT', 'amount', 'value USDT']));
    const after = (row: number, cell: number) =>
      page.evaluate(
        `getComputedStyle(document.querySelector('#executions tbody tr:nth-child(${row}) td:nth-child(${cell})'), '::after').content`,
      );
    expect([await after(1, 7), await after(2, 7), await after(2, 6)]).toEqual(['" BTC"', '" USDT"', 'none']);
    expect(await text('#positions-body tbody')).not.toContain('×');
    await page.setViewportSize({ width: 375, height: 812 });
    expect([await after(2, 7), await after(2, 6)]).toEqual(['" USDT"', '" USDT"']);
  });

  it('tries the exchange at once from the banner, once in a while, and says what came of it', async () => {
    expectErrors(/404/);
    await open('down');
    const button = page.locator('#banner button');
    expect(await button.textContent()).toBe('Try now');
    server.respond('try', { kind: 'tried' });
    await button.focus();
    await page.keyboard.press('Enter');
    await see('#polite', 'Requested.');
    await page.keyboard.press('Enter');
    expect([await button.textContent(), await button.getAttribute('aria-disabled')]).toEqual(['Requested', 'true']);
    server.send(pageState('doubt'));
    await see('#banner button', 'Copy mm-7f3a-b-0413');
    expect(await button.getAttribute('aria-disabled')).toBe('false');
    server.send(pageState('reconnecting'));
    await see('#banner button', 'Try now');
    server.respond('try', { kind: 'refused', reason: 'The next try is possible in 3 s.' });
    await button.click();
    await see('#polite', 'The next try is possible in 3 s.');
    expect(server.posted).toEqual(['try {}', 'try {}']);
    await see('#banner button', 'Try now');
    await page.route('**/try', (route) => route.fulfill({ status: 404 }));
    await button.click();
    await see('#polite', 'The dashboard does not respond.');
  });

  it('says of orders that are stale that they were open, also in the chart and the book', async () => {
    await page.setViewportSize({ width: 1920, height: 1080 });
    await open('normal');
    await see('#open-body', 'partly filled');
    expect(await text('#open-body')).not.toContain('was ');
    const old = pageState('down').parts;
    change('normal', ({ orders, market }) => ({
      orders: { ...orders, state: old.orders.state },
      market: { ...market, futuresState: old.market.state },
    }));
    await see('#open-body', 'was open');
    await see('#open-body', 'was partly filled');
    expect(await count('#ladder[data-old-own] .level[title="own orders when last seen: 0.04"]')).toBe(2);
    // Mark and funding have an age of their own.
    expect(await count('#stat-mark[data-stale], #stat-funding[data-stale]')).toBe(2);
    expect(await count('#stat-high[data-stale], #market[data-stale], #book[data-stale]')).toBe(0);
  });

  it('says nothing of the links and the health that it cannot know without its own connection', async () => {
    expectErrors(/503|net::ERR_/);
    await open('normal');
    await see('#health-word', /^up since$/);
    loseConnection();
    await see('#worst', /^Page/);
    await see('#link-stream', 'stream –');
    expect(await text('#link-requests')).toBe('requests –');
    await see('#health-word', /^was up since$/);
    const since = await text('#health-since');
    await sleep(1500);
    expect(await text('#health-since')).toBe(since);
  });

  it('names the worst state in whole on a phone, where the list of keys is in another tab', async () => {
    await page.setViewportSize({ width: 375, height: 812 });
    await open('reconnecting');
    expect(await text('#worst')).toMatch(/^Lost \d+ s$/);
    expect(await isVisible('#bar .help')).toBe(false);
    await page.locator('#tabs [data-tab="exchange"]').click();
    await page.locator('#exchange .help').click();
    await see('#help', 'TradingView');
  });

  it('names the exchange, and says that there are no credentials', async () => {
    await open('normal');
    await see('#rights', 'read only');
    change('normal', ({ about }) => ({ about: { ...about, account: false, sandbox: false, exchange: 'x.example' } }));
    await see('#about', 'x.example');
    await see('#rights', 'no account');
    expect(await text('#executions-body')).toContain('No account.');
  });

  it('confirms nothing while the exchange is down or its own connection is lost, and says why', async () => {
    expectErrors(/503|net::ERR_/);
    await open('trading');
    await see('#rights', 'trading allowed');
    change('down', () => ({ about: pageState('trading').parts.about }));
    await see('#worst', 'Exchange down');
    await page.locator('#flatten').click();
    await see('#confirm-reason', 'The exchange is down: prices and orders are stale.');
    loseConnection();
    await see('#confirm-reason', 'The page has no connection');
    expect(await count('#act:enabled:visible')).toBe(0);
  });

  it('is small: 350 kB, 130 kB compressed, and as it is published it runs', async () => {
    const published = await another();
    server.send(pageState('normal'));
    await published.goto(server.url);
    await published.locator('#worst', { hasText: 'Live' }).waitFor();
    await published.close();

    const contents = readdirSync(pageFolder)
      .filter((name) => !name.endsWith('.map'))
      .map((name) => ({ name, content: readFileSync(resolve(pageFolder, name)) }));
    const whole = contents.map(({ content }) => content.length);
    const compressed = contents.map(({ name, content }) =>
      name.endsWith('.woff2') ? content.length : gzipSync(content).length,
    );
    expect(sum(whole)).toBeLessThan(350_000);
    expect(sum(compressed)).toBeLessThan(130_000);
  });
});
