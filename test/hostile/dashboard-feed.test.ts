// The dashboard's messages when the exchange sends odd names, amounts and times: bounded, and every character visible.
import { createExchange } from 'exchange-rx';
import type { Subscription } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFeed, type Feed } from '../../src/cli/dashboard/feed.js';
import type { AssetRow, BalancePoint, Message, OrderRow } from '../../src/cli/dashboard/messages.js';
import { appendMessage } from '../../src/cli/dashboard/history.js';

const about = { baseUrl: 'https://exchange.example', sandbox: true, account: true };

let feed: Feed;
let subscription: Subscription | undefined;
let messages: Message[];
/** The exchange's next responses, as JSON text. */
let balance: string;
let openOrders: string;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  messages = [];
  balance = '{}';
  openOrders = '[]';
  const fetch = (address: string | URL | Request) => {
    const { pathname } = new URL(address instanceof Request ? address.url : address);
    const bodies: Readonly<Record<string, string>> = {
      '/api/v4/public/ping': '["pong"]',
      '/api/v4/main-account/balance': balance,
      '/api/v4/orders': openOrders,
    };
    return Promise.resolve(new Response(bodies[pathname] ?? '{}', { headers: { 'content-type': 'application/json' } }));
  };
  const exchange = createExchange({
    baseUrl: about.baseUrl,
    fetch,
    credentials: { apiKey: 'k'.repeat(32), apiSecret: 's'.repeat(32) },
  });
  feed = createFeed(exchange, about);
  subscription = undefined;
});

afterEach(() => {
  subscription?.unsubscribe();
  vi.useRealTimers();
});

const balanceOf = (amounts: Readonly<Record<string, unknown>>) =>
  `{${Object.entries(amounts)
    .map(([asset, amount]) => `${JSON.stringify(asset)}:{"main_balance":${JSON.stringify(amount)}}`)
    .join(',')}}`;

/** Subscribes at the first call, and waits for one poll of everything. */
async function poll(): Promise<void> {
  messages = [];
  subscription ??= feed.messages$.subscribe((message) => messages.push(message));
  await vi.advanceTimersByTimeAsync(3500);
}

async function nextPoint(): Promise<BalancePoint> {
  await poll();
  const point = messages.findLast((message) => message.type === 'balance')?.balance;
  if (point === undefined) throw new Error('no balance came');
  return point;
}

async function nextOrders(): Promise<readonly OrderRow[]> {
  await poll();
  return messages.findLast((message) => message.type === 'orders')?.orders ?? [];
}

const row = (asset: string, amount: string | null, change = '', stale = false): AssetRow => ({
  asset,
  amount,
  change,
  stale,
});

describe('assets of the dashboard', () => {
  it('may be named like properties of every object', async () => {
    balance = balanceOf({ BTC: '1' });
    expect((await nextPoint()).assets).toEqual([row('BTC', '1')]);
    const names = ['toString', 'hasOwnProperty', 'valueOf'];
    balance = balanceOf({ BTC: '1', ...Object.fromEntries(names.map((name) => [name, '2'])) });
    expect((await nextPoint()).assets).toEqual([row('BTC', '1'), ...names.map((name) => row(name, '2', '2'))]);
    balance = balanceOf({ BTC: '1' });
    expect((await nextPoint()).assets).toEqual([row('BTC', '1'), ...names.map((name) => row(name, '0', '-2'))]);
  });

  it('are at most 100: the last changed, then the non-zero ones; the others are counted', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`A${index}`, index < 4000 ? '0' : '1']),
    );
    balance = balanceOf(many);
    const first = await nextPoint();
    expect([first.assets.length, first.notShown, new Set(first.assets.map(({ amount }) => amount))]).toEqual([
      100,
      4900,
      new Set(['1']),
    ]);
    balance = balanceOf({ ...many, A7: '3', A4999: '2.5' });
    const second = await nextPoint();
    expect([second.assets.length, second.notShown]).toEqual([100, 4900]);
    expect(second.assets).toEqual(expect.arrayContaining([row('A7', '3', '3'), row('A4999', '2.5', '1.5')]));
    // An asset that has changed stays on the page.
    expect((await nextPoint()).assets).toEqual(second.assets);
  });

  it('that could not be read are marked and counted', async () => {
    balance = balanceOf({ BTC: '1', ETH: '5' });
    await nextPoint();
    balance = balanceOf({ BTC: '1', ETH: 'five', XLM: 'none' });
    const { assets, notRead } = await nextPoint();
    expect(assets).toEqual(
      expect.arrayContaining([row('BTC', '1'), row('ETH', '5', '', true), row('XLM', '0', '', true)]),
    );
    expect(notRead).toBe(2);
  });

  it('with invisible characters or 10 KB in their names stay distinct from all others', async () => {
    const long = 'L'.repeat(10_000);
    const names = [
      'BTC',
      'BTC\u200b',
      'BTC\u202e',
      'BTC\n',
      'BTC\u{e0041}',
      'BT\u0000C',
      '\ud800',
      `${long}1`,
      `${long}2`,
      `${'😀'.repeat(300)}1`,
      `${'😀'.repeat(300)}2`,
      `a${'\u0301'.repeat(300)}`,
    ];
    balance = balanceOf(Object.fromEntries(names.map((name) => [name, '1'])));
    const shown = (await nextPoint()).assets.map(({ asset }) => asset);
    expect(new Set(shown).size).toBe(names.length);
    expect(shown).toContain('BTC');
    for (const name of shown) {
      expect(Array.from(name).length).toBeLessThanOrEqual(60);
      expect(name).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{M}{3}/u);
    }
  });

  it('with too long an amount show a note, never a truncated amount', async () => {
    balance = balanceOf({ BTC: `1${'0'.repeat(80)}`, ETH: `0.${'3'.repeat(90)}` });
    expect((await nextPoint()).assets).toEqual([
      row('BTC', '(81 characters, not shown)'),
      row('ETH', '(92 characters, not shown)'),
    ]);
  });
});

