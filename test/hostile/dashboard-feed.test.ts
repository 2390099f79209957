// The dashboard's feed when the exchange sends odd names, amounts and times: bounded, and every character visible.
import { ClientRegistry, createExchange } from 'exchange-rx';
import { createSandbox } from 'exchange-rx/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AssetRow, OrderRow, WalletPart } from '../../src/cli/dashboard/messages.js';
import { pagesOf, type FeedOfPage } from '../support/dashboard-page.js';
import { useFakeTime } from '../support/fake-time.js';

const time = useFakeTime(1_800_000_000_000);
let pages: ReturnType<typeof pagesOf>;
let page: FeedOfPage | undefined;
/** The exchange's next responses, as JSON text. */
let balance: string;
let openOrders: string;
let positions: string;
let collateral: string;

beforeEach(() => {
  balance = '{}';
  openOrders = '[]';
  positions = '[]';
  collateral = '[]';
  page = undefined;
  const sandbox = createSandbox({ history: 0, volatility: 0 });
  // Requests read what the live connections would push.
  sandbox.liveFault({ kind: 'refuse', times: 100_000 });
  const options = sandbox.clientOptions();
  const fetch: typeof options.fetch = (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const bodies: ReadonlyMap<string, string> = new Map([
      ['/api/v4/main-account/balance', balance],
      ['/api/v4/orders', openOrders],
      ['/api/v4/collateral-account/positions/open', positions],
      ['/api/v4/collateral-account/balance-summary', collateral],
    ]);
    const body = bodies.get(pathname);
    if (body === undefined) return options.fetch(input, init);
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }));
  };
  pages = pagesOf(createExchange({ ...options, fetch, registry: new ClientRegistry(), warnings: false }));
});

afterEach(() => {
  page?.subscription.unsubscribe();
  pages.close();
});

const balanceOf = (amounts: Readonly<Record<string, unknown>>) =>
  `{${Object.entries(amounts)
    .map(([asset, amount]) => `${JSON.stringify(asset)}:{"main_balance":${JSON.stringify(amount)}}`)
    .join(',')}}`;

/** Opens a page at the first call, and waits for one poll of everything. */
async function poll(): Promise<FeedOfPage> {
  page ??= pages.open();
  await time.advance(6000);
  return page;
}

async function mainWallet(): Promise<WalletPart> {
  const { parts } = await poll();
  const wallet = parts.account?.wallets.find(({ wallet: name }) => name === 'main');
  if (wallet === undefined) throw new Error('no wallet came');
  return wallet;
}

async function orders(): Promise<readonly OrderRow[]> {
  return (await poll()).parts.orders?.open ?? [];
}

const row = (asset: string, amount: string, isStale = false): AssetRow =>
  expect.objectContaining({ asset, amount, isStale }) as AssetRow;

describe('assets of the dashboard', () => {
  it('may be named like properties of every object', async () => {
    const names = ['toString', 'hasOwnProperty', 'valueOf'];
    balance = balanceOf({ BTC: '1', ...Object.fromEntries(names.map((name) => [name, '2'])) });
    expect((await mainWallet()).assets).toEqual([row('BTC', '1'), ...names.map((name) => row(name, '2'))]);
  });

  it('are at most 100, the most valuable first; the others are counted', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`A${index}`, '1']));
    balance = balanceOf({ ...many, BTC: '0.5', ZERO: '0' });
    const { assets, notShown } = await mainWallet();
    expect([assets.length, notShown, assets[0]?.asset]).toEqual([100, 4901, 'BTC']);
    expect((await poll()).parts.account?.notValued.length).toBe(20);
  });

  it('that could not be read keep their last amount and are marked', async () => {
    balance = balanceOf({ BTC: '1', ETH: '5' });
    await mainWallet();
    balance = balanceOf({ BTC: '1', ETH: 'five', XLM: 'none' });
    expect((await mainWallet()).assets).toEqual(
      expect.arrayContaining([row('BTC', '1'), row('ETH', '5', true), row('XLM', '', true)]),
    );
  });

  it('with invisible characters or 10 KB in their names stay distinct from all others', async () => {
    const long = 'L'.repeat(10_000);
    const names = [
      ...['BTC', 'BTC\u200b', 'BTC\u202e', 'BTC\n', 'BTC\u{e0041}', 'BT\u0000C', '\ud800'],
      ...[`${long}1`, `${long}2`, `${'😀'.repeat(300)}1`, `${'😀'.repeat(300)}2`, `a${'\u0301'.repeat(300)}`],
    ];
    balance = balanceOf(Object.fromEntries(names.map((name) => [name, '1'])));
    const shown = (await mainWallet()).assets.map(({ asset }) => asset);
    expect(new Set(shown).size).toBe(names.length);
    expect(shown).toContain('BTC');
    for (const name of shown) {
      expect(Array.from(name).length).toBeLessThanOrEqual(60);
      expect(name).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{M}{3}/u);
    }
  });

  it('with too long an amount show a note, never a truncated amount', async () => {
    balance = balanceOf({ BTC: `1${'0'.repeat(80)}`, ETH: `0.${'3'.repeat(90)}` });
    expect((await mainWallet()).assets).toEqual([
      row('BTC', '(81 characters, not shown)'),
      row('ETH', '(92 characters, not shown)'),
    ]);
  });
});

it('the collateral wallet keeps what could not be read', async () => {
  const asset = (name: string, balance: string, borrow?: string) => ({ asset: name, balance, borrow });
  collateral = JSON.stringify([asset('USDT', '10', '4'), asset('BTC', '1')]);
  const wallet = async () => (await poll()).parts.account?.wallets.find(({ wallet: name }) => name === 'collateral');
  expect((await wallet())?.value).toMatch(/^\d+\.00$/);
  collateral = JSON.stringify([asset('USDT', '10', '4'), 7]);
  expect((await wallet())?.assets).toEqual([row('BTC', '1', true), row('USDT', '10')]);
});

describe('positions of the dashboard', () => {
  const position = (fields: Readonly<Record<string, unknown>>) => ({
    ...{ positionId: 1, market: 'BTC_USDT', amount: '1', openDate: 1_700_000_000, modifyDate: 1_700_000_000 },
    ...fields,
  });

  it('have empty figures where the exchange sends none, and no sum of them', async () => {
    positions = JSON.stringify([
      position({ market: 'MARS_PERP', basePrice: '10', liquidationPrice: '9', liquidationState: 'margin_call' }),
      position({ positionId: 2, market: 'XYZ_EUR', amount: '-2', basePrice: '5', margin: '0', unrealizedFunding: '1' }),
      position({ positionId: 3, basePrice: '0', liquidationPrice: '0', margin: '100' }),
    ]);
    const { list, pnl } = (await poll()).parts.positions ?? {};
    expect(list).toMatchObject([
      { mark: '', value: '', entry: '10', liquidation: '9', away: '', pnl: '', ofMargin: '', warning: 'margin_call' },
      { side: 'short', amount: '2', mark: '', pnl: '', ofMargin: '', funding: '-1.00', warning: '' },
      { side: 'long', entry: '', liquidation: '', away: '' },
    ]);
    expect(pnl).toEqual([
      { currency: 'USDT', amount: '' },
      { currency: 'EUR', amount: '' },
    ]);
  });

  it('are at most 50; the others are counted', async () => {
    positions = JSON.stringify(Array.from({ length: 60 }, (_, index) => position({ positionId: index + 1 })));
    const { list, notShown } = (await poll()).parts.positions ?? {};
    expect([list?.length, notShown]).toEqual([50, 10]);
  });
});

describe('orders of the dashboard', () => {
  const order = (fields: Readonly<Record<string, unknown>>) => ({
    ...{ orderId: 1, market: 'BTC_USDT', side: 'buy', status: 'OPEN', amount: '1' },
    ...fields,
  });

  it('have no time when their timestamp is missing, no number, or of no year', async () => {
    const impossible = [1e300, -1e300, 8.7e12, undefined, null, 'soon'];
    openOrders = JSON.stringify(
      [...impossible, 1_700_000_000.25].map((timestamp, index) => order({ orderId: index + 1, timestamp })),
    );
    const times = new Map((await orders()).map(({ orderId, at }) => [orderId, at]));
    expect(impossible.map((_, index) => times.get(index + 1))).toEqual(impossible.map(() => null));
    expect(times.get(7)).toBe(1_700_000_000_250);
  });

  it('have truncated texts, figures that are not wrong, and a side that is known or not', async () => {
    const odd = { side: `${'x'.repeat(100_000)}\u202e`, type: 'a\u200b', price: 'much' };
    openOrders = JSON.stringify([order({ ...odd, deal_stock: '0', deal_money: '5' })]);
    const type = expect.stringMatching(/^a\\u\{200b\} #[0-9a-f]{8}$/) as string;
    expect(await orders()).toMatchObject([{ side: 'unknown', type, price: '', average: '', fromLast: '' }]);
  });

  it('with an orderId that no number can hold are left out and reported', async () => {
    openOrders = JSON.stringify([order({}), order({})]).replace('"orderId":1', '"orderId":9007199254740993');
    expect((await orders()).map(({ orderId }) => orderId)).toEqual([1]);
    const text = expect.stringContaining('1 records could not be read') as string;
    expect(pages.witness.events).toContainEqual(expect.objectContaining({ kind: 'error', text }));
  });

  it('and everything else are bounded in bytes, whatever the exchange sends', async () => {
    const wide = '语'.repeat(1000);
    balance = balanceOf(
      Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${index}${wide}`, `1${'0'.repeat(60)}`])),
    );
    const odd = { client_order_id: wide, type: wide, price: '1'.repeat(90) };
    openOrders = JSON.stringify(Array.from({ length: 99 }, (_, index) => order({ orderId: index + 1, ...odd })));
    const { parts } = await poll();
    expect(parts.orders?.open.length).toBe(99);
    expect(Buffer.byteLength(JSON.stringify(parts))).toBeLessThan(300_000);
  });
});