describe('the history of balances', () => {
  it('is bounded in bytes, whatever the names of the assets', async () => {
    balance = balanceOf(
      Object.fromEntries(
        Array.from({ length: 300 }, (_, index) => [`${index}${'语'.repeat(5000)}`, `${index}1${'0'.repeat(60)}`]),
      ),
    );
    const point = await nextPoint();
    const empty = { about, health: [], balances: [], usage: [], orders: [], problems: [] };
    let history = appendMessage(empty, { type: 'balance', balance: point });
    for (let times = 0; times < 1000; times += 1)
      history = appendMessage(history, { type: 'balance', balance: { ...point, at: times } });
    expect([history.balances.length, history.balances.at(-1)?.at]).toEqual([120, 999]);
    expect(Buffer.byteLength(JSON.stringify(history))).toBeLessThan(5 * 1024 * 1024);
  });
});

describe('orders of the dashboard', () => {
  const order = (fields: Readonly<Record<string, unknown>>) => ({
    orderId: 1,
    market: 'BTC_USDT',
    side: 'buy',
    status: 'OPEN',
    amount: '1',
    ...fields,
  });

  it.each([
    ['1e300', 1e300],
    ['-1e300', -1e300],
    ['after the last year', 8.7e12],
    ['missing', undefined],
    ['null', null],
    ['a text', 'soon'],
  ])('have no time when the timestamp is %s', async (_, timestamp) => {
    openOrders = JSON.stringify([order({ timestamp }), order({ orderId: 2, timestamp: 1_700_000_000.25 })]);
    expect((await nextOrders()).map(({ id, at }) => [id, at])).toEqual([
      [2, 1_700_000_000_250],
      [1, null],
    ]);
  });

  it('may have a timestamp before the year 0', async () => {
    openOrders = JSON.stringify([order({ timestamp: -70_000_000_000 })]);
    expect((await nextOrders())[0]?.at).toBe(-70_000_000_000_000);
  });

  it('are at most 20, with truncated texts', async () => {
    const long = 'x'.repeat(100_000);
    openOrders = JSON.stringify(
      Array.from({ length: 5000 }, (_, orderId) =>
        order({
          orderId,
          timestamp: orderId,
          market: `${orderId}`,
          side: `${long.slice(0, 200)}\u202e`,
          type: 'a\u200b',
        }),
      ),
    );
    const rows = await nextOrders();
    expect([rows.length, rows[0]?.id]).toEqual([20, 4999]);
    for (const { side, type } of rows)
      expect([side.length < 70, type]).toEqual([true, expect.stringMatching(/^a\\u\{200b\} #[0-9a-f]{8}$/)]);
  });

  it('with an orderId that no number can hold are left out and reported', async () => {
    openOrders = JSON.stringify([order({}), order({})]).replace('"orderId":1', '"orderId":9007199254740993');
    expect((await nextOrders()).map(({ id }) => id)).toEqual([1]);
    expect(messages).toContainEqual({
      type: 'problem',
      problem: expect.objectContaining({
        text: expect.stringContaining('1 records could not be read') as string,
      }) as unknown,
    });
  });
});
